/** Settings that are on or off, or one of a few. */

import { attr, h, say, shown } from "../dom.js";

/** A switch with its label. */
export class Switch {
  /** @param {{label: string, turn: (on: boolean, from: Object) => void, begin: () => void, mark?: Node}} options */
  constructor({ label, turn, begin, mark }) {
    this.on = null;
    this.button = h("button", { class: "switch", type: "button", role: "switch" },
      h("span", { class: "switch-knob" }), h("span", { class: "switch-label" }, label, mark));
    this.note = h("p", { class: "refused", role: "alert", hidden: true });
    this.el = h("div", { class: "switch-row" }, this.button, this.note);
    this.button.addEventListener("click", (event) => {
      if (this.on === null) return;
      this.show(!this.on);
      begin();
      turn(this.on, { at: event.timeStamp });
    });
  }

  show(on) {
    this.on = on ?? null;
    attr(this.button, "aria-checked", String(Boolean(on)));
    attr(this.button, "disabled", on === undefined || on === null);
  }

  refuse(sentence) {
    say(this.note, sentence);
    shown(this.note, true);
  }

  forgive() {
    shown(this.note, false);
  }
}

/** One of a few choices, side by side. */
export class Choice {
  /**
   * @param {{label: string, choices: Array<[any, string]>, turn: (value: any, from: Object) => void, begin?: () => void, mark?: Node, quiet?: boolean}} options
   */
  constructor({ label, choices, turn, begin = () => {}, mark, quiet = false }) {
    this.buttons = choices.map(([value, words]) => {
      const el = h("button", { class: "choice", type: "button", role: "radio" }, words);
      el.addEventListener("click", (event) => this.choose(value, event.timeStamp));
      return { value, el };
    });
    Object.assign(this, { turn, begin });
    this.group = h("div", { class: "choices", role: "radiogroup", "aria-label": label }, this.buttons.map(({ el }) => el));
    this.group.addEventListener("keydown", (event) => this.press(event));
    this.note = h("p", { class: "refused", role: "alert", hidden: true });
    this.el = h("div", { class: "choice-row" }, quiet ? null : h("span", { class: "label" }, label, mark), this.group, this.note);
  }

  show(value) {
    this.value = value;
    const known = this.buttons.some((button) => button.value === value);
    this.buttons.forEach((button, i) => {
      attr(button.el, "aria-checked", String(button.value === value));
      attr(button.el, "tabindex", button.value === value || (!known && i === 0) ? 0 : -1);
    });
  }

  choose(value, at) {
    if (value === this.value) return;
    this.show(value);
    this.begin();
    this.turn(value, { at });
  }

  press(event) {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const now = this.buttons.findIndex((button) => button.value === this.value);
    const next = this.buttons[(now + step + this.buttons.length) % this.buttons.length];
    next.el.focus();
    this.choose(next.value, event.timeStamp);
  }

  refuse(sentence) {
    say(this.note, sentence);
    shown(this.note, true);
  }

  forgive() {
    shown(this.note, false);
  }
}
