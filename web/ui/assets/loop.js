/** The page's one animation loop: what moves each frame, what is drawn once, what waits for paint. */

export class Loop {
  constructor() {
    this.movers = new Set();
    this.once = new Map();
    this.waiting = [];
    this.stamps = [];
    this.running = true;
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
    for (const mover of this.movers) mover(now);
    for (const one of this.waiting) one.drawn = true;
    this.stamps.push(now);
    while (this.stamps[0] < now - 1000) this.stamps.shift();
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
