/** How a study stands: follows its run, and tells the page once when it has ended. */

import { attr, h, say, shown, style } from "../dom.js";

/** A word to the page can be lost while it is busy; then it is said again. */
const AGAIN_MS = 2000;

/** @param {{root: HTMLElement, tell: {trigger: Function}}} options */
export function view({ root, tell }) {
  return new StudyBar(root, tell);
}

class StudyBar {
  constructor(root, tell) {
    Object.assign(this, { root, tell, run: null });
    this.words = h("span", { class: "study-words", role: "status" });
    this.share = h("i");
    this.progress = h("div", { class: "progress", role: "progressbar", "aria-valuemin": 0, "aria-valuemax": 100 }, this.share);
    this.button = h("button", { class: "button", type: "button", onclick: () => this.press() });
    this.problems = h("ul");
    this.el = h("div", { class: "study" }, h("div", { class: "study-row" }, this.words, this.progress, this.button), this.problems);
    root.append(this.el);
  }

  update(data) {
    this.data = data;
    attr(this.el, "data-status", data.status);
    attr(this.el, "data-answer", data.answer);
    attr(this.el, "data-slot", data.slot);
    say(this.words, data.words);
    shown(this.progress, data.status === "running");
    shown(this.button, Boolean(data.button));
    say(this.button, data.button);
    this.button.disabled = false;
    attr(this.button, "class", data.status === "offered" ? "button is-main" : "button");
    this.problems.replaceChildren(...data.problems.map((sentence) => h("li", {}, sentence)));
    shown(this.problems, data.problems.length > 0);
    if (data.status === "running") this.follow(data.run);
    else this.leave();
  }

  press() {
    this.button.disabled = true;
    this.tell.trigger(this.data.status === "running" ? "cancel" : "start", this.data.run ?? "");
  }

  follow(run) {
    if (this.run === run) return;
    this.leave();
    this.run = run;
    this.show(0);
    this.events = new EventSource(`${this.data.api}/runs/${encodeURIComponent(run)}/events`);
    this.events.onmessage = (event) => this.hear(JSON.parse(event.data));
  }

  hear({ status, progress }) {
    say(this.words, status === "queued" ? this.data.queued : this.data.words);
    this.show(progress);
    if (status === "queued" || status === "running") return;
    this.events.close();
    const run = this.run;
    const say_ = () => this.tell.trigger("done", run);
    say_();
    this.again = setInterval(say_, AGAIN_MS);
  }

  show(progress) {
    style(this.share, "width", `${Math.round(progress * 100)}%`);
    attr(this.progress, "aria-valuenow", Math.round(progress * 100));
  }

  leave() {
    this.events?.close();
    clearInterval(this.again);
    this.run = null;
  }

  dispose() {
    this.leave();
  }
}
