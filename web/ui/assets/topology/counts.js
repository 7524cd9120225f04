/** The numbers beside queues and instances: of what is drawn there now, so that both agree. */

import { t } from "../texts.js";
import { MD, middle, P_QUEUE, RLD } from "./geometry.js";
import { NEARLY_FULL, write } from "./scene.js";

/** Of what is fading away so much must be left that it still counts. */
const SEEN = 0.5;

/** Pixels around a box within which a particle is taken to be in it. */
const BORDER = 5;

const within = ({ x, y }, rect) => rect && x >= rect.x - BORDER && x <= rect.x + rect.w + BORDER && y >= rect.y - BORDER && y <= rect.y + rect.h + BORDER;

/** @typedef {{waiting: number, relay: number[], main: number[]}} Inside how many wait for P, and are on each instance */

/**
 * What the frame itself says.
 * @returns {Inside}
 */
export function toldIn(frame) {
  const used = (pool) => (pool?.instances ?? []).map((one) => one.used);
  return { waiting: frame.counts.p_queue, relay: used(frame.relay), main: used(frame.main) };
}

/**
 * How many particles are seen in each place; of a sample of the requests that says nothing.
 * @param {Iterable<import("./particles.js").Particle>} particles
 * @returns {Inside}
 */
export function seenIn(particles, geo, frame) {
  const told = toldIn(frame);
  if (frame.of > frame.requests.length) return told;
  const found = { waiting: 0, relay: told.relay.map(() => 0), main: told.main.map(() => 0) };
  const places = { [RLD]: "relay", [MD]: "main" };
  for (const particle of particles) {
    if (particle.kv || (particle.gone && particle.alpha < SEEN)) continue;
    const { place, instance } = particle;
    if (place === P_QUEUE) found.waiting += 1;
    const pool = places[place];
    if (pool && within(particle, geo[pool]?.cells[instance]?.box)) found[pool][instance] += 1;
  }
  return found;
}

/** @param {Inside} inside */
export function drawCounts(look, geo, frame, inside) {
  const { c, compact } = look;
  const { right, title } = geo.prefill;
  const waiting = t("map.waiting", { count: inside.waiting });
  if (compact) write(look, waiting, title.x + geo.prefill.titleW + 6, title.y);
  else write(look, waiting, right, title.y, { align: "right" });
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
