/** What the page knows of one running twin, kept up to date from its messages. */

import { Emitter } from "../emitter.js";

/** Simulated seconds that courses reach back. */
export const PAST_S = 1800;

/** Simulated seconds that a forecast reaches ahead. */
export const AHEAD_S = 600;

/** Changes that are remembered here; the server keeps all. */
const LONGEST_LOG = 1000;

const NOTHING = () => ({ time_s: [], values: {} });

/**
 * Emits `hello`, `frame`, `tiles`, `courses`, `forecast`, `scenario`, `log` and `pace`.
 */
export class Model extends Emitter {
  constructor() {
    super();
    this.twin = null;
    this.frame = null;
    this.tiles = null;
    this.forecast = null;
    this.scenario = null;
    this.baseline = null;
    this.log = [];
    this.courses = NOTHING();
    this.baselineCourses = NOTHING();
    this.entry = 0;
    this.t = 0;
    this.pace = 10;
    this.paused = false;
    this.shared = true;
    this.asleep = false;
  }

  /** Take over what a message says. */
  take(message) {
    const taker = TAKERS[message.type];
    if (taker) taker(this, message);
  }

  /** Set a setting of the scenario; the part it is in may be absent, then nothing is to be set. */
  setSetting(path, value) {
    const steps = path.split(".");
    const last = steps.pop();
    let place = this.scenario;
    for (const step of steps) place = place?.[step];
    if (place) place[last] = value;
  }

  /** The value of a setting; undefined where there is none. */
  setting(path) {
    return valueAt(this.scenario, path);
  }
}

/** The value at a path of a scenario; undefined where there is none. */
export function valueAt(scenario, path) {
  return path.split(".").reduce((place, step) => place?.[step], scenario);
}

const TAKERS = { hello, frame, turned, forecast, state };

function hello(model, said) {
  Object.assign(model, {
    twin: said.twin, title: said.title, shared: said.shared, parent: said.parent, seed: said.seed,
    version: said.version, pace: said.pace, paused: said.paused, entry: said.entry, t: said.t,
    scenario: said.scenario, baseline: said.baseline, log: said.log, tiles: said.tiles,
    courses: said.courses ?? NOTHING(), baselineCourses: said.baseline_courses ?? NOTHING(),
    forecast: said.forecast, frame: null, asleep: said.status === "asleep",
  });
  for (const name of ["hello", "scenario", "log", "tiles", "courses", "forecast", "pace"]) model.emit(name, said);
}

function frame(model, said) {
  if (said.twin !== model.twin) return;
  const paced = model.pace !== said.pace || model.paused !== said.paused || model.asleep;
  Object.assign(model, { frame: said, entry: said.entry, t: said.t, pace: said.pace, paused: said.paused, asleep: false });
  if (said.course) extend(model.courses, said.course, said.t);
  if (said.baseline_course) extend(model.baselineCourses, said.baseline_course, said.t);
  model.emit("frame", said);
  if (said.tiles) {
    model.tiles = said.tiles;
    model.emit("tiles", said.tiles);
  }
  if (said.course) model.emit("courses", said.course);
  if (paced) model.emit("pace");
}

function turned(model, said) {
  for (const entry of said.entries ?? [said.entry]) take(model, entry);
}

function take(model, entry) {
  if (entry.number <= (model.log.at(-1)?.number ?? 0)) return;
  model.log.push(entry);
  if (model.log.length > LONGEST_LOG) model.log.shift();
  if (entry.what === "turn") {
    model.setSetting(entry.setting, entry.value);
    model.emit("scenario", entry);
  }
  model.emit("log", entry);
}

function forecast(model, said) {
  if (said.twin !== model.twin) return;
  model.forecast = said;
  model.emit("forecast", said);
}

function state(model, said) {
  Object.assign(model, { pace: said.pace ?? model.pace, paused: said.paused ?? model.paused, asleep: said.status === "asleep" });
  model.emit("pace", said);
}

/** Add new samples to courses, and forget what is older than they reach back. */
export function extend(courses, more, now) {
  const last = courses.time_s.at(-1) ?? -Infinity;
  const first = more.time_s.findIndex((time) => time > last);
  if (first >= 0) {
    const before = courses.time_s.length;
    courses.time_s.push(...more.time_s.slice(first));
    for (const [name, values] of Object.entries(more.values)) {
      courses.values[name] ??= new Array(before).fill(null);
      courses.values[name].push(...values.slice(first));
    }
  }
  const old = courses.time_s.findIndex((time) => time >= now - PAST_S - 60);
  if (old <= 0) return;
  courses.time_s.splice(0, old);
  for (const values of Object.values(courses.values)) values.splice(0, old);
}
