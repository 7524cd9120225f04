/** The state of the page as an address: scenario, changed settings, seed, pace, a second pane. */

import { valueAt } from "./model.js";

const OWN = new Set(["scenario", "seed", "pace", "focus", "preset", "twin"]);

/**
 * @typedef {Object} Wish what an address asks for
 * @property {string|null} scenario
 * @property {number|null} seed
 * @property {number|null} pace
 * @property {string|null} focus control that is to be pointed at
 * @property {string|null} preset
 * @property {Object<string, any>} set changed settings
 * @property {Object<string, any>|null} beside changed settings of the second pane, if there is one
 * @property {string[]} unknown names that are no settings
 */

/**
 * Read an address.
 * @param {string} query
 * @param {Map<string, {kind: string, live: boolean}>} settings
 * @returns {Wish}
 */
export function readAddress(query, settings) {
  const params = new URLSearchParams(query);
  const number = (name) => (params.has(name) && Number.isFinite(Number(params.get(name))) ? Number(params.get(name)) : null);
  const wish = {
    scenario: params.get("scenario"), seed: number("seed"), pace: number("pace"),
    focus: params.get("focus"), preset: params.get("preset"),
    set: {}, beside: params.has("beside") ? {} : null, unknown: [],
  };
  for (const [name, text] of params) {
    if (OWN.has(name) || name === "beside" || name.startsWith("embed")) continue;
    const isBeside = name.startsWith("beside.");
    const path = isBeside ? name.slice(7) : name;
    const setting = findSetting(settings, path);
    if (!setting) wish.unknown.push(path);
    else if (isBeside) (wish.beside ??= {})[path] = readValue(text, setting.kind);
    else wish.set[path] = readValue(text, setting.kind);
  }
  return wish;
}

/** The setting at a path; the price of a chip by name stands under its table. */
export function findSetting(settings, path) {
  const price = /^(prices\.chips(?:_high)?)\.[^.]+$/.exec(path);
  if (price && settings.has(price[1])) return { ...settings.get(price[1]), path, kind: "number", unit: "chips A" };
  return settings.get(path) ?? null;
}

function readValue(text, kind) {
  if (text === "none") return null;
  if (kind === "switch") return text === "on" ? true : text === "off" ? false : text;
  if (kind === "numbers") return text.split("-").map(Number);
  if (kind === "number" || kind === "whole") return Number.isFinite(Number(text)) && text !== "" ? Number(text) : text;
  return text;
}

function writeValue(value) {
  if (value === null) return "none";
  if (value === true) return "on";
  if (value === false) return "off";
  if (Array.isArray(value)) return value.map((share) => Number(share.toFixed(4))).join("-");
  return typeof value === "number" ? String(Number(value.toPrecision(8))) : String(value);
}

/**
 * Write an address; only what differs from the published default is in it.
 * @param {{scenario: string, seed: number, pace: number, set: Object, beside: Object|null}} state
 * @param {{scenario: string, seed: number, pace: number}} usual
 */
export function writeAddress(state, usual) {
  const params = new URLSearchParams();
  for (const name of ["scenario", "seed", "pace"]) {
    if (state[name] !== usual[name]) params.set(name, String(state[name]));
  }
  for (const [path, value] of Object.entries(state.set)) params.set(path, writeValue(value));
  if (state.beside) params.set("beside", "1");
  for (const [path, value] of Object.entries(state.beside ?? {})) params.set(`beside.${path}`, writeValue(value));
  const text = params.toString();
  return text ? `?${text}` : "";
}

/** Live settings in which two scenarios differ: path -> value in the second. */
export function changed(from, to, settings) {
  const found = {};
  if (!from || !to) return found;
  for (const [path, setting] of settings) {
    if (!setting.live || path.includes("[]")) continue;
    const [before, after] = [valueAt(from, path), valueAt(to, path)];
    if (after === undefined || same(before, after)) continue;
    if (setting.kind === "prices") Object.assign(found, changedPrices(path, before ?? {}, after));
    else found[path] = after;
  }
  return found;
}

function changedPrices(path, before, after) {
  const names = Object.keys(after).filter((name) => !same(before[name], after[name]));
  return Object.fromEntries(names.map((name) => [`${path}.${name}`, after[name]]));
}

/** Whether two values of a setting are the same, shares to the precision of a link. */
export function same(a, b) {
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((value, i) => same(value, b[i]));
  }
  if (typeof a === "number" && typeof b === "number") return Math.abs(a - b) <= 5e-5 * Math.max(1, Math.abs(a));
  if (a && b && typeof a === "object" && typeof b === "object") return JSON.stringify(a) === JSON.stringify(b);
  return a === b;
}

/** Whether two scenarios differ in something that cannot be turned. */
export function fixedDiffers(from, to, settings) {
  for (const [path, setting] of settings) {
    if (setting.live || path.includes("[]") || PROSE.has(path.split(".")[0])) continue;
    if (!same(valueAt(from, path) ?? null, valueAt(to, path) ?? null)) return true;
  }
  for (const [path, setting] of settings) {
    const isThere = (scenario) => valueAt(scenario, path) !== undefined;
    if (setting.live && !path.includes("[]") && isThere(from) !== isThere(to)) return true;
  }
  return false;
}

const PROSE = new Set(["name", "title", "story", "sources", "run", "events"]);
