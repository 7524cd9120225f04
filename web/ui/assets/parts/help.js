/** The keys and gestures of the page. */

import { h } from "../dom.js";
import { t } from "../texts.js";
import { Dialog } from "./dialog.js";

const KEYS = [
  ["space", "Space"], ["arrows", "← → ↑ ↓"], ["shift", "Shift ←→"], ["page", "PgUp PgDn"], ["ends", "Home End"],
  ["undo", "Ctrl Z"], ["redo", "Ctrl Shift Z"], ["fork", "F"], ["help", "?"], ["escape", "Esc"],
];

/** @param {HTMLElement} root */
export function helpDialog(root) {
  const dialog = new Dialog({ root, name: "help", title: t("help.title") });
  dialog.body.append(
    h("dl", { class: "keys" }, KEYS.map(([name, keys]) => [
      h("dt", {}, keys.split(" ").map((key) => h("kbd", {}, key))), h("dd", {}, t(`help.${name}`)),
    ])),
    h("h3", {}, t("help.reading")),
    h("ul", { class: "help-list" }, ["particles", "window", "forecast", "assumed", "baseline", "goodput"].map((name) => h("li", {}, t(`help.${name}_text`)))));
  return dialog;
}
