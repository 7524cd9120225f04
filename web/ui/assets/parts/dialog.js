/** A window over the page, closed by Escape, its button or a press beside it. */

import { h } from "../dom.js";
import { t } from "../texts.js";
import { icon } from "./icons.js";

export class Dialog {
  /** @param {{root: HTMLElement, title: string, name: string, wide?: boolean}} options */
  constructor({ root, title, name, wide = false }) {
    this.body = h("div", { class: "dialog-body" });
    const heading = `pdd-dialog-${name}`;
    this.el = h("dialog", { class: `dialog dialog-${name}${wide ? " is-wide" : ""}`, "aria-labelledby": heading },
      h("header", { class: "dialog-head" }, h("h2", { id: heading }, title), h("button", { class: "icon-button", type: "button", "aria-label": t("dialog.close"), onclick: () => this.close() }, icon("close"))),
      this.body);
    this.el.addEventListener("click", (event) => event.target === this.el && this.close());
    root.append(this.el);
  }

  open() {
    if (!this.el.open) this.el.showModal();
  }

  close() {
    this.el.close();
  }
}
