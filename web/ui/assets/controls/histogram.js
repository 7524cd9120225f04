/** Seven bars of hit rates that are dragged up and down; together they are always 100 %. */

import { attr, h, say, shown, style } from "../dom.js";
import { joined, percent } from "../format.js";
import { t } from "../texts.js";

/** Edges of the buckets of hit rates. */
export const EDGES = [0, 0.9, 0.95, 0.96, 0.97, 0.98, 0.99, 1];
const NAMES = ["<90", "90–95", "95–96", "96–97", "97–98", "98–99", ">99"];
const KEYS = { ArrowUp: 0.01, ArrowRight: 0.01, ArrowDown: -0.01, ArrowLeft: -0.01, PageUp: 0.1, PageDown: -0.1 };

/**
 * One share set, the others scaled in proportion; the sum is 1 to the last digit kept.
 * @param {number[]} shares
 * @param {number} index
 * @param {number} value
 */
export function withShare(shares, index, value) {
  const set = Math.min(1, Math.max(0, value));
  const others = shares.reduce((sum, share, i) => (i === index ? sum : sum + share), 0);
  const next = shares.map((share, i) => {
    if (i === index) return set;
    return others > 0 ? (share / others) * (1 - set) : (1 - set) / (shares.length - 1);
  });
  return wholeSum(next.map((share) => Math.round(share * 1e5)), index);
}

/** Integers in 1e-5 to shares; what rounding took or gave goes to the largest other one. */
function wholeSum(units, index) {
  const missing = 1e5 - units.reduce((sum, unit) => sum + unit, 0);
  const others = units.map((unit, i) => (i === index ? -1 : unit));
  units[others.indexOf(Math.max(...others))] += missing;
  return units.map((unit) => unit / 1e5);
}

/** Mean hit rate of later turns, and of all turns with first turns among them. */
export function meanHits(shares, { turns_per_session: turns, first_turn_hit_max: firstMax }) {
  const later = shares.reduce((sum, share, i) => sum + share * ((EDGES[i] + EDGES[i + 1]) / 2), 0);
  const first = 1 / turns;
  return { later, all: later * (1 - first) + (firstMax / 2) * first };
}

/** Shares of all turns in the buckets: later turns, and first turns uniform up to their most. */
export function allShares(shares, { turns_per_session: turns, first_turn_hit_max: firstMax }) {
  const first = 1 / turns;
  return shares.map((share, i) => {
    const [low, high] = [EDGES[i], EDGES[i + 1]];
    const part = firstMax > 0 ? Math.max(0, Math.min(high, firstMax) - low) / firstMax : i ? 0 : 1;
    return share * (1 - first) + part * first;
  });
}

export class Histogram {
  /**
   * @param {{turn: (shares: number[], from: Object) => void, begin: () => void, rates: Array, tooltip: any, help: () => any}} options
   */
  constructor({ turn, begin, rates, tooltip, help }) {
    Object.assign(this, { turn, begin, dragging: false, shares: null, top: 0.3 });
    this.bars = NAMES.map((name, i) => this.bar(name, i));
    this.mean = h("span", { class: "histogram-mean", tabindex: 0 });
    tooltip.help(this.mean, () => ({ title: t("histogram.mean_title"), lines: [t("histogram.mean_help")] }));
    this.note = h("p", { class: "refused", role: "alert", hidden: true });
    this.rates = h("select", { class: "quiet-select", "aria-label": t("histogram.start_from") },
      h("option", { value: "" }, t("histogram.start_from")), rates.map((rate, i) => h("option", { value: i }, rate.name.replaceAll("_", " "))));
    this.rates.addEventListener("change", () => this.choose(rates));
    const title = h("span", { class: "label" }, t("histogram.title"));
    tooltip.help(title, help);
    title.tabIndex = 0;
    this.el = h("div", { class: "histogram" },
      h("div", { class: "control-head" }, title, this.rates),
      h("div", { class: "bars-stage", role: "group", "aria-label": t("histogram.title") }, this.bars.map(({ el }) => el)),
      this.mean, this.note);
  }

  bar(name, i) {
    const value = h("span", { class: "hbar-value" });
    const fill = h("span", { class: "hbar-fill" });
    const all = h("span", { class: "hbar-all" });
    const handle = h("div", {
      class: "hbar-handle", role: "slider", tabindex: 0, "aria-orientation": "vertical",
      "aria-valuemin": 0, "aria-valuemax": 100, "aria-label": t("histogram.bar", { name }),
    }, all, fill, value);
    handle.addEventListener("pointerdown", (event) => this.grab(event, i));
    handle.addEventListener("keydown", (event) => this.press(event, i));
    return { el: h("div", { class: "hbar" }, handle, h("span", { class: "hbar-name", "aria-hidden": "true" }, name)), value, fill, all, handle };
  }

  /** Show shares that came from elsewhere. */
  show(shares, workload) {
    this.workload = workload;
    if (this.dragging || !shares) return;
    this.put(shares);
  }

  put(shares) {
    this.shares = shares;
    const most = Math.max(...shares);
    const fitting = Math.min(1, Math.max(0.3, Math.ceil(most * 20 + 0.5) / 20));
    if (most > this.top * 0.97 || !this.dragging) this.top = fitting;
    const all = allShares(shares, this.workload);
    this.bars.forEach((bar, i) => {
      style(bar.fill, "height", `${(shares[i] / this.top) * 100}%`);
      style(bar.value, "bottom", `${(shares[i] / this.top) * 100}%`);
      style(bar.all, "height", `${Math.min(1, all[i] / this.top) * 100}%`);
      const text = (shares[i] * 100).toFixed(shares[i] < 0.0995 ? 1 : 0);
      say(bar.value, text);
      attr(bar.handle, "aria-valuenow", (shares[i] * 100).toFixed(1));
      attr(bar.handle, "aria-valuetext", `${text} %`);
    });
    const { later, all: mean } = meanHits(shares, this.workload);
    say(this.mean, t("histogram.mean", { all: joined(percent(mean)), later: joined(percent(later)) }));
  }

  grab(event, i) {
    if (event.button) return;
    event.preventDefault();
    const { handle } = this.bars[i];
    handle.focus({ preventScroll: true });
    handle.setPointerCapture(event.pointerId);
    this.dragging = true;
    this.begin();
    const height = handle.getBoundingClientRect().height;
    let [lastY, share] = [event.clientY, this.shares[i]];
    const start = this.shares;
    const follow = (moved) => {
      share += ((lastY - moved.clientY) / height) * this.top;
      lastY = moved.clientY;
      this.to(withShare(start, i, share), moved.timeStamp, false);
    };
    const release = () => {
      this.dragging = false;
      handle.removeEventListener("pointermove", follow);
      handle.removeEventListener("pointerup", release);
      handle.removeEventListener("pointercancel", release);
    };
    handle.addEventListener("pointermove", follow);
    handle.addEventListener("pointerup", release);
    handle.addEventListener("pointercancel", release);
  }

  press(event, i) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    let share = null;
    if (event.key === "Home") share = 0;
    else if (event.key === "End") share = 1;
    else if (event.key in KEYS) share = this.shares[i] + KEYS[event.key] * (event.shiftKey ? 5 : 1);
    if (share === null) return;
    event.preventDefault();
    this.to(withShare(this.shares, i, share), event.timeStamp, true);
  }

  choose(rates) {
    const rate = rates[Number(this.rates.value)];
    if (this.rates.value !== "" && rate) {
      this.begin();
      this.to(rate.shares, performance.now(), false);
    }
    this.rates.value = "";
  }

  to(shares, at, key) {
    this.put(shares);
    this.turn(shares, { at, key });
  }

  refuse(sentence) {
    say(this.note, sentence);
    shown(this.note, true);
  }

  forgive() {
    shown(this.note, false);
  }
}
