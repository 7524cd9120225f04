/** What can break: the line, and each instance; a second press repairs it. */

import { attr, h, say, shown } from "../dom.js";
import { t } from "../texts.js";

const POOLS = [
  { pool: "prefill", seen: (frame) => frame.prefill, label: "P", role: "p" },
  { pool: "relay_decode", seen: (frame) => frame.relay?.instances ?? [], label: "RLD", role: "rld" },
  { pool: "prefill_b", seen: (frame) => frame.prefill_b ?? [], label: "P in B", role: "p" },
  { pool: "main_decode", seen: (frame) => frame.main.instances, label: "MD", role: "md" },
];

/** Whether something is cut or lost at this moment. */
export function isBroken(frame) {
  if (!frame) return false;
  return Boolean(frame.line?.cut) || POOLS.some(({ seen }) => seen(frame).some((one) => one.state === "lost"));
}

export class Failures {
  /** @param {{happen: (what: string, more: Object) => void, tooltip: any}} options */
  constructor({ happen, tooltip }) {
    Object.assign(this, { happen, tooltip });
    this.lineButton = h("button", { class: "button", type: "button" });
    this.lineButton.addEventListener("click", (event) => this.press(this.cut ? "line_back" : "line_cut", { at: event.timeStamp }));
    tooltip.help(this.lineButton, () => ({ title: t("failures.line"), lines: [t("failures.line_help")] }));
    this.rows = POOLS.map((row) => ({ ...row, buttons: [], el: h("div", { class: "failure-buttons" }) }));
    this.note = h("p", { class: "refused", role: "alert", hidden: true });
    this.el = h("div", { class: "failures" },
      h("div", { class: "failure-row", data: { row: "line" } }, h("span", { class: "label" }, t("failures.line")), this.lineButton),
      this.rows.map((row) => h("div", { class: `failure-row of-${row.role}` }, h("span", { class: "label" }, t("failures.instances", { pool: row.label })), row.el)),
      h("p", { class: "hint" }, t("failures.hint")), this.note);
    this.lineRow = this.el.firstChild;
    this.label();
  }

  label() {
    say(this.lineButton, t(this.cut ? "failures.line_back" : "failures.line_cut"));
    attr(this.lineButton, "aria-pressed", String(Boolean(this.cut)));
  }

  /** @param {Object} frame */
  show(frame) {
    shown(this.lineRow, Boolean(frame.line));
    if (this.cut !== frame.line?.cut) {
      this.cut = frame.line?.cut;
      this.label();
    }
    for (const row of this.rows) this.showRow(row, row.seen(frame));
  }

  showRow(row, instances) {
    shown(row.el.parentElement, instances.length > 0);
    if (row.buttons.length !== instances.length) {
      row.buttons = instances.map((_, i) => this.button(row, i));
      row.el.replaceChildren(...row.buttons);
    }
    instances.forEach((one, i) => {
      const lost = one.state === "lost";
      const name = `${row.label} ${i + 1}`;
      attr(row.buttons[i], "aria-pressed", String(lost));
      attr(row.buttons[i], "aria-label", t(lost ? "failures.bring_back" : "failures.lose", { name }));
      attr(row.buttons[i], "data-state", one.state);
    });
  }

  button(row, i) {
    const el = h("button", { class: "instance-button", type: "button" }, String(i + 1));
    this.tooltip.help(el, () => ({ title: el.getAttribute("aria-label"), lines: [t(`failures.state_${el.dataset.state ?? "up"}`)] }));
    el.addEventListener("click", (event) => {
      const lost = el.getAttribute("aria-pressed") === "true";
      this.press(lost ? "instance_back" : "instance_lost", { pool: row.pool, instance: i, at: event.timeStamp });
    });
    return el;
  }

  press(what, more) {
    this.happen(what, { ...more, control: { refused: (sentence) => this.refuse(sentence), accepted: () => this.forgive() } });
  }

  refuse(sentence) {
    say(this.note, sentence);
    shown(this.note, true);
  }

  forgive() {
    shown(this.note, false);
  }
}
