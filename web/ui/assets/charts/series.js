/** Which courses each chart shows, and how a course is smoothed and joined to what comes. */

import { number, percent } from "../format.js";

const SAMPLE_S = 5;

/** Seconds over which states and rates are averaged: of single samples one sees only noise. */
export const STATE_S = 30;
export const RATE_S = 60;

const share = (value) => percent(value).join("\u202f");

/**
 * @typedef {Object} Course
 * @property {string} name in the API's courses
 * @property {string} role colour
 * @property {number} mean seconds over which it is averaged, back from each sample
 * @property {string} [needs] part of a deployment without which there is no such course
 * @property {boolean} [right] on the right axis
 * @property {boolean} [area] filled down to zero
 * @property {boolean} [band] drawn broad, so that a course upon it hides nothing
 * @property {boolean} [baseline] the baseline's course is drawn too
 */

/** @type {Array<{key: string, needs?: string, read: (v: number) => string, hover: string, tickformat?: string, courses: Course[], limit?: (scenario: any) => number|null, zero?: boolean}>} */
export const CHARTS = [
  { key: "relay", needs: "relay_decode", read: number, hover: "%{y:.1f}", zero: true, courses: [
    { name: "relay_queue", role: "soft", mean: STATE_S },
    { name: "relay_batch", role: "rld", area: true, mean: STATE_S },
  ] },
  { key: "line", needs: "line", read: number, hover: "%{y:.2f}", zero: true, limit: payload, courses: [
    { name: "line_gbps", role: "line", area: true, mean: RATE_S },
    { name: "line_flows", role: "soft", right: true, mean: STATE_S },
  ] },
  { key: "hits", read: share, hover: "%{y:.1%}", tickformat: ".0%", courses: [
    { name: "p_hit", role: "p", mean: RATE_S, band: true },
    { name: "md_hit", role: "md", mean: RATE_S },
  ] },
  { key: "main", read: number, hover: "%{y:.1f}", zero: true, courses: [
    { name: "main_queue", role: "soft", mean: STATE_S },
    { name: "main_batch", role: "md", area: true, baseline: true, mean: STATE_S },
  ] },
  { key: "backlog", read: number, hover: "%{y:.1f}", zero: true, courses: [
    { name: "prefill_backlog_s", role: "p", area: true, baseline: true, mean: STATE_S },
    { name: "prefill_b_backlog_s", role: "md", needs: "prefill_b", mean: STATE_S },
  ] },
  { key: "throughput", read: number, hover: "%{y:.2f}", zero: true, courses: [{ name: "throughput_rps", role: "accent", mean: RATE_S, baseline: true }] },
];

/** What of a line's bandwidth carries KV, in Gbps. */
function payload(scenario) {
  const { bandwidth_gbps: raw, goodput_share: part } = scenario.line ?? {};
  return raw === undefined || raw === null ? null : raw * part;
}

/** Mean over the seconds before each sample, leaving out what is not known. */
export function smoothed(values, mean) {
  const samples = Math.round(mean / SAMPLE_S);
  const out = new Array(values.length);
  let [sum, known] = [0, 0];
  for (let i = 0; i < values.length; i++) {
    if (values[i] !== null) [sum, known] = [sum + values[i], known + 1];
    const old = i >= samples ? values[i - samples] : null;
    if (old !== null) [sum, known] = [sum - old, known - 1];
    out[i] = known ? sum / known : null;
  }
  return out;
}

/** Courses up to a moment; the same ones when they do not reach beyond it. */
export function until(courses, now) {
  const beyond = courses.time_s.findIndex((time) => time > now);
  if (beyond < 0) return courses;
  const values = Object.fromEntries(Object.entries(courses.values).map(([name, all]) => [name, all.slice(0, beyond)]));
  return { time_s: courses.time_s.slice(0, beyond), values };
}

/**
 * A course up to now, and its continuation in the forecast that begins where it ends.
 * @param {{time_s: number[], values: Object}} past
 * @param {{time_s: number[], values: Object}|null} ahead
 * @param {Course} course
 */
export function joinedCourse(past, ahead, course) {
  const x = past.time_s;
  const raw = past.values[course.name] ?? [];
  const last = x.at(-1) ?? -Infinity;
  const first = ahead ? ahead.time_s.findIndex((time) => time > last) : -1;
  const aheadX = first < 0 ? [] : ahead.time_s.slice(first);
  const aheadRaw = first < 0 ? [] : (ahead.values[course.name] ?? []).slice(first);
  const all = smoothed([...raw, ...aheadRaw], course.mean);
  const y = all.slice(0, x.length);
  const ghostX = x.length ? [last, ...aheadX] : aheadX;
  const ghostY = x.length ? [y.at(-1), ...all.slice(x.length)] : all;
  return { x, y, ghostX, ghostY };
}
