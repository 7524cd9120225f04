/** One slider of a page: sends values while it is dragged, at most ten a second. */

import { Slider } from "../controls/slider.js";
import { h, say, shown } from "../dom.js";
import { plain } from "../format.js";
import { Tooltip } from "../parts/tooltip.js";

const EVERY_MS = 100;

/** After the last key the value counts as settled. */
const SETTLED_MS = 400;

/** @param {{root: HTMLElement, tell: {state: Function}}} options */
export function view({ root, tell }) {
  return new DragSlider(root, tell);
}

class DragSlider {
  constructor(root, tell) {
    Object.assign(this, { root, tell, seq: 0, gesture: 0, sentAt: -EVERY_MS, timer: null, settling: null });
  }

  update(data) {
    if (!this.slider) this.build(data);
    this.data = data;
    say(this.source, data.source ? data.mark : "");
    shown(this.source, Boolean(data.source));
    if (data.refused) this.slider.refuse(data.refused);
    else this.slider.forgive();
    this.slider.enable(!data.disabled);
    if (data.seq >= this.seq) {
      this.seq = data.seq; // the page knows the last value that was sent
      if (this.timer === null) this.slider.show(data.value);
    }
  }

  build(data) {
    const { low, high, log, step, keys, unit } = data;
    this.seq = this.gesture = data.seq;
    this.tooltip = new Tooltip(this.root);
    this.source = h("small", { class: "assumed" });
    this.slider = new Slider({
      label: data.label, scale: { low, high, log, step, keys }, role: data.role, mark: this.source,
      read: (value) => [plain(value), unit],
      begin: () => { this.gesture += 1; },
      turn: (value, { key }) => this.turn(value, key),
    });
    this.tooltip.help(this.slider.el.querySelector(".label"), () => ({ title: this.data.label, lines: [this.data.help, this.data.source].filter(Boolean) }));
    this.slider.track.addEventListener("pointerup", () => this.settle(0));
    this.slider.track.addEventListener("pointercancel", () => this.settle(0));
    this.root.append(this.slider.el);
  }

  turn(value, key) {
    if (key) this.settle(SETTLED_MS);
    this.value = value;
    const wait = this.sentAt + EVERY_MS - performance.now();
    if (wait <= 0) this.send(true);
    else this.timer ??= setTimeout(() => this.send(true), wait);
  }

  /** Nothing more comes for now: what takes long may begin. */
  settle(after) {
    clearTimeout(this.settling);
    this.settling = setTimeout(() => {
      if (this.value !== undefined) this.send(false);
      this.gesture += 1;
    }, after);
  }

  send(held) {
    clearTimeout(this.timer);
    this.timer = null;
    this.sentAt = performance.now();
    this.seq += 1;
    this.tell.state("said", { value: this.value, held, seq: this.seq, gesture: this.gesture });
  }

  dispose() {
    clearTimeout(this.timer);
    clearTimeout(this.settling);
    this.tooltip?.dispose();
  }
}
