/** The page's one animation loop: what moves each frame, what is drawn once, what waits for paint. */

/** Below so many frames a second a machine is busy: motion then takes every other frame for a while. */
const BUSY_FPS = 50;
const SPARING_MS = 10000;

/** Least time between two moments of motion while sparing: 30 a second. */
const SPARING_STEP_MS = 30;

export class Loop {
  constructor() {
    this.sparingUntil = 0;
    this.movedAt = 0;
    this.movers = new Set();
    this.once = new Map();
    this.waiting = [];
    this.stamps = [];
    this.running = true;
    this.began = performance.now();
    this.step = this.step.bind(this);
    this.handle = requestAnimationFrame(this.step);
  }

  /** Call before each paint; returns what ends it. */
  every(mover) {
    this.movers.add(mover);
    return () => this.movers.delete(mover);
  }

  /** Call once before the next paint; of several with one name only the last is called. */
  soon(name, task) {
    this.once.set(name, task);
  }

  /** Call once what is drawn in the coming step has been painted. */
  afterPaint(task) {
    this.waiting.push({ task, drawn: false });
  }

  step(now) {
    if (!this.running) return;
    this.handle = requestAnimationFrame(this.step);
    const painted = this.waiting.filter((one) => one.drawn);
    this.waiting = this.waiting.filter((one) => !one.drawn);
    for (const { task } of painted) task(performance.now());
    const tasks = [...this.once.values()];
    this.once.clear();
    for (const task of tasks) task(now);
    if (this.isDue(now)) for (const mover of this.movers) mover(now);
    for (const one of this.waiting) one.drawn = true;
    this.stamps.push(now);
    while (this.stamps[0] < now - 1000) this.stamps.shift();
  }

  /** Whether motion goes on in this frame; a busy machine gets half of them. */
  isDue(now) {
    if (this.stamps.length < BUSY_FPS && now - this.began > 3000) this.sparingUntil = now + SPARING_MS;
    if (now < this.sparingUntil && now - this.movedAt < SPARING_STEP_MS) return false;
    this.movedAt = now;
    return true;
  }

  /** Frames painted within the last second. */
  get fps() {
    return this.stamps.length;
  }

  stop() {
    this.running = false;
    cancelAnimationFrame(this.handle);
  }
}
