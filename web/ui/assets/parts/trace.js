/** A request trace of one's own: uploaded with progress, shown as a profile, replayed as a run. */

import { h, say, shown, style } from "../dom.js";
import { joined, number, percent, plain, seconds } from "../format.js";
import { t } from "../texts.js";
import { Dialog } from "./dialog.js";

const POLL_MS = 400;

/** Failed questions in a row after which a run is given up. */
const PATIENCE = 10;

const MOST_PROBLEMS = 12;
const BUCKETS = ["<90", "90–95", "95–96", "96–97", "97–98", "98–99", ">99"];

export class TraceDialog {
  /** @param {{root: HTMLElement, api: any, model: () => any}} ctx */
  constructor({ root, api, model }) {
    Object.assign(this, { api, model });
    this.dialog = new Dialog({ root, name: "trace", title: t("trace.title"), wide: true });
    this.file = h("input", { type: "file", class: "unseen", id: "pdd-trace-file", onchange: () => this.send(this.file.files[0]) });
    this.drop = h("label", { class: "drop", for: "pdd-trace-file" }, h("strong", {}, t("trace.drop")), h("span", {}, t("trace.formats")), this.file);
    for (const name of ["dragover", "dragleave", "drop"]) this.drop.addEventListener(name, (event) => this.dragged(event));
    this.known = h("div", { class: "known-traces" });
    this.bar = h("i");
    this.progress = h("div", { class: "progress", role: "progressbar", "aria-valuemin": 0, "aria-valuemax": 100, hidden: true }, this.bar);
    this.stop = h("button", { class: "button", type: "button", hidden: true }, t("trace.cancel"));
    this.words = h("p", { class: "hint", role: "status" });
    this.problems = h("div", { class: "problems", role: "alert", hidden: true });
    this.profile = h("div", { class: "profile", hidden: true });
    this.result = h("div", { class: "run-result", hidden: true });
    this.dialog.el.addEventListener("close", () => shown(this.problems, false));
    this.dialog.body.append(h("p", { class: "hint" }, t("trace.about")), this.drop, this.known, this.words, this.progress, this.stop, this.problems, this.profile, this.result);
  }

  async open() {
    this.dialog.open();
    try {
      const list = await this.api.get("/traces");
      this.known.replaceChildren(h("span", { class: "label" }, t("trace.known")), ...list.map((trace) => h("button", { class: "preset", type: "button", onclick: () => this.pick(trace) }, trace.name)));
      shown(this.known, list.length > 0);
    } catch (error) {
      this.fail(error);
    }
  }

  async pick(trace) {
    this.clear();
    try {
      this.show(trace.profile ? trace : await this.api.get(`/traces/${encodeURIComponent(trace.id)}`));
    } catch (error) {
      this.fail(error);
    }
  }

  dragged(event) {
    event.preventDefault();
    this.drop.classList.toggle("is-over", event.type === "dragover");
    if (event.type === "drop") this.send(event.dataTransfer.files[0]);
  }

  async send(file) {
    if (!file) return;
    this.clear();
    this.move(0, t("trace.sending", { name: file.name }));
    try {
      const trace = await this.api.upload(`/traces?name=${encodeURIComponent(file.name)}`, file, (share) => this.move(share, t(share < 1 ? "trace.sending" : "trace.reading", { name: file.name })));
      this.move(null, "");
      this.show(trace);
    } catch (error) {
      this.fail(error);
    }
    this.file.value = "";
  }

  clear() {
    for (const el of [this.problems, this.profile, this.result]) shown(el, false);
    this.move(null, "");
  }

  move(share, sentence) {
    shown(this.progress, share !== null);
    style(this.bar, "width", `${(share ?? 0) * 100}%`);
    this.progress.setAttribute("aria-valuenow", Math.round((share ?? 0) * 100));
    say(this.words, sentence);
  }

  fail(error) {
    this.move(null, "");
    const groups = alike(error.problems ?? []);
    const told = groups.slice(0, MOST_PROBLEMS);
    const more = groups.slice(MOST_PROBLEMS).reduce((sum, group) => sum + group.length, 0);
    this.problems.replaceChildren(
      h("p", {}, told.length ? t("trace.refused") : error.message),
      h("ul", {}, told.map(([problem, ...others]) => h("li", {}, h("code", {}, problem.place), " ", problem.found ? t("trace.found", { found: problem.found }) : "", problem.remedy,
        others.length ? h("small", {}, " ", t("trace.alike", { count: others.length })) : null))),
      more > 0 ? h("p", {}, t("trace.more", { count: more })) : "");
    shown(this.problems, true);
  }

  show(trace) {
    const { profile } = trace;
    const facts = [["requests", plain(profile.requests)], ["mean_hit", joined(percent(profile.mean_hit))], ["token_hit", joined(percent(profile.token_weighted_hit))], ["above", joined(percent(profile.share_ge_95))], ["input", plain(profile.input_tokens)], ["output", plain(profile.output_tokens)]];
    this.profile.replaceChildren(
      h("h3", {}, trace.name),
      h("dl", { class: "facts" }, facts.map(([name, value]) => h("div", {}, h("dt", {}, t(`trace.${name}`)), h("dd", {}, value)))),
      profile.buckets ? bars(profile.buckets) : h("p", { class: "hint" }, t("trace.no_blocks")),
      ...(trace.notes ?? []).map((note) => h("p", { class: "hint" }, String(note))),
      h("button", { class: "button is-main", type: "button", onclick: () => this.replay(trace) }, t("trace.replay")));
    shown(this.profile, true);
  }

  async replay(trace) {
    shown(this.result, false);
    this.move(0, t("trace.starting"));
    try {
      const { id } = await this.api.post("/runs", { scenario: this.model().scenario, trace: trace.id, seed: this.model().seed ?? 0, kind: "run" });
      this.stop.onclick = () => this.api.remove(`/runs/${encodeURIComponent(id)}`).catch(() => null);
      shown(this.stop, true);
      const run = await this.finished(id);
      if (run.status !== "done") throw Object.assign(new Error(run.error?.message ?? t("trace.stopped")), { problems: run.error?.problems ?? [] });
      this.move(null, "");
      this.table(run.result, trace);
    } catch (error) {
      this.fail(error);
    } finally {
      shown(this.stop, false);
    }
  }

  /** The run once it has ended; a server that cannot say for a moment is asked again. */
  async finished(id) {
    for (let failures = 0; ; ) {
      try {
        const run = await this.api.get(`/runs/${encodeURIComponent(id)}`);
        if (!["queued", "running"].includes(run.status)) return run;
        failures = 0;
        this.move(run.progress ?? 0, t("trace.running", { share: joined(percent(run.progress ?? 0, 0)) }));
      } catch (error) {
        if (++failures > PATIENCE || (error.status > 0 && error.status < 500)) throw error;
      }
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  }

  table(result, trace) {
    const quantiles = (name, values) => [t(`trace.${name}`), ...["p50", "p90", "p99"].map((q) => joined(seconds(values?.[q])))];
    const single = (name, value) => h("div", {}, h("dt", {}, t(`trace.${name}`)), h("dd", {}, value));
    const row = (cells) => h("tr", {}, cells.map((cell, i) => h(i ? "td" : "th", i ? {} : { scope: "row" }, cell)));
    this.result.replaceChildren(
      h("h3", {}, t("trace.result", { name: trace.name, requests: plain(result.requests?.finished) })),
      h("table", {}, h("thead", {}, h("tr", {}, ["", "P50", "P90", "P99"].map((name) => h("th", { scope: "col" }, name)))),
        h("tbody", {}, row(quantiles("ttft", result.ttft_s)), row(quantiles("itl", result.itl_s)), row(quantiles("total", result.total_s)))),
      h("dl", { class: "facts" }, single("within", joined(percent(result.sla_ok_share))), single("throughput", joined([number(result.throughput_rps), "/s"])), single("rld", joined(percent(result.rld_token_share))),
        single("p_hit", joined(percent(result.p_hit))), single("md_hit", joined(percent(result.md_hit))), single("line", joined([number(result.line_gbps), "Gbps"]))),
      ...(result.troubles ?? []).map((trouble) => h("p", { class: "hint" }, trouble)));
    shown(this.result, true);
    this.result.scrollIntoView({ block: "nearest" });
  }
}

/** The shares of requests by hit rate as bars. */
function bars(shares) {
  const most = Math.max(...shares, 0.01);
  return h("div", { class: "mini-bars", role: "img", "aria-label": t("trace.buckets") },
    shares.map((share, i) => h("span", {}, h("b", {}, joined(percent(share))), h("i", { style: { height: `${(share / most) * 64}px` } }), h("small", {}, BUCKETS[i]))));
}

/** Problems that differ in the line alone, together; in the order of the first of each. */
export function alike(problems) {
  const groups = new Map();
  for (const problem of problems) {
    const key = `${problem.place.replace(/\bline \d+/, "line")}: ${problem.remedy}`;
    if (!groups.has(key)) groups.set(key, []);
    groups.get(key).push(problem);
  }
  return [...groups.values()];
}
