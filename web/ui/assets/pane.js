/** One running twin on the page: its connection, what is known of it, and the turns sent to it. */

import { Model } from "./data/model.js";
import { Session } from "./data/session.js";
import { Turns } from "./data/turns.js";

export class Pane {
  /**
   * @param {{name: string, twin: string, api: any, meter: any}} options
   */
  constructor({ name, twin, api, meter }) {
    this.name = name;
    this.meter = meter;
    this.model = new Model();
    this.session = new Session(api.root, twin, () => api.token);
    this.turns = new Turns(this);
    this.session.isTalkative = () => !this.model.paused && !this.model.asleep;
    this.session.on("message", (message) => {
      if (message.type === "hello" && this.model.twin && this.model.twin !== message.twin) this.meter.moved();
      this.model.take(message);
    });
  }

  get tiles() {
    return this.model.tiles;
  }

  get forecast() {
    return this.model.forecast;
  }

  close() {
    this.session.close();
  }
}

/** The shared twin's pane of the page before, kept for a moment so that the next need not wait. */
let kept = null;

const KEEP_MS = 4000;

/** Leave a pane of the shared twin for the next page. */
export function leave(pane) {
  if (!pane.model.shared || pane.session.status !== "live") return pane.close();
  if (kept) drop();
  kept = { pane, timer: setTimeout(drop, KEEP_MS) };
}

/** Take over the pane that the page before has left; null when there is none. */
export function takeOver() {
  if (!kept) return null;
  clearTimeout(kept.timer);
  const { pane } = kept;
  kept = null;
  return pane;
}

function drop() {
  kept?.pane.close();
  kept = null;
}
