/** The rolling charts: the last half hour and the ten minutes to come, redrawn a few times a second. */

import { attr, h, say, shown } from "../dom.js";
import { clock } from "../format.js";
import { AHEAD_S, PAST_S } from "../data/model.js";
import { palette } from "../palette.js";
import { t } from "../texts.js";
import { figure, hasBaseline, nowOf } from "./figure.js";
import { picture } from "./picture.js";
import { CHARTS, smoothed } from "./series.js";

/** Least time between two redraws of one chart while nothing is turned (ms), slow and fast twins. */
const EVERY_MS = { slow: 2000, fast: 450 };

/** Time (ms) that drawing may take of one frame before the rest waits for the next. */
const ROOM_MS = { forecast: 60, usual: 8 };

/** Pace above which a course moves by more than a few pixels a second. */
const FAST = 20;

const CONFIG = { displayModeBar: false, responsive: false, doubleClick: false, showTips: false, scrollZoom: false };

let library = null;

/** plotly.js, fetched once and only when charts are to be drawn. */
export function plotly(url) {
  library ??= new Promise((resolve, reject) => {
    if (window.Plotly) return resolve(window.Plotly);
    const script = h("script", { src: url, async: true });
    script.onload = () => resolve(window.Plotly);
    script.onerror = () => {
      library = null;
      reject(new Error(t("errors.charts")));
    };
    document.head.append(script);
  });
  return library;
}

export class Charts {
  /** @param {{panes: () => any[], loop: any, meter: any, url: string, failed: (error: Error) => void}} ctx */
  constructor({ panes, loop, meter, url, failed }) {
    Object.assign(this, { panes, loop, meter, zoom: null, awaited: null, next: null, known: -1 });
    this.charts = CHARTS.map((chart) => new Chart(chart, this));
    this.follow = h("button", { class: "button quiet", type: "button", hidden: true, onclick: () => this.zoomTo(null) }, t("charts.follow"));
    this.el = h("section", { class: "charts", "aria-label": t("charts.label") }, this.charts.map((chart) => chart.el), this.follow);
    this.sight = new IntersectionObserver((seen) => {
      for (const { target, isIntersecting } of seen) {
        const chart = this.charts.find((one) => one.el === target);
        chart.visible = isIntersecting;
        if (isIntersecting) [chart.dirty, chart.drawnAt] = [true, 0];
      }
    }, { threshold: 0.25 });
    this.sizes = new ResizeObserver((seen) => {
      for (const { target, contentRect } of seen) this.charts.find((one) => one.stage === target).width = Math.floor(contentRect.width);
      this.all();
    });
    for (const chart of this.charts) {
      this.sight.observe(chart.el);
      this.sizes.observe(chart.stage);
    }
    this.stop = loop.every((now) => this.step(now));
    plotly(url).then((found) => (this.Plotly = found), failed);
  }

  /** Charts of parts that no deployment here has are left out. */
  fit() {
    for (const { usual } of this.charts) if (usual) shown(usual, hasBaseline(this.panes()));
    const has = (part) => !part || this.panes().some(({ model }) => model.scenario?.[part]);
    for (const { chart, el, values } of this.charts) {
      shown(el, has(chart.needs));
      for (const { course, name } of values) shown(name, has(course.needs));
    }
  }

  /** Everything is to be drawn anew: another theme, size, scenario or number of panes. */
  all() {
    for (const chart of this.charts) [chart.dirty, chart.drawnAt] = [true, 0];
  }

  restyle() {
    this.colours = null;
    this.all();
  }

  /** New samples have come. */
  more() {
    for (const chart of this.charts) chart.dirty = true;
  }

  /** A forecast has come: after a turn it is drawn at once, one after the other; else in time. */
  ahead(forecast) {
    if (forecast.entry <= this.known) return this.more();
    this.known = forecast.entry;
    if (this.awaited) this.next = forecast;
    else this.drawAll(forecast);
  }

  drawAll(forecast) {
    this.all();
    this.awaited = forecast;
  }

  /** Draws charts before a paint as long as motion stays smooth, one at least. */
  step(now) {
    if (!this.Plotly || !this.panes()[0]?.model.scenario) return;
    const every = this.panes()[0].model.pace > FAST ? EVERY_MS.fast : EVERY_MS.slow;
    const due = (chart) => chart.dirty && chart.visible && now - chart.drawnAt >= (chart.drawnAt ? every : 0);
    const began = performance.now();
    const room = this.awaited ? ROOM_MS.forecast : ROOM_MS.usual;
    for (const chart of this.charts.filter(due)) {
      this.colours ??= palette(this.el);
      chart.draw(this.Plotly, this.view(chart), now);
      if (performance.now() - began > room) break;
    }
    if (this.awaited && !this.charts.some((one) => one.visible && one.dirty && !one.drawnAt)) this.aheadDrawn();
  }

  aheadDrawn() {
    this.meter?.drawn("forecast", this.awaited.entry);
    this.awaited = null;
    const { next } = this;
    this.next = null;
    if (next) this.drawAll(next);
  }

  view(chart) {
    const now = nowOf(this.panes());
    const range = this.zoom ?? [Math.max(now - PAST_S, Math.min(0, now)), now + AHEAD_S];
    return { colours: this.colours, range, width: chart.width };
  }

  /** Look at a stretch of time on all charts; null: follow the present. */
  zoomTo(range) {
    this.zoom = range;
    shown(this.follow, range !== null);
    attr(this.el, "data-zoomed", range !== null);
    this.all();
  }

  dispose() {
    this.stop();
    this.sight.disconnect();
    this.sizes.disconnect();
    for (const chart of this.charts) if (chart.made) this.Plotly?.purge(chart.stage);
  }
}

class Chart {
  constructor(chart, all) {
    Object.assign(this, { chart, all, dirty: true, visible: false, drawnAt: 0, made: false, width: 0 });
    this.values = chart.courses.map((course) => {
      const el = h("b", { class: "series-value" });
      const name = h("span", { class: `series of-${course.role}${course.right ? " right" : ""}` }, h("i", { class: "swatch" }), t(`courses.${course.name}`), el);
      return { course, el, name };
    });
    const series = this.values.map(({ name }) => name);
    const usual = chart.courses.some((course) => course.baseline) ? h("span", { class: "series baseline" }, h("i", { class: "swatch" }), t("courses.baseline")) : null;
    this.usual = usual;
    this.stage = h("div", { class: "chart-stage" });
    const right = chart.courses.some((course) => course.right);
    const coming = h("span", { class: `chart-coming${right ? " right" : ""}`, "aria-hidden": "true" }, t("charts.forecast"));
    this.save = h("button", { class: "icon-button", type: "button", title: t("charts.save"), "aria-label": t("charts.save_one", { title: t(`charts.${chart.key}`) }), onclick: () => this.png() }, "↓");
    this.summary = h("p", { class: "unseen" });
    this.el = h("figure", { class: "card chart", "aria-label": t(`charts.${chart.key}`) },
      h("figcaption", { class: "chart-head" }, h("span", { class: "chart-title" }, t(`charts.${chart.key}`)), h("span", { class: "chart-series" }, series, usual)),
      h("div", { class: "chart-frame" }, this.stage, coming, this.save), this.summary);
  }

  draw(Plotly, view, now) {
    if (view.width < 40) return;
    [this.dirty, this.drawnAt] = [false, now];
    if (this.usual) shown(this.usual, hasBaseline(this.all.panes()));
    const { data, layout } = figure(this.chart, this.all.panes(), view);
    Plotly.react(this.stage, data, layout, CONFIG);
    if (!this.made) this.listen();
    this.latest();
  }

  listen() {
    this.made = true;
    this.stage.on("plotly_relayout", (change) => {
      const [from, to] = [change["xaxis.range[0]"], change["xaxis.range[1]"]];
      if (typeof from === "number" && typeof to === "number" && to - from > 10) this.all.zoomTo([from, to]);
    });
    this.stage.on("plotly_doubleclick", () => this.all.zoomTo(null));
    const labels = new MutationObserver(() => this.time());
    labels.observe(this.stage.querySelector(".hoverlayer"), { childList: true, subtree: true });
  }

  /** Heads the hover label with simulated time: the library knows no times beyond a day. */
  time() {
    const title = this.stage.querySelector(".hoverlayer .legendtitletext");
    if (title) say(title, clock(Number(title.dataset.unformatted)));
  }

  /** The newest value of each course, beside its name. */
  latest() {
    const { courses, t: now } = this.all.panes()[0].model;
    const told = [];
    for (const { course, el, name } of this.values) {
      if (name.hidden) continue;
      const values = courses.values[course.name] ?? [];
      const last = smoothed(values.slice(-24), course.mean).at(-1);
      say(el, last === null || last === undefined ? "" : this.chart.read(last));
      told.push(`${t(`courses.${course.name}`)} ${el.textContent}`);
    }
    say(this.summary, `${clock(now)}: ${told.join(", ")}`);
    attr(this.el, "data-drawn", Number(this.el.dataset.drawn ?? 0) + 1);
  }

  png() {
    const panes = this.all.panes();
    this.all.Plotly.downloadImage(picture(this.chart, this.stage, panes, this.all.colours), { format: "png", width: 960, height: 460, scale: 2, filename: `${panes[0].model.scenario.name}-${this.chart.key}` });
  }
}
