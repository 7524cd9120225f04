/** A chart as a picture that is understood without the page: title, legend, units, simulated time. */

import { clock } from "../format.js";
import { t } from "../texts.js";

/** A picture is made without the page's own font: texts are measured in the one they get. */
const PLAIN = "sans-serif";

/**
 * @param {import("./series.js").CHARTS[0]} chart
 * @param {{data: Object[], layout: Object}} drawn the chart as it stands on the page
 * @param {any[]} panes
 * @param {Object<string, string>} colours
 * @returns {{data: Object[], layout: Object}}
 */
export function picture(chart, { data, layout }, panes, colours) {
  const units = (right) => chart.courses.filter((course) => Boolean(course.right) === right).map((course) => t(`courses_units.${course.name}`));
  const named = (axis, right) => ({ ...axis, title: { text: [...new Set(units(right))].join(", "), font: { size: 12 } } });
  const { yaxis2 } = layout;
  return {
    data: data.map((trace) => ({ ...trace, showlegend: trace.x?.length > 0 })),
    layout: {
      ...layout, font: { ...layout.font, family: PLAIN }, paper_bgcolor: colours.card, plot_bgcolor: colours.card, autosize: true, width: undefined, height: undefined,
      margin: { l: 64, r: yaxis2 ? 64 : 24, t: 74, b: 84 },
      title: { text: `${t(`charts.${chart.key}`)}<br><sup>${subtitle(panes)}</sup>`, x: 0.02, xanchor: "left", font: { size: 17, color: colours.ink } },
      showlegend: true, legend: { orientation: "h", x: 0, y: -0.22, font: { size: 12, color: colours.ink, family: PLAIN } },
      xaxis: { ...layout.xaxis, title: { text: t("charts.time_axis"), font: { size: 12 } } },
      yaxis: named(layout.yaxis, false),
      ...(yaxis2 ? { yaxis2: named(yaxis2, true) } : {}),
    },
  };
}

/** Which scenario, seed and moment. */
function subtitle(panes) {
  return panes.map(({ model, name }) => t("charts.subtitle", {
    scenario: plainly(model.title || model.scenario.title || model.scenario.name), seed: model.seed ?? 0,
    entries: model.log.length, at: clock(model.t), twin: panes.length > 1 ? ` (${t(`panes.${name}`)})` : "",
  })).join("<br>");
}

/** The library reads some markup in titles: a name has none. */
const plainly = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
