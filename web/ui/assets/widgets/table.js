/** A table that can be read on a phone: its first column stays, or each row becomes a card. */

import { h } from "../dom.js";
import { Tooltip } from "../parts/tooltip.js";

/** @param {{root: HTMLElement, tell: {trigger: Function}}} options */
export function view({ root, tell }) {
  const tooltip = new Tooltip(root);
  const frame = h("div", { class: "sheet", tabindex: 0, role: "region" });
  root.append(frame);
  let shown = "";
  return {
    update(data) {
      const now = JSON.stringify([data.columns, data.rows, data.label]);
      if (now === shown) return;
      shown = now;
      frame.setAttribute("aria-label", data.label);
      frame.classList.toggle("is-stacked", Boolean(data.stacked));
      frame.replaceChildren(h("table", {}, head(data.columns, tooltip), h("tbody", {}, data.rows.map((row) => line(row, data.columns, tooltip, tell)))));
    },
    dispose: () => tooltip.dispose(),
  };
}

function head(columns, tooltip) {
  return h("thead", {}, h("tr", {}, columns.map((column) => {
    const cell = h("th", { scope: "col", data: { align: column.align } }, column.name, column.unit && h("small", {}, ` ${column.unit}`));
    return column.about ? explained(cell, { title: column.name, lines: [column.about] }, tooltip) : cell;
  })));
}

function line({ cells, name, role }, columns, tooltip, tell) {
  return h("tr", { data: { name }, class: role ? `of-${role}` : null }, cells.map((cell, i) => {
    const said = h(i ? "td" : "th", { scope: i ? null : "row", data: { align: columns[i].align, label: columns[i].name, trend: cell.trend } },
      cell.badge ? h("small", { class: `kind kind-${cell.badge.kind}` }, cell.badge.text) : null,
      cell.press ? h("button", { class: "button", type: "button", onclick: () => tell.trigger("pressed", cell.press) }, cell.text) : h("span", {}, cell.text),
      cell.unit && h("small", {}, ` ${cell.unit}`), cell.note && h("small", { class: "cell-note" }, cell.note));
    return cell.lines?.length ? explained(said, { title: cell.title || columns[i].name, lines: cell.lines }, tooltip) : said;
  }));
}

function explained(cell, words, tooltip) {
  cell.setAttribute("tabindex", "0");
  cell.classList.add("is-explained");
  return tooltip.help(cell, () => words);
}
