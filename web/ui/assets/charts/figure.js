/** One chart as plotly.js wants it: traces and layout of courses, ghosts, marks and limits. */

import { hourMinute } from "../format.js";
import { faded } from "../palette.js";
import { t } from "../texts.js";
import { joinedCourse, smoothed, until } from "./series.js";

/** Steps in s between ticks of the time axis. */
const STEPS = [30, 60, 120, 300, 600, 1200, 1800, 3600];

/**
 * @param {import("./series.js").CHARTS[0]} chart
 * @param {any[]} panes
 * @param {{colours: Object, range: number[], width: number}} view
 */
export function figure(chart, panes, view) {
  return { data: traces(chart, panes, view), layout: layout(chart, panes, view) };
}

function traces(chart, panes, { colours }) {
  const several = panes.length > 1;
  const now = nowOf(panes);
  const found = [];
  panes.forEach(({ model, name }, i) => {
    for (const course of chart.courses) {
      if (course.needs && !model.scenario?.[course.needs]) continue;
      const { x, y, ghostX, ghostY } = joinedCourse(until(model.courses, now), model.forecast, course);
      if (course.role === "soft" && !course.right && ![...y, ...ghostY].some(Boolean)) continue; // no queue, no line on the axis
      const colour = colours[course.role];
      const label = several ? `${t(`courses.${course.name}`)} ${t(`panes.${name}`)}` : t(`courses.${course.name}`);
      const axis = course.right ? { yaxis: "y2" } : {};
      if (course.baseline && hasBaseline(panes)) found.push(baseline(model, course, colours, chart));
      found.push({
        x, y, name: label, ...axis, ...shape(course, colour, i, several), hovertemplate: chart.hover
      });
      found.push({ x: ghostX, y: ghostY, name: t("courses.coming", { name: label }), ...axis, ...ghost(colour, i), hovertemplate: chart.hover });
    }
  });
  return found;
}

/** The moment up to which all panes have come: what one knows beyond it is not its past on this chart. */
export function nowOf(panes) {
  return Math.min(...panes.map(({ model }) => model.t));
}

/** Whether the baseline's courses are drawn: beside two twins there is no room for a third. */
export function hasBaseline(panes) {
  return panes.length === 1 && panes[0].model.baselineCourses.time_s.length > 0;
}

const SIMPLE = { type: "scatter", mode: "lines", connectgaps: true, };

function shape(course, colour, i, several) {
  const width = course.right || course.role === "soft" ? 1 : 1.6;
  const filled = course.area && !several ? { fill: "tozeroy", fillcolor: faded(colour, 0.09) } : {};
  const dash = i ? "6px,3px" : "solid";
  if (course.band && !several) return { ...SIMPLE, line: { color: faded(colour, 0.42), width: 4.5 } };
  return { ...SIMPLE, ...filled, line: { color: faded(colour, course.right ? 0.75 : 1), width, dash } };
}

function ghost(colour, i) {
  return { ...SIMPLE, line: { color: faded(colour, i ? 0.5 : 0.75), width: 1.4, dash: "1.5px,3px" } };
}

function baseline(model, course, colours, chart) {
  const raw = model.baselineCourses.values[course.name] ?? [];
  const y = smoothed(raw, course.mean);
  return {
    ...SIMPLE, x: model.baselineCourses.time_s, y, name: t("courses.baseline"),
    line: { color: faded(colours.ink, 0.75), width: 1.1, dash: "5px,3px" }, hovertemplate: chart.hover,
  };
}

function layout(chart, panes, { colours, range, width }) {
  const font = { family: colours.font, size: 11, color: colours.soft };
  const right = chart.courses.some((course) => course.right);
  const axis = { gridcolor: faded(colours.edge, 0.7), zeroline: false, linecolor: colours.edge, tickfont: font, fixedrange: true, nticks: 5 };
  return {
    autosize: false, height: CHART_H, width,
    margin: { l: 38, r: right ? 30 : 12, t: 6, b: 22 } /* the stylesheet knows them too */,
    paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)", font,
    showlegend: false, hovermode: "x unified", dragmode: coarse() ? false : "zoom",
    hoverlabel: { bgcolor: colours.card, bordercolor: colours.edge, font: { family: colours.font, size: 12, color: colours.ink } },
    xaxis: { ...axis, ...ticks(range, width), range, fixedrange: coarse(), showgrid: false, ticks: "outside", ticklen: 4, tickcolor: colours.edge, hoverformat: ".0f", spikecolor: colours.soft, spikethickness: 1, spikedash: "2px,2px" },
    yaxis: { ...axis, rangemode: chart.zero ? "tozero" : "nonnegative", tickformat: chart.tickformat, side: "left" },
    ...(right ? { yaxis2: { ...axis, overlaying: "y", side: "right", showgrid: false, rangemode: "tozero", tickmode: "auto", nticks: 4 } } : {}),
    shapes: shapes(chart, panes, colours),
  };
}

export const CHART_H = 158;

const coarse = () => window.matchMedia("(pointer: coarse)").matches;

/** Ticks at whole steps, with room for each. */
export function ticks([from, to], width) {
  const most = Math.max(2, Math.floor((width - 50) / 48));
  const step = STEPS.find((one) => (to - from) / one <= most) ?? 7200;
  const tickvals = [];
  for (let at = Math.ceil(Math.max(0, from) / step) * step; at <= to; at += step) tickvals.push(at);
  return { tickvals, ticktext: tickvals.map(hourMinute) };
}

function shapes(chart, panes, colours) {
  const now = nowOf(panes);
  const found = [
    { type: "rect", xref: "x", yref: "paper", x0: now, x1: now + 3600, y0: 0, y1: 1, fillcolor: faded(colours.accent, 0.05), line: { width: 0 }, layer: "below" },
    { type: "line", xref: "x", yref: "paper", x0: now, x1: now, y0: 0, y1: 1, line: { color: faded(colours.accent, 0.8), width: 1 }, layer: "below" },
  ];
  panes.forEach((pane, i) => {
    const times = marks(pane.model.log);
    if (times.length) found.push({ type: "path", path: times.map((at) => `M ${at},0 L ${at},1`).join(" "), xref: "x", yref: "paper", layer: "below", line: { color: faded(colours.ink, 0.28), width: 1, dash: i ? "6px,3px" : "2px,2px" } });
    const limit = chart.limit?.(pane.model.scenario ?? {});
    if (limit && limit < 1000) found.push({ type: "line", xref: "paper", yref: "y", x0: 0, x1: 1, y0: limit, y1: limit, line: { color: faded(colours.line, 0.55), width: 1, dash: "5px,4px" } });
  });
  return found;
}

/** Times of changes, those of one drag taken together. */
export function marks(log, apart = 45) {
  const found = [];
  for (const entry of log) {
    if (!found.length || entry.at_s - found.at(-1) > apart) found.push(entry.at_s);
  }
  return found;
}
