/** Quiet lines at the top: what is wrong, in one sentence, and what one can do. */

import { h } from "../dom.js";
import { t } from "../texts.js";
import { icon } from "./icons.js";

export class Banner {
  constructor() {
    this.lines = new Map();
    this.el = h("div", { class: "banners", role: "status", "aria-live": "polite" });
  }

  /**
   * Show a sentence under a key; a later one of the same key takes its place.
   * @param {string} key
   * @param {string} sentence
   * @param {{kind?: "info"|"bad", action?: {label: string, run: () => void}, details?: string[], lasting?: boolean}} [more]
   */
  show(key, sentence, { kind = "info", action, details = [], lasting = false } = {}) {
    this.clear(key);
    const line = h("div", { class: `banner is-${kind}`, data: { key } },
      h("div", { class: "banner-words" }, h("span", {}, sentence), details.map((detail) => h("small", {}, detail))),
      action ? h("button", { class: "button", type: "button", onclick: action.run }, action.label) : null,
      lasting ? null : h("button", { class: "icon-button", type: "button", "aria-label": t("banner.close"), onclick: () => this.clear(key) }, icon("close")));
    this.lines.set(key, line);
    this.el.append(line);
  }

  clear(key) {
    this.lines.get(key)?.remove();
    this.lines.delete(key);
  }
}
