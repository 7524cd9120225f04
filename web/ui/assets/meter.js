/** What tests and the bench read at `window.pddTwin`: frames, entries, and times to paint. */

const KEPT = 2000;

export class Meter {
  /** @param {import("./loop.js").Loop} loop */
  constructor(loop) {
    this.loop = loop;
    this.unseen = { frame: [], forecast: [] };
    const seen = {
      frames: 0,
      forecasts: 0,
      lastFrameEntry: -1,
      lastForecastEntry: -1,
      lastPaintAt: null,
      turnSentAt: null,
      particles: 0,
      places: {},
      latencies: { frame_ms: [], forecast_ms: [] },
    };
    Object.defineProperty(seen, "fps", { get: () => loop.fps, enumerable: true });
    this.seen = seen;
    window.pddTwin = seen;
  }

  /** A turn caused by an input event at `at` (ms) was sent. */
  sent(at) {
    this.seen.turnSentAt = at;
  }

  /** That turn became an entry: wait for the first frame and forecast that know it. */
  accepted(entry, at) {
    this.unseen.frame.push({ entry, at });
    this.unseen.forecast.push({ entry, at });
    if (this.seen.lastFrameEntry >= entry) this.drawn("frame", this.seen.lastFrameEntry);
  }

  /** Another twin counts its entries anew. */
  moved() {
    this.seen.lastFrameEntry = this.seen.lastForecastEntry = -1;
  }

  /** Everything that a frame or a forecast changes is drawn; it is on screen after the paint. */
  drawn(kind, entry) {
    const settled = this.unseen[kind].filter((wait) => wait.entry <= entry);
    this.unseen[kind] = this.unseen[kind].filter((wait) => wait.entry > entry);
    this.loop.afterPaint((now) => {
      if (kind === "frame") {
        this.seen.frames += 1;
        this.seen.lastFrameEntry = entry;
        this.seen.lastPaintAt = now;
      } else {
        this.seen.forecasts += 1;
        this.seen.lastForecastEntry = entry;
      }
      const times = this.seen.latencies[`${kind}_ms`];
      times.push(...settled.map((wait) => now - wait.at));
      times.splice(0, times.length - KEPT);
    });
  }
}
