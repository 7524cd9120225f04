/** All settings that one turns by hand, for the pane that is turned now. */

import { attr, h, say, shown } from "../dom.js";
import { joined, percent, plain, seconds } from "../format.js";
import { hasText, t } from "../texts.js";
import { findSetting } from "../data/address.js";
import { ChipRow, CostBar, costOf, POOLS, poolCost } from "./chips.js";
import { Failures } from "./failures.js";
import { Histogram } from "./histogram.js";
import { Slider } from "./slider.js";
import { Choice, Switch } from "./switches.js";

const SHARES = "workload.hit_shares";

const count = (value) => [plain(value), ""];
const perSecond = (value) => [plain(value), t("units.per_second")];
const gbps = (value) => (value === null ? [t("map.unlimited"), ""] : [plain(value), "Gbps"]);
const ms = (value) => [plain(value), "ms"];
const tokens = (value) => [plain(value), t("units.tokens")];
const threshold = (value) => (value === null ? [t("map.unlimited"), ""] : tokens(value));
const times = (value) => [plain(value), t("units.chips_a")];

const SLIDERS = {
  "workload.clients": { scale: { low: 10, high: 400, step: 1 }, read: count },
  "workload.rate_rps": { scale: { low: 0.1, high: 20, log: true }, read: perSecond },
  "workload.output_tokens_mean": { scale: { low: 50, high: 8000, log: true }, read: tokens },
  "line.bandwidth_gbps": { scale: { low: 1, high: 400, log: true }, read: gbps, role: "line" },
  "line.rtt_ms": { scale: { low: 0, high: 200, step: 1 }, read: ms, role: "line" },
  "policy.selective_threshold_tokens": { scale: { low: 1000, high: 128000, log: true }, read: threshold },
  "policy.relay_threshold_s": { scale: { low: 0.05, high: 20, log: true }, read: seconds },
  "slo.total_s": { scale: { low: 5, high: 120, step: 1 }, read: seconds },
  "prices.line": { scale: { low: 0, high: 20, step: 0.05 }, read: times },
};

const SWITCHES = [
  "caches.drc_enabled", "policy.singular_filter", "policy.p_rld", "policy.load_gate",
  "policy.in_flight_deduplication", "policy.cancel_finished_transfer", "policy.drc_held_aligned", "policy.selective_prefill",
  "policy.layerwise_transfer",
];

/** Controls that only some deployments have, and what tells that one has them. */
const ONLY = {
  [SHARES]: ({ workload }) => workload.turns_per_session !== 1 || workload.first_turn_hit_max > 0,
  "workload.clients": ({ workload }) => workload.arrivals !== "poisson",
  "workload.rate_rps": ({ workload }) => workload.arrivals === "poisson",
  "policy.relay_threshold_s": (scenario) => Boolean(scenario.relay_decode),
  "policy.selective_prefill": (scenario) => Boolean(scenario.prefill_b),
  "policy.layerwise_transfer": (scenario) => Boolean(scenario.prefill_b),
  "policy.selective_threshold_tokens": (scenario) => Boolean(scenario.prefill_b),
};

const HANDOFF = "policy.handoff_mode";

export class Panel {
  /**
   * @param {{pane: () => any, settings: Map<string, any>, tooltip: any, rates: Array, assumed: (path: string) => boolean, source: (path: string) => string|null}} ctx
   */
  constructor(ctx) {
    Object.assign(this, ctx);
    this.controls = new Map();
    this.histogram = new Histogram({
      ...this.hands(SHARES), rates: this.rates, tooltip: this.tooltip, help: () => this.help(SHARES),
    });
    this.controls.set(SHARES, this.histogram);
    this.rows = POOLS.map((pool) => this.chips(pool));
    this.cost = new CostBar();
    this.tooltip.help(this.cost.el, () => ({ title: t("chips.cost_title"), lines: [t("chips.cost_help")] }));
    const mix = h("h3", { class: "control-title", tabindex: 0 }, t("panel.chips"));
    this.tooltip.help(mix, () => ({ title: t("panel.chips"), lines: [t("chips.help")] }));
    this.failures = new Failures({ happen: (what, more) => this.pane().turns.happen(what, more), tooltip: this.tooltip });
    this.tabs = this.tabbed([["policy", this.policy()], ["break", this.failures.el], ["prices", this.prices()]]);
    this.el = h("aside", { class: "panel is-waiting", "aria-label": t("panel.label") },
      section("traffic", this.histogram.el, pair(this.slider("workload.clients"), this.slider("workload.rate_rps"), this.slider("workload.output_tokens_mean"))),
      section("line", pair(this.slider("line.bandwidth_gbps"), this.slider("line.rtt_ms"))),
      section("chips", mix, this.rows.map((row) => row.el), this.cost.el),
      this.tabs.el);
    this.lineSection = this.el.querySelector(".panel-line");
  }

  /** What every control needs: where its values go, and how it hears that they were refused. */
  hands(path) {
    const control = {
      refused: (sentence) => {
        const one = this.controls.get(path);
        one.dragging = false;
        one.refuse(sentence);
        this.showOne(path);
      },
      accepted: () => this.controls.get(path).forgive(),
    };
    return {
      turn: (value, from) => this.pane().turns.turn(path, value, { ...from, control }),
      begin: () => this.pane().turns.begin(),
    };
  }

  slider(path, label = t(`settings.${path.replaceAll(".", "_")}`), given = SLIDERS[path]) {
    const mark = this.mark(path);
    const slider = new Slider({ label, ...given, ...this.hands(path), mark });
    this.controls.set(path, slider);
    this.explained(slider.el.querySelector(".label"), path, label);
    return slider;
  }

  chips(pool) {
    const path = `${pool.name}.instances`;
    const row = new ChipRow({ pool, ...this.hands(path), mark: this.mark(path) });
    this.controls.set(path, row);
    this.explained(row.el.querySelector(".chip-name"), path, t("chips.instances", { pool: pool.label }));
    return row;
  }

  policy() {
    const switches = SWITCHES.map((path) => {
      const label = t(`settings.${path.replaceAll(".", "_")}`);
      const one = new Switch({ label, ...this.hands(path), mark: this.mark(path) });
      this.controls.set(path, one);
      this.explained(one.button, path, label);
      return one.el;
    });
    const modes = ["auto", "one_shot", "catch_up"].map((mode) => [mode, t(`handoff.${mode}`)]);
    const mode = new Choice({ label: t("settings.policy_handoff_mode"), choices: modes, ...this.hands(HANDOFF), mark: this.mark(HANDOFF) });
    for (const { value, el } of mode.buttons) this.tooltip.help(el, () => ({ title: t(`handoff.${value}`), lines: [t(`handoff_help.${value}`)] }));
    this.controls.set(HANDOFF, mode);
    this.explained(mode.el.querySelector(".label"), HANDOFF, t("settings.policy_handoff_mode"));
    return h("div", { class: "policy" }, h("div", { class: "switches" }, switches), mode.el,
      this.slider("policy.relay_threshold_s").el, this.slider("policy.selective_threshold_tokens").el);
  }

  prices() {
    this.chipPrices = h("div", { class: "price-sliders" });
    this.priceNames = "";
    this.verdict = h("p", { class: "hint verdict" });
    return h("div", { class: "prices" }, this.chipPrices, this.slider("prices.line").el, this.slider("slo.total_s").el, this.verdict);
  }

  /** A slider for the price of each kind of chip but A, whose price is the unit. */
  showPrices(scenario) {
    const names = [...new Set(POOLS.map(({ name }) => scenario[name]?.chip.name).filter(Boolean))].filter((name) => name !== "A");
    if (names.join() !== this.priceNames) {
      this.priceNames = names.join();
      const sliders = names.map((name) => this.slider(`prices.chips.${name}`, t("settings.prices_chip", { name }), { scale: { low: 0.1, high: 3, step: 0.01 }, read: times }));
      this.chipPrices.replaceChildren(...sliders.map((slider) => slider.el));
    }
    say(this.verdict, verdict(scenario, this.pane().model.baseline, names));
  }

  tabbed(list) {
    const tabs = list.map(([name, body]) => ({
      name, body: h("div", { class: "tab-body", role: "tabpanel", id: `pdd-tab-${name}`, "aria-labelledby": `pdd-tabname-${name}` }, body),
      el: h("button", { class: "tab", type: "button", role: "tab", id: `pdd-tabname-${name}`, "aria-controls": `pdd-tab-${name}` }, t(`panel.${name}`)),
    }));
    const open = (name) => tabs.forEach((tab) => {
      attr(tab.el, "aria-selected", String(tab.name === name));
      attr(tab.el, "tabindex", tab.name === name ? 0 : -1);
      shown(tab.body, tab.name === name);
    });
    tabs.forEach((tab, i) => {
      tab.el.addEventListener("click", () => open(tab.name));
      tab.el.addEventListener("keydown", (event) => {
        const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
        if (!step) return;
        event.preventDefault();
        const next = tabs[(i + step + tabs.length) % tabs.length];
        open(next.name);
        next.el.focus();
      });
    });
    open(list[0][0]);
    return { open, el: h("section", { class: "card panel-tabs" }, h("div", { class: "tab-names", role: "tablist" }, tabs.map(({ el }) => el)), tabs.map(({ body }) => body)) };
  }

  // --- explanations

  mark(path) {
    const mark = h("span", { class: "assumed", hidden: true, "aria-label": t("assumed.mark") }, "≈");
    (this.marks ??= []).push([path, mark]);
    return mark;
  }

  explained(el, path, label) {
    this.tooltip.help(el, () => this.help(path, label));
  }

  /** The sentence of the settings table, the bounds, and where the value comes from. */
  help(path, label = t(`settings.${path.replaceAll(".", "_")}`)) {
    const setting = findSetting(this.settings, path);
    const key = `settings_help.${path.replaceAll(".", "_")}`;
    const lines = [setting?.doc, hasText(key) ? t(key) : null, path];
    const source = this.source(path);
    lines.push(this.assumed(path) ? assumedWords(source) : source && t("assumed.source", { source }));
    return { title: label, lines: lines.filter(Boolean) };
  }

  // --- what the model says

  update() {
    const { scenario, baseline } = this.pane().model;
    if (!scenario) return;
    this.el.classList.remove("is-waiting");
    this.showPrices(scenario);
    for (const path of this.controls.keys()) this.showOne(path);
    shown(this.lineSection, Boolean(scenario.line));
    for (const [path, has] of Object.entries(ONLY)) shown(this.controls.get(path).el, has(scenario));
    this.cost.show(scenario, baseline);
    for (const [path, mark] of this.marks) shown(mark, this.assumed(path));
  }

  showOne(path) {
    const { model, turns } = this.pane();
    const control = this.controls.get(path);
    if (!model.scenario || turns.busy(path)) return;
    if (path === SHARES) control.show(model.setting(path), model.scenario.workload);
    else if (path.endsWith(".instances")) control.show(model.scenario);
    else control.show(this.value(model, path));
  }

  /** A value; that of the settings table where a scenario leaves an unchanged one out. */
  value(model, path) {
    const told = model.setting(path);
    return told === undefined && ONLY[path]?.(model.scenario) ? this.settings.get(path)?.default : told;
  }

  frame(frame) {
    this.failures.show(frame);
  }
}

/** That a value is assumed, with what its scenario says about that. */
function assumedWords(source) {
  const why = /^assumed:?\s*(.*)$/s.exec(source ?? "")?.[1];
  return why ? t("assumed.because", { why }) : t("assumed.plain");
}

/** What the deployment costs against the baseline, and the price of B at which both cost the same. */
function verdict(scenario, baseline, names) {
  if (!baseline) return "";
  const [cost, usual] = [costOf(scenario), costOf(baseline)];
  const words = [t(cost < usual ? "prices.below" : "prices.above", { cost: plain(cost), usual: plain(usual), off: joined(percent(Math.abs(cost / usual - 1))) })];
  const name = names[0];
  if (name) {
    const pools = POOLS.map((pool) => scenario[pool.name]).filter((pool) => pool?.chip.name === name);
    const chips = pools.reduce((sum, pool) => sum + pool.instances * pool.chips_per_instance, 0);
    const others = cost - pools.reduce((sum, pool) => sum + poolCost(pool, scenario.prices), 0);
    const even = (usual - others) / chips;
    if (even > 0) words.push(t("prices.even", { name, price: even.toFixed(3) }));
  }
  return words.join(" ");
}

function section(name, ...children) {
  return h("section", { class: `card panel-${name}`, id: `pdd-${name}` }, children);
}

function pair(...sliders) {
  return h("div", { class: "pair" }, sliders.map((slider) => slider.el));
}
