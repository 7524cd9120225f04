/** Where everything stands on the map of a deployment, for a size in CSS pixels. */

/**
 * @typedef {{x: number, y: number, w: number, h: number}} Rect
 * @typedef {{queue: Rect|null, box: Rect, tail: Rect}} Cell one instance: who waits, who is served, a number
 * @typedef {{prefill: number, prefillB: number, relay: number, main: number, line: boolean, drc: boolean, gbps: number}} Shape
 */

/** Numbers of `place` in a frame's requests. */
export const [P_QUEUE, P, RDMA, LINE, RLD_QUEUE, RLD, IDS, MD_QUEUE, MD, PB_QUEUE, PB] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10];

/** The way by RDMA from prefill in B to the decode beside it; a frame has one place for both. */
export const RDMA_B = 11;

const HEAD = 30;
const TITLE = 20;

/** What of a frame and its scenario decides where things stand. */
export function shapeOf(frame, scenario) {
  return {
    prefill: frame.prefill.length,
    prefillB: frame.prefill_b?.length ?? 0,
    relay: frame.relay?.instances.length ?? 0,
    main: frame.main.instances.length,
    line: Boolean(frame.line),
    drc: Boolean(frame.drc),
    gbps: scenario.line?.bandwidth_gbps ?? 400,
  };
}

/**
 * Lay out the map.
 * @param {number} w
 * @param {number} h
 * @param {Shape} shape
 */
export function layOut(w, h, shape) {
  const compact = w < 620;
  const gap = compact ? 0.17 : shape.line ? 0.19 : 0.1;
  const leftW = Math.round(w * (compact ? 0.42 : 0.43));
  const rightX = leftW + Math.round(w * gap);
  const pad = compact ? 8 : 16;
  const a = { x: 0.5, y: 0.5, w: (shape.line ? leftW : w) - 1, h: h - 1 };
  const b = shape.line ? { x: rightX + 0.5, y: 0.5, w: w - rightX - 1, h: h - 1 } : null;
  const inner = { x: pad, y: HEAD, w: leftW - 2 * pad - (compact ? 4 : 10), h: h - HEAD - pad };
  const geo = { w, h, compact, a, b, pad, radius: compact ? 3 : 4 };
  placeLeft(geo, inner, shape);
  placeRight(geo, rightX + pad, w - rightX - 2 * pad, shape);
  placeMiddle(geo, leftW, rightX, shape);
  return geo;
}

function placeLeft(geo, inner, shape) {
  const relayH = shape.relay ? Math.max(62, Math.min(inner.h * 0.36, 30 + shape.relay * 64)) : 0;
  const top = { ...inner, h: inner.h - relayH - (shape.relay ? 10 : 0) };
  geo.prefill = pool(top, shape.prefill, geo.compact, geo.compact ? 0.36 : 0.46);
  geo.relay = null;
  if (shape.relay) {
    const below = { ...inner, y: inner.y + inner.h - relayH, h: relayH };
    geo.relay = pool(below, shape.relay, geo.compact, 0.12);
    geo.gutterY = below.y - 4;
  }
  geo.outX = inner.x + inner.w + (geo.compact ? 4 : 10);
}

function placeRight(geo, x, w, shape) {
  const drcH = shape.drc ? 34 : 0;
  const inner = { x: x + 16, y: HEAD, w: w - 16, h: geo.h - HEAD - geo.pad - drcH };
  geo.prefillB = null;
  if (shape.prefillB) {
    const high = Math.round(inner.h * Math.min(0.5, shape.prefillB / (shape.prefillB + shape.main)));
    geo.prefillB = pool({ ...inner, w: inner.w - 8, h: high - 12 }, shape.prefillB, geo.compact, geo.compact ? 0.3 : 0.36);
    geo.gutterBY = inner.y + high - 6;
    Object.assign(inner, { y: inner.y + high, h: inner.h - high });
  }
  geo.main = pool(inner, shape.main, geo.compact, 0);
  geo.inX = x;
  geo.waiting = { x: x + 4, y: inner.y + TITLE, h: inner.h - TITLE };
  geo.drc = shape.drc ? { x: inner.x, y: geo.h - geo.pad - 10, w: inner.w, h: 6 } : null;
}

function placeMiddle(geo, leftW, rightX, shape) {
  const y = Math.round(geo.h * 0.42);
  geo.way = { x0: leftW, x1: rightX, y };
  geo.line = shape.line ? { x0: leftW, x1: rightX - 1, y, h: thickness(shape.gbps, geo.compact) } : null;
  geo.ids = { x0: leftW, x1: rightX, y: Math.round(geo.relay ? middle(geo.relay.cells[0].box) : geo.h * 0.8) };
}

/** Thickness of a line in px: even steps for each factor in bandwidth, 1 to 400 Gbps. */
export function thickness(gbps, compact) {
  const share = Math.log10(Math.max(1, Math.min(400, gbps))) / Math.log10(400);
  return Math.round((compact ? 6 : 8) + share * (compact ? 34 : 56));
}

/** A pool's title and the cells of its instances. */
function pool(rect, count, compact, queueShare) {
  const area = { x: rect.x, y: rect.y + TITLE, w: rect.w, h: rect.h - TITLE };
  const rows = Math.max(1, Math.min(count, Math.floor(area.h / 13)));
  const columns = Math.ceil(count / rows);
  const cells = [];
  for (let i = 0; i < count; i++) {
    const [column, row] = [Math.floor(i / rows), i % rows];
    const w = area.w / columns;
    const h = area.h / rows;
    cells.push(cell({ x: area.x + column * w, y: area.y + row * h, w: w - (columns > 1 ? 6 : 0), h }, compact, queueShare));
  }
  return { title: { x: rect.x, y: rect.y + 12 }, right: rect.x + rect.w, cells };
}

function cell(rect, compact, queueShare) {
  const space = rect.h > 24 ? 6 : 2;
  const tailW = compact || rect.w < 150 ? 0 : 46;
  const queueW = Math.round(rect.w * queueShare);
  const y = rect.y + space / 2;
  const h = rect.h - space;
  const box = { x: rect.x + queueW, y, w: rect.w - queueW - tailW, h };
  return {
    queue: queueW ? { x: rect.x, y, w: queueW - 6, h } : null,
    box,
    tail: { x: box.x + box.w + 6, y, w: tailW, h },
  };
}

/** Vertical middle of a rect. */
export function middle(rect) {
  return rect.y + rect.h / 2;
}

/** A number from -1 to 1 that stays with a request, so that neighbours do not lie on each other. */
export function lane(number) {
  return ((number * 0.6180339887) % 1) * 2 - 1;
}

/**
 * Where a request is: its place, and there its own share done.
 * @returns {{x: number, y: number}}
 */
export function spot(geo, number, place, instance, share, order = 0) {
  const side = lane(number);
  const at = (rect, part, spread) => ({
    x: rect.x + 7 + (rect.w - 14) * part,
    y: middle(rect) + side * Math.max(0, spread - geo.radius),
  });
  const of = (cells) => cells[Math.min(Math.max(instance, 0), cells.length - 1)];
  switch (place) {
    case P_QUEUE: {
      const queue = of(geo.prefill.cells).queue;
      return at(queue, share, Math.min(7, queue.h / 2));
    }
    case P:
      return at(of(geo.prefill.cells).box, share, 0);
    case PB_QUEUE: {
      const queue = of(geo.prefillB.cells).queue;
      return at(queue, share, Math.min(7, queue.h / 2));
    }
    case PB:
      return at(of(geo.prefillB.cells).box, share, 0);
    case RDMA:
      return along(rdma(geo), share);
    case RDMA_B:
      return along(rdmaB(geo), share);
    case LINE:
      return onLine(geo, side, share);
    case RLD_QUEUE:
      return relayQueue(geo, order);
    case RLD:
      return at(of(geo.relay.cells).box, share, of(geo.relay.cells).box.h / 2 - 6);
    case IDS:
      return { x: geo.ids.x0 + (geo.ids.x1 - geo.ids.x0) * share, y: geo.ids.y + side * 2 };
    case MD_QUEUE:
      return { x: geo.waiting.x, y: geo.waiting.y + Math.min(order * 9, geo.waiting.h) };
    default: {
      const box = of(geo.main.cells).box;
      return at(box, share, box.h / 2 - 5);
    }
  }
}

function onLine(geo, side, share) {
  const line = geo.line ?? { ...geo.way, h: 8 };
  return { x: line.x0 + (line.x1 - line.x0) * share, y: line.y + side * Math.max(0, line.h / 2 - geo.radius - 1) };
}

function relayQueue(geo, order) {
  const queue = (geo.relay ?? geo.main).cells[0].queue ?? geo.waiting;
  const rows = Math.max(1, Math.floor((queue.h - 4) / 9));
  const back = Math.min(Math.floor(order / rows) * 9, Math.max(0, (queue.w ?? 8) - 10));
  return { x: queue.x + (queue.w ?? 8) - 6 - back, y: queue.y + 6 + (order % rows) * 9 };
}

/** The way of a KV cache by RDMA: from P to RLD, or to MD where there is no line. */
export function rdma(geo) {
  if (!geo.relay) return [[geo.outX, geo.way.y], [geo.inX, geo.way.y]];
  const cell0 = geo.relay.cells[0];
  const entry = (cell0.queue ?? cell0.box).x - geo.pad / 2;
  return [[geo.outX, middle(geo.prefill.cells.at(-1).box)], [geo.outX, geo.gutterY], [entry, geo.gutterY], [entry, middle(cell0.box)]];
}

/** The way of a KV cache from prefill in B to main decode below it. */
export function rdmaB(geo) {
  const x = geo.prefillB.right + 4;
  return [[x, middle(geo.prefillB.cells[0].box)], [x, geo.gutterBY], [geo.inX, geo.gutterBY]];
}

/** The point at a share of a way. */
export function along(points, share) {
  const steps = points.slice(1).map((point, i) => Math.hypot(point[0] - points[i][0], point[1] - points[i][1]));
  let left = share * steps.reduce((sum, step) => sum + step, 0);
  for (let i = 0; i < steps.length; i++) {
    if (left <= steps[i] && steps[i] > 0) {
      const part = left / steps[i];
      const [from, to] = [points[i], points[i + 1]];
      return { x: from[0] + (to[0] - from[0]) * part, y: from[1] + (to[1] - from[1]) * part };
    }
    left -= steps[i];
  }
  const [x, y] = points.at(-1);
  return { x, y };
}
