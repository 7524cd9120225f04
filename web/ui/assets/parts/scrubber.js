/** The remembered past as a strip: what was changed when, and a handle to rewind to any moment. */

import { attr, h, say, style } from "../dom.js";
import { clock, settingValue, span } from "../format.js";
import { t } from "../texts.js";
import { marks } from "../charts/figure.js";

const KEYS = { ArrowLeft: -30, ArrowDown: -30, ArrowRight: 30, ArrowUp: 30, PageDown: -300, PageUp: 300 };

export class Scrubber {
  /** @param {{model: () => any, rewind: (to: number) => void, tooltip: any}} ctx */
  constructor({ model, rewind, tooltip }) {
    Object.assign(this, { model, rewind, at: null });
    this.fill = h("i", { class: "scrub-fill" });
    this.ticks = h("span", { class: "scrub-ticks" });
    this.thumb = h("i", { class: "scrub-thumb" });
    this.label = h("span", { class: "scrub-label" });
    this.el = h("div", { class: "scrubber", role: "slider", tabindex: 0, "aria-label": t("scrubber.label"), "aria-orientation": "horizontal" },
      h("span", { class: "scrub-rail" }, this.fill), this.ticks, this.thumb, this.label);
    tooltip.help(this.el, () => (this.at === null ? { title: t("scrubber.label"), lines: [t("scrubber.help"), ...this.recent()] } : null));
    this.el.addEventListener("pointerdown", (event) => this.grab(event));
    this.el.addEventListener("keydown", (event) => this.press(event));
    this.el.addEventListener("blur", () => this.cancel());
  }

  bounds() {
    const { courses, t: now } = this.model();
    return [Math.min(courses.time_s[0] ?? now, now), now];
  }

  /** The last changes, in words. */
  recent() {
    return this.model().log.slice(-4).map((entry) => t("scrubber.entry", { at: clock(entry.at_s), what: words(entry) }));
  }

  update() {
    const [from, to] = this.bounds();
    const found = marks(this.model().log).filter((at) => at >= from && at <= to);
    const key = found.map((at) => Math.round(((at - from) / (to - from || 1)) * 500)).join();
    if (key !== this.key) {
      this.key = key;
      this.ticks.replaceChildren(...found.map((at) => h("i", { style: { left: `${((at - from) / (to - from || 1)) * 100}%` } })));
    }
    if (this.at === null) this.put(to, from, to);
  }

  put(at, from, to) {
    const share = `${(to > from ? (at - from) / (to - from) : 1) * 100}%`;
    style(this.thumb, "left", share);
    style(this.fill, "width", share);
    style(this.label, "left", share);
    say(this.label, this.at === null ? "" : `${clock(at)}  −${span(to - at)}`);
    attr(this.el, "data-moving", this.at !== null);
    attr(this.el, "aria-valuemin", Math.round(from));
    attr(this.el, "aria-valuemax", Math.round(to));
    attr(this.el, "aria-valuenow", Math.round(at));
    attr(this.el, "aria-valuetext", clock(at));
  }

  move(at) {
    const [from, to] = this.bounds();
    this.at = Math.min(to, Math.max(from, at));
    this.put(this.at, from, to);
  }

  grab(event) {
    if (event.button) return;
    event.preventDefault();
    this.el.focus({ preventScroll: true });
    this.el.setPointerCapture(event.pointerId);
    const box = this.el.getBoundingClientRect();
    const follow = (moved) => {
      const [from, to] = this.bounds();
      this.move(from + ((moved.clientX - box.left) / box.width) * (to - from));
    };
    const end = (released) => {
      for (const [name, listener] of [["pointermove", follow], ["pointerup", end], ["pointercancel", end]]) this.el.removeEventListener(name, listener);
      if (released.type === "pointerup") this.apply();
      else this.cancel();
    };
    for (const [name, listener] of [["pointermove", follow], ["pointerup", end], ["pointercancel", end]]) this.el.addEventListener(name, listener);
    follow(event);
  }

  press(event) {
    if (event.key in KEYS) this.move((this.at ?? this.bounds()[1]) + KEYS[event.key]);
    else if (event.key === "Home") this.move(this.bounds()[0]);
    else if (event.key === "Enter" && this.at !== null) this.apply();
    else if (event.key === "Escape") this.cancel();
    else return;
    event.preventDefault();
  }

  apply() {
    const [from, to] = this.bounds();
    const { at } = this;
    this.cancel();
    if (at !== null && to - at > Math.max(2, (to - from) * 0.004)) this.rewind(at);
  }

  cancel() {
    this.at = null;
    this.update();
  }
}

/** A change in words. */
export function words(entry) {
  if (entry.what === "turn") return t("scrubber.turned", { setting: entry.setting, value: settingValue(entry.value) });
  const pool = { prefill: "P", relay_decode: "RLD", prefill_b: t("map.prefill_b_short"), main_decode: "MD" }[entry.pool] ?? "";
  return t(`scrubber.${entry.what}`, { name: `${pool} ${(entry.instance ?? 0) + 1}` });
}
