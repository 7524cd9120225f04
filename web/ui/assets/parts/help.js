/** The keys and gestures of the page. */

import { h } from "../dom.js";
import { t } from "../texts.js";
import { Dialog } from "./dialog.js";

const KEYS = [
  ["space", "Space"], ["arrows", "← → ↑ ↓"], ["shift", "Shift ←→"], ["page", "PgUp PgDn"], ["ends", "Home End"],
  ["undo", "Ctrl Z"], ["redo", "Ctrl Shift Z"], ["fork", "F"], ["help", "?"], ["escape", "Esc"],
];

/** The terms of the field that the reading aid explains, in the order of a request's way. */
const TERMS = ["prefill", "kv", "decode", "ttft", "sla", "bcr"];

/**
 * @param {HTMLElement} root
 * @param {{keys?: boolean}} [more] whether the page has keys of its own
 */
export function helpDialog(root, { keys: hasKeys = true } = {}) {
  const dialog = new Dialog({ root, name: "help", title: t(hasKeys ? "help.title" : "help.reading") });
  if (hasKeys) dialog.body.append(h("dl", { class: "keys" }, KEYS.map(([name, keys]) => [
    h("dt", {}, keys.split(" ").map((key) => h("kbd", {}, key))), h("dd", {}, t(`help.${name}`)),
  ])), h("h3", {}, t("help.reading")));
  dialog.body.append(
    h("ul", { class: "help-list" }, ["particles", "window", "forecast", "assumed", "baseline", "goodput"].map((name) => h("li", {}, t(`help.${name}_text`)))),
    h("h3", {}, t("help.terms")),
    h("ul", { class: "help-list" }, TERMS.map((name) => h("li", {}, t(`terms.${name}`)))));
  return dialog;
}
