/** What the pointed request or instance is, in words. */

import { joined, number, percent, plain, span } from "../format.js";
import { t } from "../texts.js";

const PLACES = ["p_queue", "p", "rdma", "line", "rld_queue", "rld", "ids", "md_queue", "md", "pb_queue", "pb", "rdma_b"];
/** Height (px) of a pool's title, and how far from its beginning it is explained. */
const TITLE = { h: 16, w: 220 };
const PIPELINES = { "-1": "unrouted", 0: "p_md", 1: "p_rld_md", 2: "p_rld", 3: "filtered", 4: "p_d", 5: "orphan", 6: "pb_md" };

/** The instance under a point: its pool and number; also the line and the cache. */
export function instanceAt(geo, x, y) {
  const inside = (rect) => rect && x >= rect.x && x <= rect.x + rect.w && y >= rect.y && y <= rect.y + rect.h;
  for (const pool of ["prefill", "prefillB", "relay", "main"]) {
    const index = (geo[pool]?.cells ?? []).findIndex((cell) => inside(cell.box) || inside(cell.tail) || inside(cell.queue));
    if (index >= 0) return { pool, index };
    const title = geo[pool]?.title;
    if (title && inside({ x: title.x, y: title.y - TITLE.h + 4, w: Math.min(TITLE.w, geo[pool].right - title.x), h: TITLE.h })) return { pool, index: -1 };
  }
  const { line, drc } = geo;
  if (line && inside({ x: line.x0, y: line.y - Math.max(14, line.h / 2), w: line.x1 - line.x0, h: Math.max(28, line.h) })) return { pool: "line" };
  if (drc && inside({ ...drc, y: drc.y - 16, h: drc.h + 20 })) return { pool: "drc" };
  return null;
}

/**
 * Requests in flight by what they do, each in one group; together they are all of them.
 * @param {Object<string, number>} counts of a frame, by place
 */
export function stages(counts) {
  return {
    waiting: counts.p_queue + (counts.pb_queue ?? 0), prefill: counts.p + (counts.pb ?? 0), moving: counts.rdma + counts.line + counts.handoff,
    queued: counts.rld_queue + counts.md_queue, relay: counts.rld, main: counts.md,
  };
}

/**
 * Heading and lines about what is pointed at.
 * @returns {{title: string, lines: string[]}}
 */
export function describe(frame, model, { particle, place }) {
  if (particle) return request(particle);
  const teller = { prefill, prefillB: prefill, relay: decode, main: decode, line, drc }[place.pool];
  return teller(frame, model, place);
}

function request(particle) {
  const pipeline = PIPELINES[particle.pipeline] ?? "unrouted";
  const where = t(`places.${PLACES[particle.place]}`, { n: particle.instance + 1 });
  const done = t(`done.${PLACES[particle.place]}`, { share: joined(percent(particle.share, 0)) });
  return {
    title: t("map.request_title", { number: particle.number.toLocaleString("en-US") }),
    lines: [t(`pipelines.${pipeline}`), particle.kv ? t("places.kv") : where, done].filter(Boolean),
  };
}

/** A pool as a whole: what it is for, and what its title counts. */
function whole(pool, described) {
  const { instances, chips_per_instance: each, chip } = described;
  return { title: t(`map.pool_${pool}`), lines: [t(`map.pool_${pool}_help`), t("map.pool_chips", { instances, each, chip: chip.name, all: instances * each })] };
}

function prefill(frame, model, { pool: where, index }) {
  const inB = where === "prefillB";
  const pool = inB ? model.scenario.prefill_b : model.scenario.prefill;
  if (index < 0) return whole(inB ? "prefill_b" : "prefill", pool);
  const seen = (inB ? frame.prefill_b : frame.prefill)[index];
  return {
    title: t("map.instance_title", { pool: inB ? t("map.prefill_b_short") : "P", n: index + 1 }),
    lines: [
      chips(pool),
      seen.state === "up" ? t(seen.busy ? "map.p_busy" : "map.p_idle", { backlog: span(seen.backlog_s) }) : t(`map.state_${seen.state}`),
    ],
  };
}

function decode(frame, model, { pool, index }) {
  const described = pool === "relay" ? model.scenario.relay_decode : model.scenario.main_decode;
  if (index < 0) return whole(pool, described);
  const seen = frame[pool].instances[index];
  const lines = [chips(described)];
  if (seen.state !== "up") lines.push(t(`map.state_${seen.state}`));
  lines.push(t("map.slots", { batch: seen.batch, used: seen.used, slots: seen.slots }));
  lines.push(t("map.slot_help"));
  if (seen.batch) lines.push(t("map.step", { itl: number(seen.itl_ms) }));
  return { title: t("map.instance_title", { pool: pool === "relay" ? "RLD" : "MD", n: index + 1 }), lines };
}

function chips(pool) {
  return t("map.instance_chips", { each: pool.chips_per_instance, chip: pool.chip.name });
}

function line(frame, model) {
  const { gbps, capacity_gbps: capacity, flows, cut } = frame.line;
  const raw = model.scenario.line.bandwidth_gbps;
  return {
    title: t("map.line_title"),
    lines: [
      cut ? t("map.cut") : t("map.line_now", { gbps: number(gbps), capacity: number(capacity) }),
      t(flows === 1 ? "map.flow" : "map.flows", { count: flows }),
      t("map.line_mean"),
      raw === null ? t("map.unlimited") : t("map.line_raw", { raw: plain(raw), share: joined(percent(model.scenario.line.goodput_share, 0)) }),
    ],
  };
}

function drc(frame) {
  const { used_tb: used, size_tb: size, evictions } = frame.drc;
  return {
    title: t("map.drc"),
    lines: [t("map.drc_held", { used: number(used), size: size === null ? "∞" : number(size) }), t("map.drc_about"), t("map.evictions", { count: plain(evictions) })],
  };
}
