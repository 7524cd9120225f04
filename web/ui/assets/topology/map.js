/** The map of a running deployment: a canvas for what stands, one above it for what moves. */

import { h, say, shown } from "../dom.js";
import { count, joined, percent, plain } from "../format.js";
import { palette } from "../palette.js";
import { t } from "../texts.js";
import { drawCounts, seenIn, toldIn } from "./counts.js";
import { describe, instanceAt, stages } from "./describe.js";
import { layOut, shapeOf } from "./geometry.js";
import { legend } from "./legend.js";
import { Particles } from "./particles.js";
import { drawRates } from "./rates.js";
import { drawScene } from "./scene.js";
import { Shapes } from "./shapes.js";

/** Simulated seconds over which the use of the line is smoothed. */
const SMOOTH_S = 60;

/** Lives from a hello of the model to the next; draws at most once a paint. */
export class TwinMap {
  /** @param {{model: any, loop: any, meter: any, tooltip: any, label: string}} ctx */
  constructor({ model, loop, meter, tooltip, label }) {
    Object.assign(this, { model, loop, meter, tooltip });
    this.scene = h("canvas", { class: "map-scene", "aria-hidden": "true" });
    this.motion = h("canvas", { class: "map-motion", "aria-hidden": "true" });
    this.waiting = h("div", { class: "map-empty" }, t("map.connecting"));
    this.summary = h("p", { class: "unseen" });
    this.stage = h("div", { class: "map-stage", role: "group", "aria-label": label }, this.scene, this.motion, this.waiting, this.summary);
    this.el = h("section", { class: "card map" }, this.stage, legend(model, tooltip));
    this.particles = new Particles();
    this.smooth = { line: null, t: null };
    this.hover = null;
    this.stops = [
      model.on("frame", (frame) => this.take(frame)),
      model.on("hello", () => this.reset()),
      loop.every((now) => this.move(now)),
    ];
    this.watcher = new ResizeObserver(() => this.resized());
    this.watcher.observe(this.stage);
    this.calm = window.matchMedia("(prefers-reduced-motion: reduce)");
    this.stage.addEventListener("pointermove", (event) => this.point(event));
    this.stage.addEventListener("pointerdown", (event) => this.point(event));
    this.stage.addEventListener("pointerleave", () => this.leave());
  }

  reset() {
    this.particles = new Particles();
    this.smooth = { line: null, t: null };
    this.frame = null;
  }

  /** The theme may have changed. */
  restyle() {
    this.colours = palette(this.stage);
    this.shapes = null;
    this.redraw();
  }

  resized() {
    const { width, height } = this.stage.getBoundingClientRect();
    if (!width || !height) return;
    this.scale = Math.min(2, window.devicePixelRatio || 1);
    for (const canvas of [this.scene, this.motion]) {
      canvas.width = Math.round(width * this.scale);
      canvas.height = Math.round(height * this.scale);
      canvas.getContext("2d").setTransform(this.scale, 0, 0, this.scale, 0, 0);
    }
    this.size = { width, height };
    this.geo = null;
    this.redraw();
  }

  redraw() {
    if (this.frame) this.draw(this.frame, true);
  }

  take(frame) {
    this.smoothed(frame);
    this.frame = frame;
    this.loop.soon(this, () => {
      if (this.frame === frame) this.draw(frame, false);
      this.meter?.drawn("frame", frame.entry);
    });
  }

  smoothed(frame) {
    const { line, t: time } = frame;
    if (!line) return;
    const use = line.capacity_gbps > 0 && !line.cut ? line.gbps / line.capacity_gbps : 0;
    const before = this.smooth.line ?? this.model.tiles?.use?.line ?? use;
    const since = this.smooth.t === null ? 0 : Math.max(0, time - this.smooth.t);
    this.smooth = { line: before + (1 - Math.exp(-since / SMOOTH_S)) * (use - before), t: time };
  }

  draw(frame, settle) {
    if (!this.size) this.resized();
    if (!this.size || !this.model.scenario) return;
    this.colours ??= palette(this.stage);
    shown(this.waiting, false);
    const shape = shapeOf(frame, this.model.scenario);
    const key = JSON.stringify(shape);
    const isNew = !this.geo || key !== this.shapeKey;
    if (isNew) {
      this.geo = layOut(this.size.width, this.size.height, shape);
      this.shapeKey = key;
      this.shapes = null;
    }
    this.shapes ??= new Shapes(this.colours, this.geo.radius, this.scale);
    const look = { ctx: this.scene.getContext("2d"), c: this.colours, compact: this.geo.compact };
    drawScene(look, this.geo, frame, this.model.scenario, this.smooth);
    if (this.calm.matches) {
      drawRates(look, this.geo, frame, this.model);
      drawCounts(look, this.geo, frame, toldIn(frame));
    }
    this.particles.take(frame, this.geo, performance.now());
    if (isNew || settle) this.particles.settle(frame, this.geo);
    if (this.meter) this.meter.seen.particles = this.calm.matches ? 0 : this.particles.all.size;
    if (this.meter) this.meter.seen.places = this.particles.places();
    this.tell(frame);
    if (this.hover) this.explain();
  }

  /** One moment of motion: nothing is drawn while nothing moves. */
  move(now) {
    if (!this.geo || !this.shapes || !this.frame) return;
    const ctx = this.motion.getContext("2d");
    if (this.calm.matches) {
      if (!this.cleared) ctx.clearRect(0, 0, this.geo.w, this.geo.h);
      this.cleared = true;
      return;
    }
    this.cleared = false;
    if (!this.particles.step(now) && !this.hover) return;
    ctx.clearRect(0, 0, this.geo.w, this.geo.h);
    for (const particle of this.particles.all.values()) this.shapes.draw(ctx, particle);
    ctx.globalAlpha = 1;
    drawCounts({ ctx, c: this.colours, compact: this.geo.compact }, this.geo, this.frame, seenIn(this.particles.all.values(), this.geo, this.frame));
    if (this.hover?.number !== undefined) this.mark(ctx);
  }

  /** Ring the pointed request and its KV cache. */
  mark(ctx) {
    ctx.strokeStyle = this.colours.ink;
    ctx.lineWidth = 1.5;
    for (const key of [`r${this.hover.number}`, `k${this.hover.number}`]) {
      const particle = this.particles.all.get(key);
      if (!particle || particle.gone) continue;
      ctx.beginPath();
      ctx.arc(particle.x, particle.y, this.geo.radius + 4, 0, 2 * Math.PI);
      ctx.stroke();
    }
  }

  // --- pointing

  point(event) {
    if (!this.geo) return;
    const box = this.stage.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    const particle = this.calm.matches ? null : this.particles.near(x, y, event.pointerType === "touch" ? 22 : 12);
    const place = particle ? null : instanceAt(this.geo, x, y);
    this.hover = particle ? { number: particle.number, x, y } : place ? { place, x, y } : null;
    this.particles.still = false;
    if (this.hover) this.explain();
    else this.tooltip.hide(this);
  }

  leave() {
    this.hover = null;
    this.particles.still = false;
    this.tooltip.hide(this);
  }

  explain() {
    const { number: which, place } = this.hover;
    const particle = which === undefined ? null : (this.particles.all.get(`r${which}`) ?? this.particles.all.get(`k${which}`));
    if (which !== undefined && (!particle || particle.gone)) return this.leave();
    const words = describe(this.frame, this.model, particle ? { particle } : { place });
    const box = this.stage.getBoundingClientRect();
    const at = particle ?? this.hover;
    this.tooltip.show(this, words, { x: box.left + at.x, y: box.top + at.y, reach: 12 });
  }

  /** For those who do not see the map: what it shows, in one sentence. */
  tell(frame) {
    const line = frame.line ? joined(percent(this.smooth.line, 0)) : null;
    const words = t(line === null ? "map.summary_same_site" : "map.summary", {
      requests: count(frame.of, t("map.request"), t("map.requests")),
      ...Object.fromEntries(Object.entries(stages(frame.counts)).map(([name, value]) => [name, plain(value)])), line,
    });
    if (performance.now() - (this.toldAt ?? 0) < 5000) return;
    this.toldAt = performance.now();
    say(this.summary, words);
  }

  dispose() {
    this.watcher.disconnect();
    this.stops.forEach((stop) => stop());
    this.tooltip.hide(this);
  }
}

