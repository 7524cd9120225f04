/** The way on the map between two places of a request, along the places it passes in between. */

import { IDS, LINE, MD, MD_QUEUE, middle, P, P_QUEUE, PB, PB_QUEUE, RDMA, RDMA_B, RLD, RLD_QUEUE } from "./geometry.js";

const ROUTES = {
  "-1": [P_QUEUE, P],
  0: [P_QUEUE, P, LINE, MD_QUEUE, MD],
  1: [P_QUEUE, P, RDMA, RLD_QUEUE, RLD, IDS, MD_QUEUE, MD],
  2: [P_QUEUE, P, RDMA, RLD_QUEUE, RLD],
  3: [P_QUEUE, P, RDMA, RLD_QUEUE, RLD],
  4: [P_QUEUE, P, RDMA, MD_QUEUE, MD],
  6: [PB_QUEUE, PB, RDMA_B, MD_QUEUE, MD],
};

/** Places where nobody needs to stop on the way. */
const WAITS = new Set([P_QUEUE, PB_QUEUE, RLD_QUEUE, MD_QUEUE]);

/**
 * Points from where a request is drawn to where it is now.
 * @param {Object} geo
 * @param {{x: number, y: number, place: number, instance: number}} from
 * @param {{x: number, y: number, place: number, instance: number}} to
 * @param {number} pipeline
 * @returns {number[][]}
 */
export function way(geo, from, to, pipeline) {
  const start = [from.x, from.y];
  const end = [to.x, to.y];
  if (from.place === to.place && from.instance === to.instance) return [start, end];
  const route = ROUTES[pipeline] ?? ROUTES[0];
  const [i, j] = [route.indexOf(from.place), route.indexOf(to.place)];
  if (i < 0 || j <= i) return [start, end];
  const points = [start, ...leave(geo, from)];
  for (const place of route.slice(i + 1, j)) {
    if (WAITS.has(place)) continue;
    const stop = { place, instance: place === P || place === PB ? from.instance : to.instance };
    points.push(...enter(geo, stop), ...leave(geo, stop));
  }
  points.push(...enter(geo, to), end);
  return points;
}

const cellOf = (pool, instance) => pool.cells[Math.min(Math.max(instance, 0), pool.cells.length - 1)];

function leave(geo, { place, instance }) {
  if (place === P) {
    const box = cellOf(geo.prefill, instance).box;
    return [[box.x + box.w, middle(box)], [geo.outX, middle(box)]];
  }
  if (place === PB) {
    const box = cellOf(geo.prefillB, instance).box;
    return [[box.x + box.w, middle(box)], [geo.prefillB.right + 4, middle(box)]];
  }
  if (place === RDMA_B) return [[geo.inX, geo.gutterBY]];
  if (place === RLD && geo.relay) {
    const box = cellOf(geo.relay, instance).box;
    return [[box.x + box.w, middle(box)], [geo.ids.x0, geo.ids.y]];
  }
  if (place === LINE || (place === RDMA && !geo.relay)) return [[geo.inX, geo.way.y]];
  if (place === IDS) return [[geo.inX, geo.ids.y]];
  return [];
}

function enter(geo, { place, instance }) {
  if (place === P) {
    const box = cellOf(geo.prefill, instance).box;
    return [[box.x, middle(box)]];
  }
  if (place === PB) {
    const box = cellOf(geo.prefillB, instance).box;
    return [[box.x, middle(box)]];
  }
  if (place === RDMA_B) return [[geo.prefillB.right + 4, geo.gutterBY]];
  if (place === LINE) return [[geo.outX, geo.way.y], [geo.way.x0, geo.way.y]];
  if (place === RDMA && !geo.relay) return [[geo.outX, geo.way.y]];
  if (place === RLD && geo.relay) return relayDoor(geo, instance);
  if (place === RLD_QUEUE && geo.relay) return relayDoor(geo, 0).slice(0, 2);
  if (place === IDS) return [[geo.ids.x0, geo.ids.y]];
  if (place === MD) {
    const box = cellOf(geo.main, instance).box;
    return [[geo.inX, middle(box)], [box.x, middle(box)]];
  }
  return [];
}

function relayDoor(geo, instance) {
  const { box, queue } = cellOf(geo.relay, instance);
  const x = (queue ?? box).x - geo.pad / 2;
  return [[geo.outX, geo.gutterY], [x, geo.gutterY], [x, middle(box)], [box.x, middle(box)]];
}
