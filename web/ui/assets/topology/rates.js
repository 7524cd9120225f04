/** For those who asked for less motion: counts and rates where particles would be. */

import { number, plain } from "../format.js";
import { t } from "../texts.js";
import { middle } from "./geometry.js";
import { write } from "./scene.js";

/** Samples (5 s each) over which a rate is taken. */
const SAMPLES = 12;

export function drawRates(look, geo, frame, model) {
  const { c } = look;
  const big = { size: look.compact ? 12 : 15, weight: 650, colour: c.ink, align: "center" };
  const badge = (count, rect, ground) => {
    if (!count) return;
    const [x, y] = [rect.x + rect.w / 2, middle(rect)];
    look.ctx.fillStyle = ground ?? "transparent";
    look.ctx.fillRect(x - 16, y - 8, 32, 16);
    write(look, plain(count), x, y + 5, big);
  };
  const byInstance = (place, i) => frame.requests.filter((request) => request[2] === place && request[3] === i).length;
  geo.prefill.cells.forEach((cell, i) => {
    if (cell.box.h < 14) return;
    badge(byInstance(0, i), cell.queue, c.card);
    badge(byInstance(1, i), cell.box);
  });
  (geo.prefillB?.cells ?? []).forEach((cell, i) => {
    if (cell.box.h < 14) return;
    badge(byInstance(9, i), cell.queue, c.card);
    badge(byInstance(10, i), cell.box);
  });
  for (const [pool, place] of [["relay", 5], ["main", 8]]) {
    (geo[pool]?.cells ?? []).forEach((cell, i) => cell.box.h >= 14 && badge(byInstance(place, i), cell.box));
  }
  const rate = recent(model.courses.values.throughput_rps);
  if (rate !== null && !look.compact) {
    write(look, t("map.rate", { rate: number(rate) }), (geo.way.x0 + geo.way.x1) / 2, 20, { size: 12, weight: 600, align: "center", colour: c.ink });
  }
}

function recent(values) {
  const known = (values ?? []).slice(-SAMPLES).filter((value) => value !== null);
  return known.length ? known.reduce((sum, value) => sum + value, 0) / known.length : null;
}
