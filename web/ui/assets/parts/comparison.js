/** The numbers of two panes one under the other, and what the second changes. */

import { attr, h, say, shown } from "../dom.js";
import { change, DASH } from "../format.js";
import { t } from "../texts.js";
import { TILES, tileHelp, trendOf, windowOf } from "./tiles.js";

/** Two twins on the same requests differ by more than chance from here on. */
const LEAST = 0.03;

/** One column for each number of each tile. */
const COLUMNS = TILES.flatMap((tile) => tile.parts.map((part) => ({ tile, part })));

export class Comparison {
  /** @param {{panes: () => any[], tooltip: any}} ctx */
  constructor({ panes, tooltip }) {
    this.panes = panes;
    this.columns = COLUMNS.map(({ tile, part }) => ({ tile, part, a: cell(), b: cell(), off: h("td", { class: "off" }) }));
    this.binds = { a: h("td", {}), b: h("td", {}), off: h("td", {}) };
    const heads = this.columns.map(({ tile, part }) => {
      const head = h("th", { scope: "col", tabindex: 0 }, h("span", {}, t(`tiles.${tile.key}.title`)), part.label ? h("small", {}, part.label) : null);
      tooltip.help(head, () => tileHelp(tile, panes));
      return head;
    });
    this.rows = { a: this.row("A"), b: this.row("B") };
    this.el = h("div", { class: "card comparison", hidden: true }, h("table", {},
      h("thead", {}, h("tr", {}, h("th", {}), heads, h("th", { scope: "col" }, t("tiles.binds.title")))),
      h("tbody", {},
        h("tr", {}, this.rows.a, this.columns.map(({ a }) => a.el), this.binds.a),
        h("tr", {}, this.rows.b, this.columns.map(({ b }) => b.el), this.binds.b),
        h("tr", { class: "differences" }, h("th", { scope: "row" }, t("panes.difference")), this.columns.map(({ off }) => off), this.binds.off))));
  }

  row(name) {
    const note = h("small", { class: "tile-before", hidden: true }, t("tiles.before_short"));
    return Object.assign(h("th", { scope: "row" }, h("span", { class: `badge badge-${name}` }, t(`panes.${name}`)), note), { note });
  }

  update() {
    const panes = this.panes();
    shown(this.el, panes.length > 1);
    if (panes.length < 2) return;
    const [a, b] = panes.map((pane) => pane.tiles);
    for (const { tile, part, ...cells } of this.columns) {
      const values = [a, b].map((tiles) => (tiles ? part.value(tiles) : null));
      fill(cells.a, part, values[0], a);
      fill(cells.b, part, values[1], b);
      say(cells.off, change(values[0], values[1]) ?? (values.includes(null) ? DASH : "="));
      attr(cells.off, "data-trend", trendOf(tile, part, a, b, LEAST));
    }
    say(this.binds.a, a?.binds ? t(`binds.${a.binds}_short`) : DASH);
    say(this.binds.b, b?.binds ? t(`binds.${b.binds}_short`) : DASH);
    shown(this.rows.a.note, Boolean(a?.before));
    shown(this.rows.b.note, Boolean(b?.before));
  }
}

function cell() {
  const [value, unit] = [h("b", {}), h("small", {})];
  return { value, unit, el: h("td", {}, value, unit) };
}

function fill({ value, unit, el }, part, number, tiles) {
  const [digits, sign] = part.read(number ?? null);
  say(value, digits);
  say(unit, sign);
  attr(el, "data-before", tiles?.before);
}

/** Of which requests the numbers of both panes speak. */
export function windowsOf(panes) {
  const [a, b] = panes.map((pane) => windowOf(pane.tiles, pane.model));
  return a === b ? t("panes.windows_same", { words: a }) : t("panes.windows", { a, b });
}
