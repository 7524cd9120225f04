/** The one or two twins of the lab: opened as an address asks, forked, rewound, reset, written down. */

import { h, say } from "../dom.js";
import { clock } from "../format.js";
import { readAddress } from "../data/address.js";
import { leave, Pane, takeOver } from "../pane.js";
import { button } from "../parts/button.js";
import { t } from "../texts.js";
import { TwinMap } from "../topology/map.js";
import { watchConnection } from "./connection.js";
import { forget, Place, recall, USUAL } from "./place.js";

/** Simulated seconds after which a forecast is old, and least time between two asked for (ms). */
const FRESH_S = 60;
const ASK_MS = 4000;

/** Simulated seconds that a new twin has behind it before it is shown. */
const WARM_S = 3600;

/** What a shipped scenario is measured against: a deployment on one site that serves the same model. */
const BASELINES = [[/^prfaas_/, "prfaas_homogeneous"], [/^/, "same_dc_88a"]];

const baselineOf = (name) => BASELINES.find(([family]) => family.test(name ?? ""))[1];

export class Panes {
  constructor(ctx) {
    Object.assign(this, ctx);
    this.place = new Place(this);
    /** @type {Pane[]} */
    this.all = [];
    this.active = null;
    /** The pace that the visitor chose, for every twin that is shown from then on. */
    this.pace = null;
    /** What is being prepared to take the place of a twin; whatever is done meanwhile ends it. */
    this.starting = null;
  }

  // --- opening

  /** Open what an address asks for; returns the wish. */
  async open(query) {
    const wish = readAddress(query, this.catalog.settings);
    this.pace = wish.pace;
    if (wish.unknown.length) this.banner.show("link-unknown", t("errors.unknown_settings", { names: wish.unknown.join(", ") }));
    const known = recall(query);
    if (known) this.add("A", known.twin, () => this.fresh(wish));
    else await this.fresh(wish);
    if (known?.beside) this.beside(known.beside);
    return wish;
  }

  /** A twin as the address describes it: the shared one, turned, or a new one. */
  async fresh(wish) {
    const isUsual = (wish.scenario ?? USUAL.scenario) === USUAL.scenario && (wish.seed ?? USUAL.seed) === USUAL.seed;
    if (!isUsual) return this.create({ scenario: wish.scenario ?? USUAL.scenario, seed: wish.seed ?? USUAL.seed, pace: wish.pace ?? USUAL.pace, set: wish.set }, wish);
    const pane = this.add("A", "default", () => this.reset());
    this.whenLive(pane, () => this.wishes(pane, wish));
    return pane;
  }

  wishes(pane, wish) {
    if (Object.keys(wish.set).length) pane.turns.set(wish.set, { control: { refused: (sentence) => this.banner.show("link", sentence, { kind: "bad" }) } });
    if (wish.beside) this.fork(wish.beside);
  }

  async create(asked, wish = { beside: null }) {
    this.banner.show("create", t("panes.preparing"), { lasting: true });
    try {
      const { id } = await this.api.post("/twins", { warm_s: WARM_S, baseline: baselineOf(asked.scenario), ...asked });
      const pane = this.add("A", id, () => this.reset());
      if (wish.beside) this.whenLive(pane, () => this.fork(wish.beside));
    } catch (error) {
      this.banner.show("create-failed", error.message, { kind: "bad", details: error.problems.map((one) => `${one.place}: ${one.remedy}`) });
      if (!this.all.length) this.add("A", "default", () => this.reset());
    } finally {
      this.banner.clear("create");
    }
  }

  /** Run a shipped scenario as a new twin in the active pane. */
  async start(name) {
    const pane = this.active;
    const mine = (this.starting = { pane });
    const isWanted = () => this.starting === mine && this.all.includes(pane);
    this.banner.show("create", t("panes.preparing"), { lasting: true });
    try {
      const { id } = await this.api.post("/twins", { scenario: name, baseline: baselineOf(name), warm_s: WARM_S, pace: this.pace ?? pane.model.pace, seed: pane.model.seed });
      if (!isWanted()) return void this.api.remove(`/twins/${encodeURIComponent(id)}`).catch(() => null);
      pane.turns.forget();
      pane.session.goTo(id);
    } catch (error) {
      if (isWanted()) this.banner.show("create-failed", error.message, { kind: "bad" });
    } finally {
      if (this.starting === mine) this.settle();
    }
  }

  /** Something else is done in a pane: what was being prepared for it comes too late. */
  settle(pane = this.starting?.pane) {
    if (!this.starting || this.starting.pane !== pane) return;
    this.starting = null;
    this.banner.clear("create");
  }

  whenLive(pane, act) {
    if (pane.session.status === "live") return act();
    const stop = pane.session.on("status", (status) => {
      if (status !== "live") return;
      stop();
      act();
    });
  }

  /** Put a twin into a pane, in place of what was there. */
  add(name, twin, gone) {
    this.drop(name);
    const left = twin === "default" ? takeOver() : null;
    const pane = left ?? new Pane({ name, twin, api: this.api, meter: this.meter });
    pane.name = name;
    pane.meter = this.meter;
    const map = new TwinMap({ model: pane.model, loop: this.loop, meter: name === "A" ? this.meter : null, tooltip: this.tooltip, label: t("map.label") });
    pane.map = map;
    pane.heading = this.heading(pane);
    map.el.prepend(pane.heading.el);
    const on = (event, what = event) => pane.model.on(event, () => this.changed(what));
    pane.stops = [
      ...["frame", "tiles", "courses", "forecast", "scenario", "pace"].map((event) => on(event)),
      on("hello", "panes"), on("log", "courses"),
      pane.model.on("hello", () => this.greeted(pane)), pane.turns.on("undo", () => this.changed("undo")), pane.turns.on("sent", () => this.settle(pane)),
      pane.turns.on("refused", (error) => this.banner.show("refused", error.message, { kind: "bad" })),
      pane.model.on("tiles", () => this.lookAhead(pane)), pane.model.on("hello", () => this.lookAhead(pane)),
      pane.session.on("status", () => this.changed("pace")), pane.session.on("message", (message) => this.heard(pane, message)),
      watchConnection(pane, this.banner, this.version, { gone: () => this.lost(pane, gone) }),
    ];
    map.el.addEventListener("pointerdown", () => this.activate(pane));
    if (name === "A") this.all.unshift(pane);
    else this.all.push(pane);
    this.stage.replaceChildren(...this.all.map((one) => one.map.el));
    this.activate(pane);
    if (pane.model.scenario) this.greeted(pane);
    return pane;
  }

  heading(pane) {
    const title = h("span", { class: "pane-title" });
    const time = h("time", { class: "pane-clock" });
    const close = button({ name: "close", label: t("panes.close"), press: () => this.close(pane), tooltip: this.tooltip });
    return { title, time, el: h("header", { class: "pane-head" }, h("span", { class: `badge badge-${pane.name}` }, t(`panes.${pane.name}`)), time, title, pane.name === "B" ? close : null) };
  }

  async greeted(pane) {
    const { model } = pane;
    this.keepPace(pane);
    await this.catalog.scenario(model.scenario.name).catch(() => null);
    say(pane.heading.title, model.parent && pane.name === "B" ? t("panes.fork_title", { at: clock(pane.forkedAt ?? model.t) }) : model.title || model.scenario.title);
    this.changed("scenario");
  }

  /** Another twin in a pane runs at the pace that was chosen, whatever its own is. */
  keepPace(pane) {
    const { model } = pane;
    if (this.pace !== null && pane.paced !== model.twin && this.pace !== model.pace) pane.session.send({ do: "pace", value: this.pace });
    pane.paced = model.twin;
  }

  /** Without turns no forecast comes by itself: ask for one when the last has become old. */
  lookAhead(pane) {
    const { model, session } = pane;
    const old = !model.forecast || model.t - model.forecast.from_s > FRESH_S || model.t < model.forecast.from_s;
    if (!old || document.hidden || performance.now() < (pane.askAgainAt ?? 0)) return;
    // Many pages look at one twin: whoever asks first gets it for all.
    pane.askAgainAt = performance.now() + ASK_MS * (0.6 + Math.random() * 0.8);
    session.send({ do: "forecast" });
  }

  heard(pane, message) {
    if (message.type === "refused" && message.error.code === "unauthorized") this.unauthorized(message.error.message);
    if (message.type === "moved") {
      if (message.from !== "default") pane.turns.forget();
    } else if (message.type === "forked") this.beside(message.twin, pane.model.t);
    else if (message.type === "refused" && !pane.turns.pending.has(message.id) && this.asked?.has(message.id)) {
      this.banner.show("refused", message.error.message, { kind: "bad" });
    }
  }

  lost(pane, gone) {
    if (pane.name === "B") return this.close(pane);
    forget();
    this.banner.show("gone", t("errors.gone"));
    return gone();
  }

  // --- what one can do with a twin

  turn(values) {
    this.settle(this.active);
    this.active.turns.set(values);
  }

  ask(pane, message) {
    const id = pane.session.send(message);
    if (id === null) this.banner.show("refused", t("errors.offline"));
    else (this.asked ??= new Set()).add(id);
  }

  rewind(to) {
    this.settle(this.active);
    this.ask(this.active, { do: "rewind", to_s: to });
    this.active.turns.forget();
  }

  rewindBy(seconds) {
    const { model } = this.active;
    this.rewind(Math.max(model.courses.time_s[0] ?? 0, model.t - seconds));
  }

  fork(set = {}) {
    if (this.all.length > 1) return;
    this.settle(this.all[0]);
    this.ask(this.all[0], Object.keys(set).length ? { do: "fork", set } : { do: "fork" });
  }

  beside(twin, at = null) {
    const pane = this.add("B", twin, () => this.close(pane));
    pane.forkedAt = at;
    this.changed("panes");
  }

  reset() {
    const pane = this.active ?? this.all[0];
    this.settle(pane);
    pane.turns.forget();
    if (pane.session.status === "live") pane.session.send({ do: "reset" });
    else pane.session.goTo("default");
  }

  close(pane) {
    this.drop(pane.name);
    this.stage.replaceChildren(...this.all.map((one) => one.map.el));
    this.activate(this.all[0]);
    this.changed("panes");
    this.changed("courses");
  }

  drop(name, end = (pane) => pane.close()) {
    const pane = this.all.find((one) => one.name === name);
    if (!pane) return;
    this.all = this.all.filter((one) => one !== pane);
    pane.stops.forEach((stop) => stop());
    pane.map.dispose();
    end(pane);
    this.banner.clear(`connection-${name}`);
  }

  activate(pane) {
    if (this.active === pane) return;
    this.active = pane;
    for (const one of this.all) one.map.el.classList.toggle("is-active", one === pane);
    this.changed("panes");
  }

  restyle() {
    for (const pane of this.all) pane.map.restyle();
  }

  dispose() {
    this.place.dispose();
    for (const pane of [...this.all]) this.drop(pane.name, leave);
  }
}
