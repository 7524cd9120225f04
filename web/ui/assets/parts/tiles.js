/** The numbers that tell how a deployment does, each with what comes and what it is. */

import { attr, h, say, shown, style } from "../dom.js";
import { change, clock, count, DASH, joined, number, percent, plain, seconds, span } from "../format.js";
import { t } from "../texts.js";

/** Ten minutes differ from half an hour by chance: from here on a forecast tells something. */
const CLEAR = 0.3;

const rate = (value) => [number(value), value === null || value === undefined ? "" : "/s"];
const ratio = (value) => [number(value), value === null || value === undefined ? "" : "×"];

/** A tile: its numbers by key of the API's tiles, how each reads, and whether more is better. */
export const TILES = [
  { key: "ttft", better: -1, parts: [
    { key: "ttft_p50_s", label: "P50", read: seconds, value: (s) => s.ttft_p50_s },
    { key: "ttft_p90_s", label: "P90", read: seconds, value: (s) => s.ttft_p90_s },
    { key: "ttft_p99_s", label: "P99", read: seconds, value: (s) => s.ttft_p99_s },
  ] },
  { key: "goodput", better: 1, parts: [{ key: "goodput_rps", read: rate, value: (s) => s.goodput_rps }] },
  { key: "rld", better: 0, parts: [{ key: "rld_token_share", read: percent, value: (s) => s.rld_token_share }] },
  { key: "hits", better: 1, parts: [
    { key: "p_hit", label: "P", read: percent, value: (s) => s.p_hit },
    { key: "md_hit", label: "MD", read: percent, value: (s) => s.md_hit },
  ] },
  { key: "line", better: 0, parts: [{ key: "line", read: (v) => percent(v, 0), value: (s) => s.use?.line ?? null, warn: (v) => v > 0.9 }] },
  { key: "bcr", better: 1, inputs: ["workload.clients", "prices.line", "prices.chips.A", "prices.chips.B"], parts: [{ key: "bcr", read: ratio, value: (s) => s.bcr }] },
];

/** The strip of tiles of a pane. */
export class Tiles {
  /** @param {{panes: () => any[], tooltip: any, assumed: (path: string) => boolean}} ctx */
  constructor({ panes, tooltip, assumed }) {
    this.panes = panes;
    this.tiles = TILES.map((tile) => new Tile(tile, tooltip, panes, assumed));
    this.binds = new Binds(tooltip, panes);
    this.el = h("div", { class: "tiles", role: "list", "aria-label": t("tiles.label") }, this.tiles.map((tile) => tile.el), this.binds.el);
  }

  update() {
    const panes = this.panes();
    shown(this.el, panes.length === 1);
    if (panes.length > 1) return;
    for (const tile of this.tiles) tile.update(panes[0]);
    this.binds.update(panes[0]);
  }
}

/** Words on the stretch of time that the numbers speak of. */
export function windowOf(tiles, model) {
  if (!tiles) return "";
  const n = count(tiles.requests, t("map.request"), t("map.requests"));
  if (tiles.before) return t("tiles.before", { n });
  const length = span(tiles.to_s - tiles.from_s);
  const since = model.log.length && tiles.to_s - tiles.from_s < 1795;
  return t(since ? "tiles.since" : "tiles.window", { n, length });
}

/** What a tile is, how it is computed, and of which requests it speaks. */
export function tileHelp(tile, panes, assumed = []) {
  const { tiles, forecast, model } = panes()[0];
  const lines = [t(`tiles.${tile.key}.help`), windowOf(tiles, model)];
  if (forecast) lines.push(t("tiles.forecast_help", { from: clock(forecast.from_s), to: clock(forecast.to_s) }));
  if (tile.key === "bcr" || tile.key === "goodput") lines.push(...against(tile, model, tiles));
  if (assumed.length) lines.push(t("tiles.assumed", { names: assumed.join(", ") }));
  return { title: t(`tiles.${tile.key}.title`), lines: lines.filter(Boolean) };
}

function against(tile, model, tiles) {
  const { slo, prices } = model.scenario;
  if (tile.key === "goodput") return [t("tiles.goodput.sla", { total: plain(slo.total_s), share: joined(percent(tiles?.sla_ok_share ?? null)) })];
  if (!model.baseline || !tiles) return [];
  const chips = Object.entries(prices.chips).map(([name, price]) => `${name} ${plain(price)}`).join(", ");
  return [t("tiles.bcr.prices", { baseline: model.baseline.title || model.baseline.name, chips, line: plain(prices.line), cost: plain(tiles.cost_units), goodput: number(tiles.baseline_goodput_rps) })];
}

class Tile {
  constructor(tile, tooltip, panes, assumed) {
    this.tile = tile;
    this.assumed = () => (tile.inputs ?? []).filter(assumed);
    this.mark = h("span", { class: "assumed", hidden: true, "aria-label": t("assumed.mark") }, "≈");
    this.before = h("span", { class: "tile-before", title: t("tiles.before_mark") }, t("tiles.before_short"));
    this.parts = tile.parts.map((part) => ({ part, ...figure(part) }));
    this.el = h("div", { class: `card tile tile-${tile.key}`, role: "listitem", tabindex: 0 },
      h("div", { class: "tile-name" }, t(`tiles.${tile.key}.title`), this.mark, this.before),
      h("div", { class: "tile-figures" }, this.parts.map(({ el }) => el)));
    tooltip.help(this.el, () => tileHelp(tile, panes, this.assumed()));
  }

  update({ tiles, forecast }) {
    shown(this.mark, this.assumed().length > 0);
    shown(this.before, Boolean(tiles?.before));
    this.el.classList.toggle("is-before", Boolean(tiles?.before));
    for (const { part, value, unit, coming, el } of this.parts) {
      const now = tiles ? part.value(tiles) : null;
      const [digits, sign] = part.read(now);
      say(value, digits);
      say(unit, sign);
      attr(el, "data-warning", part.warn && now !== null && part.warn(now));
      const ahead = (forecast?.tiles && part.value(forecast.tiles)) ?? null;
      shown(coming, ahead !== null);
      if (ahead !== null) say(coming.lastChild, joined(part.read(ahead)));
      attr(coming, "data-trend", trendOf(this.tile, part, tiles, forecast?.tiles, CLEAR));
    }
  }
}

/** Of fewer requests a ratio of goodputs says little. */
const FEW = 200;

/**
 * Whether two states can be compared by their BCR: it is a ratio, and where either side has lost
 * half of its goodput, or few requests are counted, it says nothing of what is better.
 */
export function tellsBcr(now, ahead) {
  const holds = (key) => now?.[key] > 0 && ahead?.[key] >= now[key] / 2;
  return holds("goodput_rps") && holds("baseline_goodput_rps") && Math.min(now.requests, ahead.requests) >= FEW;
}

/** The trend of a tile's number from one state to another. */
export function trendOf(tile, part, now, ahead, least) {
  if (!now || !ahead || (tile.key === "bcr" && !tellsBcr(now, ahead))) return "even";
  return trend(part.value(now), part.value(ahead), tile.better, least);
}

/** Whether a change is for the better: better, worse, or even. */
export function trend(from, to, better, least = 0.03) {
  if (!better || !change(from, to, least)) return "even";
  return (to - from) * better > 0 ? "better" : "worse";
}

function figure(part) {
  const value = h("span", { class: "figure-value" }, DASH);
  const unit = h("span", { class: "figure-unit" });
  const coming = h("div", { class: "coming" }, h("span", { class: "coming-mark", "aria-label": t("tiles.coming") }, "→"), h("span", {}));
  const label = part.label ? h("span", { class: "figure-label" }, part.label) : null;
  const el = h("div", { class: "figure", data: { key: part.key } }, label, h("span", { class: "figure-number" }, value, unit), coming);
  return { el, value, unit, coming };
}

const RESOURCES = ["prefill", "relay", "prefill_b", "main", "line", "memory"];

/** What stands there as long as nothing is known. */
const USUAL = new Set(["prefill", "relay", "main", "line", "memory"]);

/** Which resource binds, with the use of each. */
class Binds {
  constructor(tooltip, panes) {
    this.words = h("span", { class: "figure-value" }, DASH);
    this.unit = h("span", { class: "figure-unit" });
    this.bars = RESOURCES.map((name) => {
      const fill = h("i", { class: "bar-fill" });
      return { name, fill, el: h("span", { class: `bar bar-${name}` }, h("span", { class: "bar-track" }, fill), h("span", { class: "bar-name" }, t(`binds.${name}_short`))) };
    });
    this.el = h("div", { class: "card tile tile-binds", role: "listitem", tabindex: 0 },
      h("div", { class: "tile-name" }, h("span", {}, t("tiles.binds.title"))),
      h("div", { class: "figure-number" }, this.words), this.unit,
      h("div", { class: "bars" }, this.bars.map(({ el }) => el)));
    tooltip.help(this.el, () => this.help(panes()[0]));
  }

  help({ tiles, model }) {
    const uses = RESOURCES.filter((name) => tiles?.use?.[name] !== null && tiles?.use?.[name] !== undefined)
      .map((name) => t("binds.use", { name: t(`binds.${name}`), use: joined(percent(tiles.use[name], 0)) }));
    return { title: t("tiles.binds.title"), lines: [t("tiles.binds.help"), ...uses, windowOf(tiles, model)] };
  }

  update({ tiles }) {
    const binding = tiles?.binds ?? null;
    say(this.words, binding ? t(`binds.${binding}_short`) : DASH);
    say(this.unit, binding ? joined(percent(tiles.use[binding], 0)) : "");
    this.el.classList.toggle("is-before", Boolean(tiles?.before));
    for (const { name, fill, el } of this.bars) {
      const share = tiles?.use?.[name] ?? null;
      shown(el, tiles === null ? USUAL.has(name) : share !== null);
      style(fill, "height", `${Math.max(0, Math.min(1, share ?? 0)) * 100}%`);
      attr(el, "data-full", share !== null && share > 0.9);
      attr(el, "data-binds", name === binding);
    }
  }
}
