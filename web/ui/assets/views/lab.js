/** The page on which a twin is turned: panes, controls, numbers, map and courses, wired together. */

import { attr, calm, h, say, shown, types } from "../dom.js";
import { clock, joined, percent, seconds } from "../format.js";
import { Charts } from "../charts/charts.js";
import { isBroken } from "../controls/failures.js";
import { Panel } from "../controls/panel.js";
import { Catalog } from "../data/catalog.js";
import { Loop } from "../loop.js";
import { Meter } from "../meter.js";
import { Banner } from "../parts/banner.js";
import { button } from "../parts/button.js";
import { Comparison, windowsOf } from "../parts/comparison.js";
import { helpDialog } from "../parts/help.js";
import { Presets } from "../parts/presets.js";
import { Scrubber } from "../parts/scrubber.js";
import { Share } from "../parts/share.js";
import { Tiles, windowOf } from "../parts/tiles.js";
import { TokenDialog } from "../parts/token.js";
import { Tooltip } from "../parts/tooltip.js";
import { TraceDialog } from "../parts/trace.js";
import { Transport } from "../parts/transport.js";
import { t } from "../texts.js";
import { Panes } from "./panes.js";

const SPOKEN_EVERY_MS = 5000;

/** After the last change of a drag the presets are compared with what the twin is now. */
const SETTLED_MS = 200;

/** @param {{root: HTMLElement, api: any, data: any, at: Function}} options */
export async function view(options) {
  const lab = new Lab(options);
  lab.open();
  return lab;
}

class Lab {
  constructor({ root, api, data, at }) {
    Object.assign(this, { root, api, data });
    this.loop = new Loop();
    this.meter = new Meter(this.loop);
    this.tooltip = new Tooltip(root);
    this.banner = new Banner();
    this.catalog = new Catalog(api);
    this.panes = new Panes({ api, meter: this.meter, loop: this.loop, tooltip: this.tooltip, banner: this.banner, catalog: this.catalog, version: data.version, changed: (what) => this.changed(what), unauthorized: (sentence) => this.token.open(sentence) });
    const panes = () => this.panes.all;
    this.transport = new Transport({ panes, active: () => this.panes.active, tooltip: this.tooltip, paced: (pace) => (this.panes.pace = pace) });
    this.scrubber = new Scrubber({ model: () => this.panes.active.model, tooltip: this.tooltip, rewind: (to) => this.panes.rewind(to) });
    this.presets = new Presets({
      catalog: this.catalog, tooltip: this.tooltip, pane: () => this.panes.active,
      turn: (values) => this.panes.turn(values), start: (name) => this.panes.start(name), reset: () => this.panes.reset(),
    });
    this.share = new Share({ api, model: () => this.panes.active.model, panes, tooltip: this.tooltip, banner: this.banner, link: () => this.panes.place.link() });
    this.tiles = new Tiles({ panes, tooltip: this.tooltip, assumed: (path) => this.panes.place.assumed(path) });
    this.comparison = new Comparison({ panes, tooltip: this.tooltip });
    this.charts = new Charts({ panes, loop: this.loop, meter: this.meter, url: at("plotly.min.js"), failed: (error) => this.banner.show("charts", error.message) });
    this.trace = new TraceDialog({ root, api, model: () => this.panes.active.model });
    this.token = new TokenDialog({ root, api, sessions: () => this.panes.all.map((pane) => pane.session) });
    this.help = helpDialog(root);
    this.window = h("p", { class: "window-words" });
    this.spoken = h("p", { class: "unseen", "aria-live": "polite" });
    this.keys = (event) => this.key(event);
    window.addEventListener("keydown", this.keys);
  }

  async open() {
    this.root.append(this.toolbar(), this.presets.el, this.banner.el, this.main());
    try {
      await this.catalog.open();
    } catch (error) {
      this.banner.show("catalog", error.message, { lasting: true, action: { label: t("banner.retry"), run: () => window.location.reload() } });
      return;
    }
    if (this.gone) return;
    this.panel = new Panel({
      pane: () => this.panes.active, settings: this.catalog.settings, tooltip: this.tooltip, rates: this.data.hit_rates,
      assumed: (path) => this.panes.place.assumed(path), source: (path) => this.panes.place.source(path),
    });
    this.rail.append(this.panel.el);
    const wish = await this.panes.open(window.location.search);
    await Promise.allSettled(this.presets.buttons.map(({ name }) => this.catalog.scenario(name)));
    if (this.gone) return;
    this.changed("scenario");
    this.point(wish);
  }

  toolbar() {
    const tooltip = this.tooltip;
    this.undo = button({ name: "undo", label: t("toolbar.undo"), help: t("toolbar.undo_help"), press: () => this.panes.active?.turns.undo(), tooltip });
    this.redo = button({ name: "redo", label: t("toolbar.redo"), press: () => this.panes.active?.turns.redo(), tooltip });
    const rewind = button({ name: "back", label: t("toolbar.rewind"), help: t("toolbar.rewind_help"), press: () => this.panes.rewindBy(600), tooltip });
    this.forkButton = button({ name: "fork", label: t("toolbar.fork"), help: t("toolbar.fork_help"), words: true, press: () => this.panes.fork(), tooltip });
    const trace = button({ name: "trace", label: t("toolbar.trace"), help: t("toolbar.trace_help"), press: () => this.trace.open(), tooltip });
    const help = button({ name: "help", label: t("toolbar.help"), press: () => this.help.open(), tooltip });
    this.switcher = h("div", { class: "switcher", hidden: true });
    return h("div", { class: "toolbar", role: "toolbar", "aria-label": t("toolbar.label") },
      this.transport.el, h("div", { class: "past" }, rewind, this.scrubber.el),
      h("div", { class: "tools" }, this.undo, this.redo, this.switcher, this.forkButton, trace, this.share.el, help));
  }

  main() {
    this.rail = h("div", { class: "rail" });
    this.maps = h("div", { class: "maps" });
    this.panes.stage = this.maps;
    return h("div", { class: "lab" }, this.rail, h("div", { class: "stage" }, this.tiles.el, this.comparison.el, this.window, this.maps, this.charts.el), this.spoken);
  }

  // --- what has changed: frame, tiles, courses, forecast, scenario, pace, log, panes

  changed(what) {
    const draw = DRAWERS[what];
    if (draw && this.panel) this.loop.soon(what, () => this.panes.all.length && draw(this));
  }

  speak() {
    const { tiles } = this.panes.active.model;
    if (!tiles || performance.now() - (this.spokenAt ?? 0) < SPOKEN_EVERY_MS) return;
    this.spokenAt = performance.now();
    const use = (name) => joined(percent(tiles.use?.[name] ?? null, 0));
    say(this.spoken, t("spoken", { ttft: joined(seconds(tiles.ttft_p50_s)), rld: use("relay"), line: use("line"), relayed: joined(percent(tiles.rld_token_share)), binds: tiles.binds ? t(`binds.${tiles.binds}`) : "" }));
  }

  showPanes() {
    const { all, active } = this.panes;
    attr(this.root, "data-panes", all.length);
    shown(this.forkButton, all.length === 1);
    shown(this.switcher, all.length > 1);
    if (all.length < 2) return;
    this.switcher.replaceChildren(h("span", { class: "label" }, t("panes.turning")), ...all.map((pane) => h("button", {
      class: `choice badge-${pane.name}`, type: "button", "aria-pressed": String(pane === active), onclick: () => this.panes.activate(pane),
    }, t(`panes.${pane.name}`))));
  }

  // --- keys and links

  key(event) {
    if (types(event.target) || this.root.querySelector("dialog[open]")) return;
    const control = event.ctrlKey || event.metaKey;
    const act = control ? { z: () => this.panes.active.turns[event.shiftKey ? "redo" : "undo"](), y: () => this.panes.active.turns.redo() }[event.key.toLowerCase()]
      : event.altKey ? null
        : { "?": () => this.help.open(), f: () => this.panes.fork(), " ": () => this.transport.toggle() }[event.key];
    if (!act || (event.key === " " && event.target.closest?.("button, a, summary"))) return;
    event.preventDefault();
    act();
  }

  /** Lead the eye to what a link is about. */
  point(wish) {
    if (wish?.preset) this.presets.apply(wish.preset);
    if (!wish?.focus) return;
    if (wish.focus === "prices" || wish.focus === "break") this.panel.tabs.open(wish.focus);
    const el = this.root.querySelector({ prices: ".panel-tabs", break: ".panel-tabs", presets: ".presets" }[wish.focus] ?? `#pdd-${CSS.escape(wish.focus)}`);
    if (!el) return;
    el.classList.add("is-pointed");
    if (window.innerWidth < 900) el.scrollIntoView({ block: "center", behavior: calm() ? "auto" : "smooth" });
    setTimeout(() => el.classList.remove("is-pointed"), 3500);
  }

  restyle() {
    this.panes.restyle();
    this.charts.restyle();
  }

  dispose() {
    this.gone = true;
    window.removeEventListener("keydown", this.keys);
    clearTimeout(this.settling);
    this.panes.dispose();
    this.charts.dispose();
    this.tooltip.dispose();
    this.loop.stop();
  }
}

const DRAWERS = {
  frame(lab) {
    lab.transport.frame();
    for (const { heading, model } of lab.panes.all) say(heading.time, clock(model.t));
    const { frame } = lab.panes.active.model;
    if (frame) lab.panel.frame(frame);
    if (lab.wasBroken === isBroken(frame)) return;
    lab.wasBroken = isBroken(frame);
    lab.presets.update();
  },
  tiles(lab) {
    const { all } = lab.panes;
    lab.scrubber.update();
    lab.tiles.update();
    lab.comparison.update();
    say(lab.window, all.length > 1 ? windowsOf(all) : windowOf(all[0].model.tiles, all[0].model));
    lab.speak();
  },
  courses(lab) {
    lab.charts.more();
  },
  forecast(lab) {
    lab.tiles.update();
    lab.charts.ahead(lab.panes.all[0].model.forecast ?? { entry: -1 });
  },
  scenario(lab) {
    lab.panel.update();
    lab.charts.more();
    lab.panes.place.write();
    clearTimeout(lab.settling);
    lab.settling = setTimeout(() => lab.presets.update(), SETTLED_MS);
  },
  pace(lab) {
    lab.transport.update();
    lab.panes.place.write();
  },
  undo(lab) {
    const { turns } = lab.panes.active;
    attr(lab.undo, "disabled", !turns.done.length);
    attr(lab.redo, "disabled", !turns.undone.length);
  },
  panes(lab) {
    lab.showPanes();
    lab.charts.fit();
    lab.charts.known = -1; // another twin counts its entries anew
    for (const what of ["tiles", "scenario", "pace", "undo", "frame"]) DRAWERS[what](lab);
  },
};
