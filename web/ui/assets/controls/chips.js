/** The chip mix: a row of instances for each pool, made longer or shorter by dragging its end. */

import { attr, h, say, shown } from "../dom.js";
import { plain } from "../format.js";
import { t } from "../texts.js";

export const POOLS = [
  { name: "prefill", label: "P", role: "p", least: 10 },
  { name: "relay_decode", label: "RLD", role: "rld", least: 5 },
  { name: "prefill_b", label: "P in B", role: "p", least: 5 },
  { name: "main_decode", label: "MD", role: "md", least: 10 },
];

/** Before the name of a chip of the catalogue; the whole name is told to who points at the row. */
const VENDOR = /^(nvidia|amd|huawei|google|intel|moore-threads|cambricon)-/;

const KEYS = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: 5, PageDown: -5 };

/** Cost of a pool in chips A. */
export function poolCost(pool, prices) {
  return pool.instances * pool.chips_per_instance * (prices.chips[pool.chip.name] ?? NaN);
}

/** Cost of a deployment in chips A: its chips and its line. */
export function costOf(scenario) {
  const pools = POOLS.map(({ name }) => scenario[name]).filter(Boolean);
  const chips = pools.reduce((sum, pool) => sum + poolCost(pool, scenario.prices), 0);
  return chips + (scenario.line ? scenario.prices.line : 0);
}

/** One pool's row. */
export class ChipRow {
  /** @param {{pool: Object, turn: Function, begin: () => void, mark: Node}} options */
  constructor({ pool, turn, begin, mark }) {
    Object.assign(this, { pool, turn, begin, dragging: false, count: null, most: pool.least });
    this.detail = h("span", { class: "chip-detail" });
    this.blocks = h("span", { class: "chip-blocks" });
    this.handle = h("div", {
      class: "chip-track", role: "slider", tabindex: 0, "aria-valuemin": 1, "aria-valuemax": this.most,
      "aria-label": t("chips.instances", { pool: pool.label }), "aria-orientation": "horizontal",
    }, this.blocks);
    this.note = h("p", { class: "refused", role: "alert", hidden: true });
    this.el = h("div", { class: `chip-row of-${pool.role}` },
      h("span", { class: "chip-name" }, pool.label, mark), this.handle, this.detail, this.note);
    this.handle.addEventListener("pointerdown", (event) => this.grab(event));
    this.handle.addEventListener("keydown", (event) => this.press(event));
  }

  show(scenario) {
    const described = scenario[this.pool.name];
    shown(this.el, Boolean(described));
    if (!described || this.dragging) return;
    this.described = described;
    this.prices = scenario.prices;
    this.most = Math.min(512, Math.max(this.pool.least, this.most, described.instances + 2));
    attr(this.handle, "aria-valuemax", this.most);
    this.put(described.instances);
  }

  put(count) {
    this.count = count;
    if (this.blocks.childElementCount !== this.most) {
      this.blocks.replaceChildren(...Array.from({ length: this.most }, () => h("i", { class: "chip-block" })));
    }
    [...this.blocks.children].forEach((block, i) => {
      attr(block, "data-on", i < count);
      attr(block, "data-end", i === count - 1);
    });
    const { chips_per_instance: each, chip } = this.described;
    const cost = plain(poolCost({ ...this.described, instances: count }, this.prices));
    say(this.detail, t("chips.detail", { count, each, chip: chip.name.replace(VENDOR, "") }));
    attr(this.handle, "aria-valuenow", count);
    attr(this.handle, "aria-valuetext", t("chips.spoken", { count, each, chip: chip.name, cost }));
  }

  grab(event) {
    if (event.button) return;
    event.preventDefault();
    this.handle.focus({ preventScroll: true });
    this.handle.setPointerCapture(event.pointerId);
    this.dragging = true;
    this.begin();
    const box = this.blocks.getBoundingClientRect();
    const follow = (moved) => {
      const share = (moved.clientX - box.left) / box.width;
      this.to(Math.round(share * this.most + 0.2), moved.timeStamp, false);
    };
    const release = () => {
      this.dragging = false;
      this.handle.removeEventListener("pointermove", follow);
      this.handle.removeEventListener("pointerup", release);
      this.handle.removeEventListener("pointercancel", release);
    };
    this.handle.addEventListener("pointermove", follow);
    this.handle.addEventListener("pointerup", release);
    this.handle.addEventListener("pointercancel", release);
    follow(event);
  }

  press(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    let count = null;
    if (event.key === "Home") count = 1;
    else if (event.key === "End") count = this.most;
    else if (event.key in KEYS) count = this.count + KEYS[event.key];
    if (count === null) return;
    event.preventDefault();
    this.to(count, event.timeStamp, true);
  }

  to(asked, at, key) {
    const count = Math.min(this.most, Math.max(1, asked));
    if (count === this.count) return;
    this.put(count);
    this.turn(count, { at, key });
  }

  refuse(sentence) {
    say(this.note, sentence);
    shown(this.note, true);
  }

  forgive() {
    shown(this.note, false);
  }
}

/** What the mix costs, as a bar of its parts and a sentence against the baseline. */
export class CostBar {
  constructor() {
    this.parts = [...POOLS, { name: "line", label: t("chips.line"), role: "line" }].map((part) => ({ ...part, el: h("i", { class: `cost-part of-${part.role}` }) }));
    this.words = h("span", { class: "cost-words" });
    this.bar = h("span", { class: "cost-bar", "aria-hidden": "true" }, this.parts.map(({ el }) => el));
    this.el = h("div", { class: "cost" }, this.bar, this.words);
  }

  show(scenario, baseline) {
    const costs = this.parts.map(({ name }) => {
      if (name === "line") return scenario.line ? scenario.prices.line : 0;
      return scenario[name] ? poolCost(scenario[name], scenario.prices) : 0;
    });
    const whole = costOf(scenario);
    const usual = baseline ? costOf(baseline) : null;
    const scale = Math.max(whole, usual ?? 0);
    this.parts.forEach(({ el }, i) => {
      el.style.width = `${(costs[i] / scale) * 100}%`;
    });
    const off = usual ? (whole / usual - 1) * 100 : null;
    const sign = off < 0 ? "−" : "+";
    say(this.words, off === null
      ? t("chips.cost", { cost: plain(whole) })
      : t("chips.cost_against", { cost: plain(whole), usual: plain(usual), off: `${sign}${Math.abs(off).toFixed(1)} %` }));
  }
}
