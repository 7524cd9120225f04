/** A slider that acts while it is dragged: pointer, touch and keys; even or logarithmic. */

import { attr, h, say, shown, style } from "../dom.js";

/** Keys and how many steps each takes. */
const KEYS = {
  ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: 10, PageDown: -10,
};

/**
 * @typedef {Object} Scale
 * @property {number} low
 * @property {number} high
 * @property {boolean} [log] equal steps are equal factors
 * @property {number} [step] values are multiples of it
 * @property {number} [keys] steps from end to end with the arrow keys; 100 when not given
 */

/** Where a value lies on a scale, 0 to 1. */
export function shareOf(value, scale) {
  const v = Math.min(Math.max(value, scale.low), scale.high);
  if (scale.log) return Math.log(v / scale.low) / Math.log(scale.high / scale.low);
  return (v - scale.low) / (scale.high - scale.low);
}

/** The value at a share of a scale, rounded as people would. */
export function valueAtShare(share, scale) {
  const s = Math.min(1, Math.max(0, share));
  const raw = scale.log ? scale.low * (scale.high / scale.low) ** s : scale.low + (scale.high - scale.low) * s;
  const step = scale.step ?? niceStep(scale, raw);
  const value = Math.round(raw / step) * step;
  return Number(Math.min(scale.high, Math.max(scale.low, value)).toPrecision(10));
}

/** Two digits that count on a logarithmic scale, 1/200 of an even one. */
function niceStep(scale, raw) {
  if (scale.log) return 10 ** (Math.floor(Math.log10(raw)) - 1);
  return 10 ** Math.floor(Math.log10((scale.high - scale.low) / 100));
}

export class Slider {
  /**
   * @param {Object} options
   * @param {string} options.label
   * @param {Scale} options.scale
   * @param {(value: number) => string[]} options.read number and unit
   * @param {(value: number, from: {at: number, key: boolean}) => void} options.turn
   * @param {() => void} options.begin a gesture begins
   * @param {Node} [options.mark] stands after the label
   */
  constructor({ label, scale, read, turn, begin, mark, role = "accent" }) {
    Object.assign(this, { scale, read, turn, begin, dragging: false, value: null });
    this.number = h("span", { class: "slider-number" });
    this.unit = h("span", { class: "slider-unit" });
    this.thumb = h("span", { class: "slider-thumb" });
    this.fill = h("span", { class: "slider-fill" });
    this.track = h("div", {
      class: "slider-track", role: "slider", tabindex: 0, "aria-label": label,
      "aria-valuemin": scale.low, "aria-valuemax": scale.high, "aria-orientation": "horizontal",
    }, h("span", { class: "slider-rail" }, this.fill), this.thumb);
    this.note = h("p", { class: "refused", role: "alert", hidden: true });
    this.el = h("div", { class: `slider of-${role}` },
      h("div", { class: "slider-head" }, h("span", { class: "label" }, label, mark), h("span", { class: "slider-value" }, this.number, this.unit)),
      this.track, this.note);
    this.track.addEventListener("pointerdown", (event) => this.grab(event));
    this.track.addEventListener("keydown", (event) => this.press(event));
  }

  /** Show a value that came from elsewhere; while one drags, the hand is right. */
  show(value) {
    if (this.dragging || value === undefined) return;
    this.put(value);
  }

  put(value) {
    this.value = value;
    const share = shareOf(value ?? this.scale.high, this.scale);
    style(this.thumb, "left", `${share * 100}%`);
    style(this.fill, "width", `${share * 100}%`);
    const [digits, unit] = this.read(value);
    say(this.number, digits);
    say(this.unit, unit);
    attr(this.track, "aria-valuenow", value ?? this.scale.high);
    attr(this.track, "aria-valuetext", unit ? `${digits} ${unit}` : digits);
  }

  enable(enabled) {
    attr(this.track, "aria-disabled", !enabled);
    attr(this.track, "tabindex", enabled ? 0 : -1);
  }

  grab(event) {
    if (event.button || this.track.getAttribute("aria-disabled")) return;
    event.preventDefault();
    this.track.focus({ preventScroll: true });
    this.track.setPointerCapture(event.pointerId);
    this.dragging = true;
    this.begin();
    const box = this.track.getBoundingClientRect();
    const thumb = box.left + shareOf(this.value ?? this.scale.high, this.scale) * box.width;
    const near = Math.abs(event.clientX - thumb) < 14;
    const offset = near ? event.clientX - thumb : 0;
    const follow = (moved) => this.to(valueAtShare((moved.clientX - offset - box.left) / box.width, this.scale), moved.timeStamp, false);
    const release = () => {
      this.dragging = false;
      this.track.removeEventListener("pointermove", follow);
      this.track.removeEventListener("pointerup", release);
      this.track.removeEventListener("pointercancel", release);
    };
    this.track.addEventListener("pointermove", follow);
    this.track.addEventListener("pointerup", release);
    this.track.addEventListener("pointercancel", release);
    if (!near) follow(event);
  }

  press(event) {
    if (this.track.getAttribute("aria-disabled") || event.ctrlKey || event.metaKey || event.altKey) return;
    let value = null;
    if (event.key === "Home") value = this.scale.low;
    else if (event.key === "End") value = this.scale.high;
    else if (event.key in KEYS) value = this.stepped(KEYS[event.key] * (event.shiftKey ? 5 : 1));
    if (value === null) return;
    event.preventDefault();
    this.to(value, event.timeStamp, true);
  }

  stepped(steps) {
    const { scale } = this;
    const now = this.value ?? scale.high;
    const next = valueAtShare(shareOf(now, scale) + steps / (scale.keys ?? 100), scale);
    if (next !== now || !scale.step) return next;
    return Math.min(scale.high, Math.max(scale.low, now + Math.sign(steps) * scale.step));
  }

  to(value, at, key) {
    if (value === this.value) return;
    this.put(value);
    this.turn(value, { at, key });
  }

  /** What was asked for is not possible: say why, beside the control. */
  refuse(sentence) {
    say(this.note, sentence);
    shown(this.note, true);
  }

  forgive() {
    shown(this.note, false);
  }
}
