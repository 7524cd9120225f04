/** What the particles' shapes and colours stand for; only what occurs is listed. */

import { h, shown, svg } from "../dom.js";
import { t } from "../texts.js";
import { hasOrphans } from "./particles.js";

const SHAPES = {
  dot: () => svg("circle", { cx: 6, cy: 6, r: 4 }),
  diamond: () => svg("path", { d: "M6 1 11 6 6 11 1 6Z" }),
  square: () => svg("rect", { x: 2, y: 2, width: 8, height: 8 }),
  triangle: () => svg("path", { d: "M6 1.5 11 10.5 1 10.5Z" }),
};

const ITEMS = [
  { key: "unrouted", shape: "dot", role: "p", pipelines: [-1] },
  { key: "p_md", shape: "dot", role: "md", pipelines: [0] },
  { key: "p_d", shape: "dot", role: "md", pipelines: [4] },
  { key: "pb_md", shape: "square", role: "md", pipelines: [6] },
  { key: "p_rld_md", shape: "diamond", role: "rld", pipelines: [1] },
  { key: "p_rld", shape: "square", role: "red", pipelines: [2] },
  { key: "filtered", shape: "triangle", role: "red", pipelines: [3] },
  { key: "kv", shape: "diamond", role: "rld", hollow: true, pipelines: [] },
  { key: "kv_early", shape: "dot", role: "p", hollow: true, pipelines: [] },
  { key: "orphan", shape: "diamond", role: "faint", hollow: true, pipelines: [] },
];

/** What is listed as long as nothing is known: the usual ones, so that nothing jumps. */
const USUAL = new Set(["unrouted", "p_md", "p_rld_md", "kv"]);

/**
 * @param {import("../data/model.js").Model} model
 * @param {any} tooltip
 */
export function legend(model, tooltip) {
  const items = ITEMS.map((item) => {
    const mark = svg("svg", { width: 12, height: 12, viewBox: "0 0 12 12", class: `mark of-${item.role}${item.hollow ? " hollow" : ""}`, "aria-hidden": "true" }, SHAPES[item.shape]());
    const el = h("li", { tabindex: 0 }, mark, t(`legend.${item.key}`));
    tooltip.help(el, () => ({ title: t(`legend.${item.key}`), lines: [t(`legend_help.${item.key}`)] }));
    return { item, el };
  });
  const usual = (item, scenario) => ({
    unrouted: true,
    p_md: Boolean(scenario.line),
    p_d: !scenario.line,
    pb_md: Boolean(scenario.prefill_b),
    p_rld_md: Boolean(scenario.relay_decode),
    p_rld: scenario.policy.p_rld,
    filtered: scenario.policy.singular_filter,
    kv: Boolean(scenario.relay_decode),
    kv_early: Boolean(scenario.line && scenario.policy.layerwise_transfer),
    orphan: model.frame ? hasOrphans(model.frame) : false,
  })[item.key];
  const update = () => {
    if (!model.scenario) return items.forEach(({ item, el }) => shown(el, USUAL.has(item.key)));
    const seen = new Set((model.frame?.requests ?? []).map((request) => request[1]));
    for (const { item, el } of items) {
      shown(el, usual(item, model.scenario) || item.pipelines.some((one) => seen.has(one)));
    }
  };
  model.on("scenario", update);
  model.on("tiles", update);
  update();
  return h("ul", { class: "legend", "aria-label": t("legend.label") }, items.map(({ el }) => el));
}
