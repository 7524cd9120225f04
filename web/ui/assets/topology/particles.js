/** Each request of a frame as a particle, moved smoothly to where the frame says it is. */

import { LINE, MD, RDMA, RDMA_B, RLD, spot } from "./geometry.js";
import { IN_B, ORPHAN } from "./shapes.js";
import { way } from "./ways.js";

const FADE_MS = 220;

/** A step in simulated time (s) above which a way between two frames would be made up. */
const LONGEST_STEP_S = 12;

/**
 * @typedef {Object} Particle
 * @property {number} number of the request
 * @property {boolean} kv whether it is the KV cache on the line, not the request itself
 * @property {number} pipeline
 * @property {number} place
 * @property {number} instance
 * @property {number} share
 * @property {number} x
 * @property {number} y
 * @property {number} alpha
 * @property {Object} goal where the last frame says it is
 * @property {number[][]|null} points of the way it is on, of which `passed` are behind it
 */

export class Particles {
  constructor() {
    /** @type {Map<string, Particle>} */
    this.all = new Map();
    this.lastAt = 0;
    this.lastT = 0;
    this.interval = 100;
    this.still = false;
  }

  /** Take over a frame that arrived at `now` (ms). */
  take(frame, geo, now) {
    const since = now - this.lastAt;
    if (since < 1000) this.interval += 0.2 * (Math.min(Math.max(since, 40), 400) - this.interval);
    const jump = frame.t < this.lastT || frame.t - this.lastT > LONGEST_STEP_S;
    Object.assign(this, { lastAt: now, lastT: frame.t, still: false });
    const told = new Set();
    for (const seen of listed(frame)) {
      told.add(seen.key);
      this.place(seen, geo, now, jump);
    }
    const sampled = frame.of > frame.requests.length;
    for (const [key, particle] of this.all) {
      if (!told.has(key) && !particle.gone) this.dismiss(particle, geo, now, jump || sampled);
    }
  }

  place(seen, geo, now, jump) {
    const target = { ...seen, ...spot(geo, seen.number, seen.place, seen.instance, seen.share, seen.order) };
    const known = this.all.get(seen.key);
    if (!known || known.gone) {
      this.all.set(seen.key, { ...target, goal: target, alpha: 0, born: now, gone: 0, points: null, passed: 0 });
      return;
    }
    const points = jump ? null : onward(known, way(geo, known.goal, target, seen.pipeline));
    Object.assign(known, seen, { goal: target, points, passed: 1, lengths: points && measured(points), from: now });
    if (jump) Object.assign(known, { x: target.x, y: target.y, born: now, alpha: 0 });
  }

  /** What a frame no longer lists has finished: it goes to the end of its place and fades. */
  dismiss(particle, geo, now, still) {
    particle.gone = now;
    const ends = !still && (particle.place === MD || particle.place === RLD || particle.place === LINE);
    if (!ends) {
      particle.points = null;
      return;
    }
    const end = spot(geo, particle.number, particle.place, particle.instance, 1);
    const points = onward(particle, [[0, 0], [end.x, end.y]]);
    Object.assign(particle, { points, passed: 1, lengths: measured(points), from: now });
  }

  /** Put everything where the last frame says it is, at once: the map has another size. */
  settle(frame, geo) {
    this.still = false;
    for (const seen of listed(frame)) {
      const particle = this.all.get(seen.key);
      const goal = spot(geo, seen.number, seen.place, seen.instance, seen.share, seen.order);
      if (particle) Object.assign(particle, goal, { goal: { ...seen, ...goal }, points: null });
    }
  }

  /** Move on to `now`; returns whether anything moved. */
  step(now) {
    if (this.still) return false;
    let moving = false;
    for (const [key, particle] of this.all) {
      moving = this.move(particle, now) || moving;
      if (particle.gone && now - particle.gone > this.interval + FADE_MS) this.all.delete(key);
    }
    this.still = !moving;
    return true;
  }

  move(particle, now) {
    if (particle.gone) {
      const since = now - particle.gone - (particle.points ? this.interval : 0);
      particle.alpha = 1 - Math.min(1, Math.max(0, since / FADE_MS));
    } else particle.alpha = Math.min(1, Math.max(0, (now - particle.born) / FADE_MS));
    const fading = particle.gone > 0 || particle.alpha < 1;
    if (!particle.points) return fading;
    // The time of a frame is that of its beginning: what was taken within it lies ahead of it.
    const share = Math.min(1, Math.max(0, (now - particle.from) / this.interval));
    Object.assign(particle, pointAt(particle.points, particle.lengths, share));
    if (share < 1) return true;
    particle.points = null;
    return fading;
  }

  /** How many requests are in each place. */
  places() {
    const found = {};
    for (const { kv, gone, place } of this.all.values()) if (!kv && !gone) found[place] = (found[place] ?? 0) + 1;
    return found;
  }

  /** The particle nearest to a point, if one is near enough. */
  near(x, y, reach) {
    let found = null;
    let least = reach * reach;
    for (const particle of this.all.values()) {
      const distance = (particle.x - x) ** 2 + (particle.y - y) ** 2;
      if (distance < least && !particle.gone) [found, least] = [particle, distance];
    }
    return found;
  }
}

/** The requests of a frame, and the KV caches on the line of those that are elsewhere. */
function* listed(frame) {
  const orders = {};
  const onLine = new Set();
  const live = living(frame);
  for (const [number, pipeline, told, instance, share] of frame.requests) {
    const place = told === RDMA && pipeline === IN_B ? RDMA_B : told;
    const order = (orders[place] = (orders[place] ?? -1) + 1);
    if (place === LINE) onLine.add(number);
    yield { key: `r${number}`, number, kv: false, pipeline, place, instance, share, order };
  }
  for (const [number, pipeline, share] of frame.crossing) {
    if (onLine.has(number)) continue;
    yield { key: `k${number}`, number, kv: true, pipeline: pipeline < 0 && !live(number) ? ORPHAN : pipeline, place: LINE, instance: -1, share, order: 0 };
  }
}

/** Whether a request is still there; of a sample of the requests only what it lists is known to be. */
function living(frame) {
  const listed = new Set(frame.requests.map(([number]) => number));
  return (number) => listed.has(number);
}

/** Whether a KV cache is on the line for a request that has finished elsewhere. */
export function hasOrphans(frame) {
  const live = living(frame);
  return frame.crossing.some(([number, pipeline]) => pipeline < 0 && !live(number));
}

/** From where a particle is over what is left of its way to a new one. */
function onward(particle, next) {
  const left = particle.points ? particle.points.slice(particle.passed) : [];
  return [[particle.x, particle.y], ...left, ...next.slice(1)];
}

function measured(points) {
  const steps = [0];
  for (let i = 1; i < points.length; i++) {
    steps.push(steps[i - 1] + Math.hypot(points[i][0] - points[i - 1][0], points[i][1] - points[i - 1][1]));
  }
  return steps;
}

function pointAt(points, lengths, share) {
  const at = share * lengths.at(-1);
  let i = 1;
  while (i < points.length - 1 && lengths[i] < at) i++;
  const step = lengths[i] - lengths[i - 1];
  const part = step > 0 ? (at - lengths[i - 1]) / step : 1;
  return {
    x: points[i - 1][0] + (points[i][0] - points[i - 1][0]) * part,
    y: points[i - 1][1] + (points[i][1] - points[i - 1][1]) * part,
    passed: i,
  };
}
