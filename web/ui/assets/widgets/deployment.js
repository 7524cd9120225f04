/** A small drawing of a deployment: its pools in their datacenters, and the line between. */

import { h, svg } from "../dom.js";
import { Tooltip } from "../parts/tooltip.js";

const [WIDTH, HEIGHT, LINE_X, SITE] = [320, 128, 70, 118];

/** @param {{root: HTMLElement}} options */
export function view({ root }) {
  const tooltip = new Tooltip(root);
  const holder = h("figure", { class: "deployment" });
  root.append(holder);
  return {
    update({ drawing }) {
      holder.replaceChildren(drawn(drawing, tooltip));
    },
    dispose: () => tooltip.dispose(),
  };
}

function drawn({ sites, line, label }, tooltip) {
  const one = sites.length === 1;
  const widths = one ? [WIDTH - 2] : [(WIDTH - LINE_X) / 2, (WIDTH - LINE_X) / 2];
  const picture = svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": label });
  sites.forEach((site, i) => picture.append(...siteOf(site, i ? WIDTH - widths[1] - 1 : 1, widths[i], tooltip)));
  if (line) picture.append(lineOf(line, widths[0], tooltip));
  return picture;
}

function siteOf(site, x, width, tooltip) {
  const high = (SITE - 22) / site.pools.length;
  const frame = svg("rect", { class: "site", x, y: 1, width, height: SITE, rx: 8 });
  const name = svg("text", { class: "site-name", x: x + 8, y: 15 }, site.name);
  return [frame, name, ...site.pools.map((pool, i) => poolOf(pool, { x: x + 6, y: 21 + i * high, w: width - 12, h: high - 5 }, tooltip))];
}

function poolOf(pool, { x, y, w, h: high }, tooltip) {
  const group = svg("g", { class: `pool of-${pool.role}`, tabindex: 0 },
    svg("rect", { class: "pool-box", x, y, width: w, height: high, rx: 5 }),
    svg("text", { class: "pool-name", x: x + 8, y: y + high / 2 - 3 }, pool.name),
    svg("text", { class: "pool-chips", x: x + 8, y: y + high / 2 + 11 }, pool.chips));
  return tooltip.help(group, () => ({ title: pool.title, lines: pool.lines }));
}

function lineOf(line, left, tooltip) {
  const [from, to, y] = [left + 2, WIDTH - left - 2, SITE / 2];
  const group = svg("g", { class: "wire of-line", tabindex: 0 },
    svg("line", { x1: from, x2: to, y1: y, y2: y, "stroke-width": line.width }),
    svg("text", { class: "wire-name", x: WIDTH / 2, y: y - 12, "text-anchor": "middle" }, line.name),
    svg("text", { class: "wire-note", x: WIDTH / 2, y: y + 20, "text-anchor": "middle" }, line.note));
  return tooltip.help(group, () => ({ title: line.title, lines: line.lines }));
}
