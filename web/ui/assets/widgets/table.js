/** A table that can be read on a phone: its first column stays, or each row becomes a card. */

import { calm, h } from "../dom.js";
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
      const press = (word) => pressed(word, data.leads, tell);
      frame.setAttribute("aria-label", data.label);
      frame.classList.toggle("is-stacked", Boolean(data.stacked));
      frame.replaceChildren(h("table", {}, head(data.columns, tooltip), h("tbody", {}, data.rows.map((row) => line(row, data.columns, tooltip, press)))));
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

/** Tell what was pressed, and bring what it leads to into view. */
function pressed(word, leads, tell) {
  tell.trigger("pressed", word);
  if (leads) document.querySelector(`.st-key-${leads}`)?.scrollIntoView({ block: "nearest", behavior: calm() ? "auto" : "smooth" });
}

function line({ cells, name, role, press: word, chosen, part }, columns, tooltip, press) {
  const is = [role && `of-${role}`, word && "is-pressable", chosen && "is-chosen", part && "is-part"].filter(Boolean).join(" ");
  const onclick = word ? () => press(word) : null;
  return h("tr", { data: { name }, class: is || null, "aria-current": chosen ? "true" : null, ...(onclick ? { onclick } : {}) }, cells.map((cell, i) => {
    const said = h(i ? "td" : "th", { scope: i ? null : "row", class: columns[i].whole ? "is-whole" : null, data: { align: columns[i].align, label: columns[i].name, trend: cell.trend, empty: !(cell.text || cell.badge || cell.bar) } },
      cell.badge ? h("small", { class: `kind kind-${cell.badge.kind}` }, cell.badge.text) : null,
      cell.bar ? within(cell.bar) : null,
      cell.press ? h("button", { class: "button", type: "button", onclick: (event) => { event.stopPropagation(); press(cell.press); } }, cell.text) : h("span", {}, cell.text),
      cell.unit && h("small", {}, ` ${cell.unit}`), cell.note && h("small", { class: "cell-note" }, cell.note));
    return cell.lines?.length ? explained(said, { title: cell.title || columns[i].name, lines: cell.lines }, tooltip) : said;
  }));
}

/** A value within its band; the text beside it says the same. */
function within({ low, high, at, sd, inside }) {
  const share = (x) => `${(100 * x).toFixed(1)}%`;
  const state = inside === null ? "" : inside ? " is-in" : " is-out";
  return h("div", { class: `band${state}`, "aria-hidden": "true" },
    h("i", { class: "band-range", style: { left: share(low), width: share(high - low) } }),
    sd ? h("i", { class: "band-spread", style: { left: share(Math.max(0, at - sd)), width: share(Math.min(1, at + sd) - Math.max(0, at - sd)) } }) : null,
    h("i", { class: "band-value", style: { left: share(at) } }));
}

function explained(cell, words, tooltip) {
  cell.setAttribute("tabindex", "0");
  cell.classList.add("is-explained");
  return tooltip.help(cell, () => words);
}
