/** A row of numbers, each with its unit, where it comes from, and an explanation. */

import { h } from "../dom.js";
import { Tooltip } from "../parts/tooltip.js";

/** @param {{root: HTMLElement}} options */
export function view({ root }) {
  const tooltip = new Tooltip(root);
  const row = h("div", { class: "numbers" });
  root.append(row);
  let shown = "";
  return {
    update({ numbers }) {
      const now = JSON.stringify(numbers);
      if (now === shown) return;
      shown = now;
      row.replaceChildren(...numbers.map((number) => one(number, tooltip)));
    },
    dispose: () => tooltip.dispose(),
  };
}

function one(number, tooltip) {
  const { label, text, unit, note, badge, role, lines, trend, name } = number;
  const el = h("div", { class: `number of-${role ?? "soft"}`, tabindex: 0, data: { name, trend } },
    h("span", { class: "number-label" }, label, badge && h("small", { class: `kind kind-${badge.kind}` }, badge.text)),
    h("span", { class: "number-figure" }, h("b", { class: "number-value" }, text), h("span", { class: "number-unit" }, unit)),
    note && h("span", { class: "number-note" }, note));
  return tooltip.help(el, () => ({ title: label, lines }));
}
