/** Take the state elsewhere: a link, the courses as CSV, the scenario as YAML. */

import { isBroken } from "../controls/failures.js";
import { compareAddress } from "../data/compare.js";
import { h, shown } from "../dom.js";
import { t } from "../texts.js";
import { button } from "./button.js";

export class Share {
  /** @param {{api: any, model: () => any, panes: () => any[], tooltip: any, banner: any, link: () => string}} ctx */
  constructor({ api, model, panes, tooltip, banner, link }) {
    Object.assign(this, { api, model, panes, banner, link });
    const items = [
      h("button", { class: "menu-item", type: "button", role: "menuitem", onclick: () => this.copy() }, t("share.copy")),
      h("button", { class: "menu-item", type: "button", role: "menuitem", onclick: () => this.compare() }, t("share.compare")),
      h("button", { class: "menu-item", type: "button", role: "menuitem", onclick: () => this.fetch("courses.csv") }, t("share.csv")),
      h("button", { class: "menu-item", type: "button", role: "menuitem", onclick: () => this.fetch("scenario.yaml") }, t("share.yaml")),
    ];
    this.menu = h("div", { class: "menu", role: "menu", hidden: true }, items);
    this.opener = button({ name: "link", label: t("share.label"), press: () => this.toggle(), tooltip });
    this.opener.setAttribute("aria-haspopup", "menu");
    this.el = h("div", { class: "menu-holder" }, this.opener, this.menu);
    this.el.addEventListener("keydown", (event) => this.press(event, items));
    this.el.addEventListener("focusout", (event) => !this.el.contains(event.relatedTarget) && this.toggle(false));
  }

  toggle(open = this.menu.hidden) {
    shown(this.menu, open);
    this.opener.setAttribute("aria-expanded", String(open));
    if (open) this.menu.firstChild.focus();
  }

  press(event, items) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === "Escape") {
      this.toggle(false);
      this.opener.focus();
    } else if (step) {
      event.preventDefault();
      const now = items.indexOf(document.activeElement);
      items[(now + step + items.length) % items.length].focus();
    }
  }

  async copy() {
    this.toggle(false);
    try {
      await navigator.clipboard.writeText(this.link());
      const broken = this.panes().some((pane) => isBroken(pane.model.frame));
      const isChanged = Boolean(new URL(this.link()).search);
      this.banner.show("share", [t(isChanged ? "share.copied" : "share.copied_plain"), broken ? t("share.not_carried") : ""].join(" "));
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.banner.clear("share"), broken ? 8000 : 2500);
    } catch {
      this.banner.show("share", t("share.not_copied", { link: this.link() }));
    }
  }

  /** Run what is set here beside the published deployment and the baseline. */
  compare() {
    window.location.assign(compareAddress(new URL(this.link()).search, this.model().scenario.name));
  }

  fetch(name) {
    this.toggle(false);
    const { twin, scenario } = this.model();
    const link = h("a", { href: `${this.api.root}/twins/${encodeURIComponent(twin)}/${name}`, download: `${scenario.name}-${name}` });
    link.click();
  }
}
