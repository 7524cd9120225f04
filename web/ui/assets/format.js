/** Numbers and times as people read them; what is not known is a dash, never zero. */

export const DASH = "–";

const grouped = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });

const typed = new Intl.NumberFormat("en-US", { maximumSignificantDigits: 6 });

const known = (value) => typeof value === "number" && Number.isFinite(value);

/** A number with so many digits that three of them tell something. */
export function number(value, digits = 3) {
  if (!known(value)) return DASH;
  const size = Math.abs(value);
  if (size >= 1000) return grouped.format(value);
  const decimals = Math.max(0, Math.min(digits - 1, digits - 1 - Math.floor(Math.log10(size || 1))));
  return value.toFixed(size === 0 ? 0 : decimals);
}

/** A number as one would type it, with thousands set apart. */
export function plain(value) {
  return known(value) ? typed.format(value) : DASH;
}

/** Seconds, such as 4.17: [number, unit]. */
export function seconds(value) {
  if (!known(value)) return [DASH, ""];
  if (Math.abs(value) < 1) return [(value * 1000).toFixed(0), "ms"];
  return [value.toFixed(value < 10 ? 2 : 1), "s"];
}

/** A share as percent: [number, unit]. */
export function percent(value, decimals = 1) {
  if (!known(value)) return [DASH, ""];
  const all = value * 100;
  return [all.toFixed(all >= 99.95 || all === 0 ? 0 : decimals), "%"];
}

/** A number and its unit in one string. */
export function joined([value, unit]) {
  if (!unit) return value;
  return unit === "×" ? `${value}×` : `${value}\u202f${unit}`;
}

/** Simulated time as 2:04:09. */
export function clock(seconds_) {
  if (!known(seconds_)) return DASH;
  const all = Math.max(0, Math.floor(seconds_));
  const [hours, minutes, rest] = [Math.floor(all / 3600), Math.floor(all / 60) % 60, all % 60];
  return `${hours}:${two(minutes)}:${two(rest)}`;
}

/** Simulated time as 2:04, for axes. */
export function hourMinute(seconds_) {
  const all = Math.round(seconds_ / 60);
  return `${Math.floor(all / 60)}:${two(((all % 60) + 60) % 60)}`;
}

const two = (value) => String(value).padStart(2, "0");

/** A stretch of time in words, such as 12 s, 3 min or 1.5 h. */
export function span(seconds_) {
  if (!known(seconds_)) return DASH;
  if (seconds_ < 90) return `${Math.round(seconds_)} s`;
  if (seconds_ < 5400) return `${Math.round(seconds_ / 60)} min`;
  return `${(seconds_ / 3600).toFixed(1)} h`;
}

/** A change as +12 % or −3 %; null when it cannot be told or is too small to tell. */
export function change(from, to, least = 0.005) {
  if (!known(from) || !known(to) || from === 0) return null;
  const share = to / from - 1;
  if (Math.abs(share) < least) return null;
  return `${share > 0 ? "+" : "−"}${Math.abs(share * 100).toFixed(Math.abs(share) < 0.1 ? 1 : 0)} %`;
}

/** A count with its word: 1 request, 5,132 requests. */
export function count(value, one, many) {
  return `${grouped.format(value)} ${value === 1 ? one : many}`;
}

/** Any setting's value in words. */
export function settingValue(value) {
  if (value === null || value === undefined) return "none";
  if (value === true) return "on";
  if (value === false) return "off";
  if (Array.isArray(value)) return value.map((share) => `${(share * 100).toFixed(0)}`).join(" / ");
  return typeof value === "number" ? plain(value) : String(value).replaceAll("_", " ");
}
