/** Turns of one pane: sent while dragging, taken back when refused, undone and done again. */

import { Emitter } from "../emitter.js";
import { t } from "../texts.js";
import { ApiError } from "./api.js";

/** Milliseconds between two sends of one setting: about twenty a second. */
const EVERY_MS = 50;

/** Turns of one setting that may be under way at the same time. */
const MOST_UNDER_WAY = 2;

/** Keys pressed one after another within this time (ms) are one gesture. */
const ONE_GESTURE_MS = 900;

/**
 * @typedef {Object} Control what a turn comes from
 * @property {(sentence: string) => void} refused shows why, and goes back to the model's value
 * @property {() => void} [accepted] forgets an earlier refusal
 */

/** Emits `undo` when the stacks change, `sent` for each message, `turned` for own accepted changes, `refused` for others. */
export class Turns extends Emitter {
  /** @param {import("../pane.js").Pane} pane */
  constructor(pane) {
    super();
    const { session, model } = pane;
    Object.assign(this, { pane, session, model });
    this.pending = new Map();
    this.late = new Map();
    this.resting = new Set();
    this.gesture = null;
    this.undone = [];
    this.done = [];
    session.on("message", (message) => this.take(message));
    session.on("lost", () => this.lose());
    session.on("status", (status) => status === "live" && [...this.late.keys()].forEach((path) => this.flush(path)));
  }

  /** A new gesture begins: what follows is undone in one step. */
  begin() {
    this.gesture = { changes: new Map(), kept: false, last: performance.now() };
    return this.gesture;
  }

  /** Whether a value for this setting is still on its way. */
  busy(path) {
    return this.late.has(path) || this.under(path) > 0;
  }

  /**
   * Turn a setting now, and not more often than `EVERY_MS`; the last value is always sent.
   * @param {string} path
   * @param {any} value
   * @param {{at?: number, control?: Control, key?: boolean}} [from] `at`: time of the input event
   */
  turn(path, value, { at = performance.now(), control, key = false } = {}) {
    const stale = key && performance.now() - (this.gesture?.last ?? 0) > ONE_GESTURE_MS;
    if (!this.gesture || stale || (key && !this.gesture.changes.has(path))) this.begin();
    this.gesture.last = performance.now();
    this.late.set(path, { value, at, control, gesture: this.gesture });
    this.flush(path);
  }

  /**
   * Send what waits for a setting, once `EVERY_MS` has passed since the last and the server keeps
   * up: were more sent than it can do, a drag would be answered later and later.
   */
  flush(path) {
    const late = this.late.get(path);
    if (this.session.status === "connecting") return; // it goes out with the greeting
    if (!late || this.resting.has(path) || this.under(path) >= MOST_UNDER_WAY) return;
    this.late.delete(path);
    this.resting.add(path);
    setTimeout(() => {
      this.resting.delete(path);
      this.flush(path);
    }, EVERY_MS);
    this.ship(path, late);
  }

  /** How many turns of a setting have no answer yet. */
  under(path) {
    return [...this.pending.values()].filter((sent) => path in sent.values).length;
  }

  ship(path, { value, at, control, gesture }) {
    this.send({ do: "turn", setting: path, value }, { values: { [path]: value }, at, control, gesture });
  }

  /** Several turns at once, all or none. */
  set(values, { at = performance.now(), control, gesture = this.begin() } = {}) {
    if (!Object.keys(values).length) return;
    this.send({ do: "set", values }, { values, at, control, gesture });
  }

  /** A failure or a repair. */
  happen(what, { pool, instance, control, at = performance.now() } = {}) {
    this.send({ do: "happen", what, pool, instance }, { values: {}, at, control, gesture: null });
  }

  send(message, sent) {
    const befores = Object.keys(sent.values).map((path) => [path, this.model.setting(path)]);
    const id = this.session.send(message);
    if (id === null) {
      sent.control?.refused(t("errors.offline"));
      return;
    }
    this.pane.meter.sent(sent.at);
    this.emit("sent", message);
    this.pending.set(id, { ...sent, befores });
  }

  take(message) {
    if (message.id === null || message.id === undefined) return;
    const sent = this.pending.get(message.id);
    if (!sent) return;
    if (message.type === "turned") this.accept(sent, message);
    else if (message.type === "refused") this.refuse(message.id, sent, new ApiError(message.error));
    for (const path of Object.keys(sent.values)) this.flush(path);
  }

  accept(sent, { id, entry, entries = [entry] }) {
    this.pending.delete(id);
    this.pane.meter.accepted(entry.number, sent.at);
    sent.control?.accepted?.();
    for (const one of entries) if (sent.gesture && one.what === "turn") this.remember(sent, one);
    this.emit("turned", entries);
  }

  /** Keep what was before the gesture, and what is after it. */
  remember(sent, entry) {
    const { gesture } = sent;
    const before = new Map(sent.befores).get(entry.setting);
    const known = gesture.changes.get(entry.setting);
    gesture.changes.set(entry.setting, { before: known ? known.before : before, after: entry.value });
    if (gesture.kept) return;
    gesture.kept = true;
    this.done.push(gesture);
    if (!sent.again) this.undone = [];
    this.emit("undo");
  }

  refuse(id, sent, error) {
    this.pending.delete(id);
    sent.control?.refused(error.message);
    if (!sent.control) this.emit("refused", error);
  }

  lose() {
    this.late.clear();
    for (const [id, sent] of [...this.pending]) {
      this.refuse(id, sent, new ApiError({ message: t("errors.offline") }));
    }
  }

  undo() {
    const gesture = this.done.pop();
    if (!gesture) return;
    this.undone.push(gesture);
    this.replay(gesture, "before", null);
  }

  redo() {
    const gesture = this.undone.pop();
    if (!gesture) return;
    this.replay(gesture, "after", { changes: new Map(), kept: false, last: 0 });
  }

  replay(gesture, which, kept) {
    const values = Object.fromEntries([...gesture.changes].map(([path, change]) => [path, change[which]]));
    this.gesture = null;
    this.send({ do: "set", values }, { values, at: performance.now(), gesture: kept, again: true });
    this.emit("undo");
  }

  /** Another twin took the place of this one: what was done there cannot be undone here. */
  forget() {
    this.done = [];
    this.undone = [];
    this.gesture = null;
    this.emit("undo");
  }
}
