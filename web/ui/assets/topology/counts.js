/** The numbers beside queues and instances: of what is drawn there now, so that both agree. */

import { t } from "../texts.js";
import { middle, P_QUEUE, PB_QUEUE } from "./geometry.js";
import { NEARLY_FULL, write } from "./scene.js";

/** Of what is fading away so much must be left that it still counts. */
const SEEN = 0.5;

/** Pixels around a box within which a particle is taken to be in it. */
const BORDER = 5;

const within = ({ x, y }, rect) => rect && x >= rect.x - BORDER && x <= rect.x + rect.w + BORDER && y >= rect.y - BORDER && y <= rect.y + rect.h + BORDER;

/** @typedef {{waiting: number, waitingB: number, line: number, relay: number[], main: number[]}} Inside how many wait for P, cross the line, and are on each instance */

/**
 * What the frame itself says.
 * @returns {Inside}
 */
export function toldIn(frame) {
  const used = (pool) => (pool?.instances ?? []).map((one) => one.used);
  return { waiting: frame.counts.p_queue, waitingB: frame.counts.pb_queue ?? 0, line: frame.line?.flows ?? 0, relay: used(frame.relay), main: used(frame.main) };
}

/**
 * How many particles are seen in each place; of a sample of the requests that says nothing.
 * @param {Iterable<import("./particles.js").Particle>} particles
 * @returns {Inside}
 */
export function seenIn(particles, geo, frame) {
  const told = toldIn(frame);
  if (frame.of > frame.requests.length) return told;
  const found = { waiting: 0, waitingB: 0, line: 0, relay: told.relay.map(() => 0), main: told.main.map(() => 0) };
  const pipe = geo.line && { x: geo.line.x0, y: geo.line.y - geo.line.h / 2, w: geo.line.x1 - geo.line.x0, h: geo.line.h };
  for (const particle of particles) {
    if (particle.gone && particle.alpha < SEEN) continue;
    if (within(particle, pipe)) found.line += 1;
    else if (particle.kv) continue;
    else if (particle.place === P_QUEUE) found.waiting += 1;
    else if (particle.place === PB_QUEUE) found.waitingB += 1;
    else for (const pool of ["relay", "main"]) count(particle, geo[pool]?.cells, found[pool]);
  }
  return found;
}

function count(particle, cells, found) {
  const at = cells?.findIndex((cell) => within(particle, cell.box)) ?? -1;
  if (at >= 0 && at < found.length) found[at] += 1;
}

/** @param {Inside} inside */
export function drawCounts(look, geo, frame, inside) {
  const { c, compact } = look;
  for (const [pool, count] of [[geo.prefill, inside.waiting], [geo.prefillB, inside.waitingB]]) {
    if (!pool) continue;
    const waiting = t("map.waiting", { count });
    if (compact) write(look, waiting, pool.title.x + pool.titleW + 6, pool.title.y);
    else write(look, waiting, pool.right, pool.title.y, { align: "right" });
  }
  if (geo.line && !compact) {
    const { x0, x1, y, h } = geo.line;
    write(look, t(inside.line === 1 ? "map.flow" : "map.flows", { count: inside.line }), (x0 + x1) / 2, y + h / 2 + 16, { align: "center" });
  }
  for (const pool of ["relay", "main"]) {
    const seen = frame[pool]?.instances ?? [];
    if (!geo[pool] || !seen.length) continue;
    const sum = (values) => values.reduce((all, one) => all + one, 0);
    if (compact) write(look, t("map.held", { used: sum(inside[pool]), slots: sum(seen.map((one) => one.slots)) }), geo[pool].title.x + geo[pool].titleW + 6, geo[pool].title.y);
    else seen.forEach((one, i) => number(look, geo[pool].cells[i], one, inside[pool][i], c));
  }
}

function number(look, cell, { state, used, slots }, count, c) {
  if (!cell?.tail.w || cell.box.h < 12 || state === "lost") return;
  const full = slots > 0 && used / slots > NEARLY_FULL;
  write(look, String(count), cell.tail.x, middle(cell.box) + (cell.box.h > 30 ? -1 : 4), { size: 12, weight: 600, colour: full ? c.amber : c.ink });
}
