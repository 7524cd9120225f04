/** The standing part of the map: datacenters, instances with what they hold, the line, the cache. */

import { joined, number, percent, plain, span } from "../format.js";
import { faded } from "../palette.js";
import { t } from "../texts.js";
import { middle, rdma, rdmaB } from "./geometry.js";

/** Share used above which something is marked as nearly full. */
export const NEARLY_FULL = 0.9;

/**
 * @typedef {Object} Look
 * @property {CanvasRenderingContext2D} ctx
 * @property {Object<string, string>} c colours
 * @property {boolean} compact
 */

/**
 * Draw everything of a frame that is no particle.
 * @param {Look} look
 * @param {Object} geo
 * @param {Object} frame
 * @param {Object} scenario
 * @param {{line: number|null}} smooth use of the line over the last seconds
 */
export function drawScene(look, geo, frame, scenario, smooth) {
  look.ctx.clearRect(0, 0, geo.w, geo.h);
  site(look, geo.a, scenario.datacenter_a.name, "a", geo);
  if (geo.b) site(look, geo.b, scenario.datacenter_b?.name ?? "B", "b", geo);
  ways(look, geo);
  prefill(look, geo.prefill, "P", frame.prefill, scenario.prefill);
  if (geo.prefillB) prefill(look, geo.prefillB, t("map.prefill_b_short"), frame.prefill_b, scenario.prefill_b);
  if (geo.relay && frame.relay) decode(look, geo.relay, frame.relay, scenario.relay_decode, "rld", geo);
  decode(look, geo.main, frame.main, scenario.main_decode, "md", geo);
  if (geo.line) line(look, geo, frame, scenario, smooth);
  if (geo.drc && frame.drc) drc(look, geo, frame.drc);
}

/** Write a text; returns its width. */
export function write(look, text, x, y, { size = 11, colour = look.c.soft, weight = 400, align = "left" } = {}) {
  const { ctx } = look;
  ctx.font = `${weight} ${size}px ${look.c.font}`;
  ctx.fillStyle = colour;
  ctx.textAlign = align;
  ctx.textBaseline = "alphabetic";
  ctx.fillText(text, x, y);
  return ctx.measureText(text).width;
}

function rounded(ctx, rect, r) {
  ctx.beginPath();
  ctx.roundRect(rect.x, rect.y, Math.max(0, rect.w), Math.max(0, rect.h), r);
}

function site(look, rect, name, which, geo) {
  const { ctx, c } = look;
  rounded(ctx, rect, 10);
  ctx.fillStyle = c.card;
  ctx.fill();
  ctx.strokeStyle = c.edge;
  ctx.lineWidth = 1;
  ctx.stroke();
  const title = look.compact ? t("map.site_short", { name }) : t("map.site", { name });
  const width = write(look, title, rect.x + geo.pad, rect.y + 20, { size: look.compact ? 11 : 12, weight: 600, colour: c.ink });
  if (!look.compact && geo.b) write(look, t(`map.does_${which}`), rect.x + geo.pad + width + 8, rect.y + 20);
}

/** Quiet rails that show where requests go. */
function ways(look, geo) {
  const { ctx, c } = look;
  ctx.strokeStyle = faded(c.faint, 0.55);
  ctx.lineWidth = 1;
  ctx.setLineDash([2, 4]);
  ctx.beginPath();
  const boxes = geo.prefill.cells.map((cell) => cell.box);
  if (geo.compact) for (const box of boxes) path(ctx, [[box.x + box.w, middle(box)], [geo.outX, middle(box)]]);
  const ends = [middle(boxes[0]), middle(boxes.at(-1)), geo.way.y];
  path(ctx, [[geo.outX, Math.min(...ends)], [geo.outX, Math.max(...ends)]]);
  path(ctx, [[geo.outX, geo.way.y], [geo.way.x0, geo.way.y]]);
  path(ctx, rdma(geo));
  const mains = geo.main.cells.map((cell) => middle(cell.box));
  path(ctx, [[geo.inX, Math.min(...mains, geo.way.y)], [geo.inX, Math.max(...mains, geo.relay ? geo.ids.y : 0)]]);
  path(ctx, [[geo.way.x1, geo.way.y], [geo.inX, geo.way.y]]);
  if (geo.prefillB) path(ctx, rdmaB(geo));
  if (geo.relay) path(ctx, [[geo.ids.x0 - geo.pad, geo.ids.y], [geo.inX, geo.ids.y]]);
  ctx.stroke();
  ctx.setLineDash([]);
}

function path(ctx, points) {
  points.forEach(([x, y], i) => (i ? ctx.lineTo(x, y) : ctx.moveTo(x, y)));
}

function poolTitle(look, pool, role, name, detail) {
  const { x, y } = pool.title;
  pool.titleW = write(look, name, x, y, { size: 12, weight: 650, colour: look.c[role] });
  if (detail) write(look, detail, x + pool.titleW + 6, y, { size: 11 });
}

const chipsOf = (pool) => t("map.chips", { instances: pool.instances, each: pool.chips_per_instance, chip: pool.chip.name });

function prefill(look, pool, name, instances, described) {
  poolTitle(look, pool, "p", name, look.compact ? "" : `${t("map.prefill")} · ${chipsOf(described)}`);
  instances.forEach((seen, i) => {
    const cell = pool.cells[i];
    if (!cell) return;
    queueLane(look, cell.queue);
    instance(look, cell.box, "p", seen.state, seen.busy ? 0.16 : 0.05);
    if (cell.tail.w && cell.box.h > 11) {
      const text = seen.state === "lost" ? t("map.lost") : seen.backlog_s >= 0.5 ? span(seen.backlog_s) : t("map.idle");
      tail(look, cell, text, seen.state === "lost");
    }
  });
}

function queueLane(look, queue) {
  if (!queue) return;
  const { ctx, c } = look;
  ctx.strokeStyle = faded(c.faint, 0.5);
  ctx.beginPath();
  path(ctx, [[queue.x, Math.round(middle(queue)) + 0.5], [queue.x + queue.w, Math.round(middle(queue)) + 0.5]]);
  ctx.stroke();
}

function tail(look, cell, text, bad) {
  write(look, text, cell.tail.x, middle(cell.box) + 4, { colour: bad ? look.c.red : look.c.soft });
}

/** One instance: its box, hatched when lost, dashed while it drains. */
function instance(look, box, role, state, strength) {
  const { ctx, c } = look;
  const colour = state === "lost" ? c.red : c[role];
  rounded(ctx, box, 5);
  ctx.fillStyle = faded(colour, state === "lost" ? 0.06 : strength);
  ctx.fill();
  if (state === "lost") hatch(ctx, box, faded(colour, 0.35));
  ctx.setLineDash(state === "draining" ? [4, 3] : []);
  ctx.strokeStyle = faded(colour, state === "up" ? 0.6 : 0.9);
  ctx.lineWidth = 1;
  rounded(ctx, box, 5);
  ctx.stroke();
  ctx.setLineDash([]);
}

function hatch(ctx, box, colour) {
  ctx.save();
  rounded(ctx, box, 5);
  ctx.clip();
  ctx.strokeStyle = colour;
  ctx.beginPath();
  for (let x = box.x - box.h; x < box.x + box.w; x += 7) path(ctx, [[x, box.y + box.h], [x + box.h, box.y]]);
  ctx.stroke();
  ctx.restore();
}

function decode(look, pool, seen, described, role, geo) {
  const name = role === "rld" ? "RLD" : geo.relay ? "MD" : t("map.decode_short");
  const what = t(role === "rld" ? "map.relay" : geo.relay ? "map.main" : "map.decode");
  poolTitle(look, pool, role, name, look.compact ? "" : `${what} · ${chipsOf(described)}`);
  if (!look.compact && seen.queue > 0) {
    write(look, t("map.waiting", { count: seen.queue }), pool.right, pool.title.y, { align: "right", colour: look.c.amber, weight: 600 });
  }
  seen.instances.forEach((one, i) => {
    const cell = pool.cells[i];
    if (cell) decodeInstance(look, cell, one, role);
  });
}

function decodeInstance(look, cell, one, role) {
  const { ctx, c } = look;
  const { box } = cell;
  const share = one.slots ? one.used / one.slots : 0;
  const full = share > NEARLY_FULL;
  instance(look, box, role, one.state, 0.07);
  if (one.state !== "lost" && box.h > 12) {
    const meter = { x: box.x + 5, y: box.y + box.h - 5, w: box.w - 10, h: 2.5 };
    rounded(ctx, meter, 1);
    ctx.fillStyle = faded(c[role], 0.22);
    ctx.fill();
    rounded(ctx, { ...meter, w: meter.w * Math.min(1, share) }, 1);
    ctx.fillStyle = full ? c.glow : c[role];
    ctx.fill();
  }
  if (!cell.tail.w || box.h < 12) return;
  if (one.state === "lost") return tail(look, cell, t("map.lost"), true);
  if (box.h > 30) {
    const small = one.state === "draining" ? t("map.drains") : full ? t("map.full") : t("map.of_slots", { slots: one.slots });
    write(look, small, cell.tail.x, middle(box) + 12, { size: 10.5, colour: full ? c.amber : c.soft });
  }
}

function line(look, geo, frame, scenario, smooth) {
  const { ctx, c } = look;
  const { x0, x1, y, h } = geo.line;
  const { gbps, capacity_gbps: capacity, cut } = frame.line;
  const use = smooth.line ?? (capacity > 0 ? gbps / capacity : 0);
  const full = use > NEARLY_FULL;
  const colour = cut ? c.red : full ? c.glow : c.line;
  const pipe = { x: x0, y: y - h / 2, w: x1 - x0, h };
  if (cut) cutLine(look, pipe, colour);
  else {
    ctx.fillStyle = faded(colour, 0.14);
    ctx.fillRect(pipe.x, pipe.y, pipe.w, pipe.h);
    const filled = h * Math.min(1, use);
    ctx.fillStyle = faded(colour, 0.3);
    ctx.fillRect(pipe.x, y - filled / 2, pipe.w, filled);
    ctx.strokeStyle = faded(colour, 0.75);
    ctx.lineWidth = 1;
    ctx.beginPath();
    path(ctx, [[x0, pipe.y], [x1, pipe.y]]);
    path(ctx, [[x0, pipe.y + h], [x1, pipe.y + h]]);
    ctx.stroke();
  }
  lineTexts(look, geo, { use, full, cut }, scenario);
}

function cutLine(look, pipe, colour) {
  const { ctx } = look;
  const third = pipe.w * 0.36;
  for (const x of [pipe.x, pipe.x + pipe.w - third]) {
    const piece = { x, y: pipe.y, w: third, h: pipe.h };
    ctx.fillStyle = faded(colour, 0.12);
    ctx.fillRect(piece.x, piece.y, piece.w, piece.h);
    hatch(ctx, piece, faded(colour, 0.4));
  }
  ctx.strokeStyle = colour;
  ctx.lineWidth = 2;
  ctx.beginPath();
  const [x, y] = [pipe.x + pipe.w / 2, pipe.y + pipe.h / 2];
  path(ctx, [[x - 5, y - 5], [x + 5, y + 5]]);
  path(ctx, [[x + 5, y - 5], [x - 5, y + 5]]);
  ctx.stroke();
}

function lineTexts(look, geo, seen, scenario) {
  const { x0, x1, y, h } = geo.line;
  const center = (x0 + x1) / 2;
  const gbps = scenario.line?.bandwidth_gbps;
  const above = y - h / 2;
  const { c } = look;
  const name = gbps === null ? t("map.unlimited") : joined([plain(gbps), "Gbps"]);
  write(look, name, center, above - (look.compact ? 8 : 24), { size: look.compact ? 11 : 14, weight: 650, colour: c.ink, align: "center" });
  const state = seen.cut ? t("map.cut") : seen.full ? t("map.line_full", { use: joined(percent(seen.use, 0)) }) : t("map.line_use", { use: joined(percent(seen.use, 0)) });
  const strong = seen.cut ? c.red : seen.full ? c.amber : c.soft;
  if (look.compact) write(look, seen.cut ? t("map.cut_short") : joined(percent(seen.use, 0)), center, y + h / 2 + 13, { size: 10.5, align: "center", colour: strong });
  else {
    write(look, state, center, above - 8, { align: "center", colour: strong, weight: seen.cut || seen.full ? 600 : 400 });
    write(look, t("map.rtt", { rtt: plain(scenario.line?.rtt_ms ?? 0) }), center, y + h / 2 + 31, { align: "center" });
    if (geo.relay) write(look, t("map.ids"), center, geo.ids.y - 7, { align: "center" });
  }
}

function drc(look, geo, seen) {
  const { ctx, c } = look;
  const rect = geo.drc;
  const share = seen.size_tb ? seen.used_tb / seen.size_tb : 0;
  const full = share > NEARLY_FULL;
  const size = seen.size_tb === null ? "∞" : number(seen.size_tb, 2);
  const held = t("map.drc_held", { used: seen.used_tb.toFixed(1), size });
  write(look, rect.w < 270 ? t("map.drc_short") : t("map.drc"), rect.x, rect.y - 6, { size: 10.5 });
  write(look, full ? t("map.drc_full", { held }) : held, rect.x + rect.w, rect.y - 6, { size: 10.5, align: "right", colour: full ? c.amber : c.soft });
  rounded(ctx, rect, 3);
  ctx.fillStyle = faded(c.md, 0.15);
  ctx.fill();
  rounded(ctx, { ...rect, w: rect.w * Math.min(1, share) }, 3);
  ctx.fillStyle = full ? c.glow : c.md;
  ctx.fill();
}
