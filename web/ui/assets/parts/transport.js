/** How the twin runs: pause, pace, a step, the simulated clock; and whether it is connected. */

import { attr, h, say, shown } from "../dom.js";
import { clock, plain } from "../format.js";
import { Choice } from "../controls/switches.js";
import { hasText, t } from "../texts.js";
import { button } from "./button.js";
import { icon } from "./icons.js";

const PACES = [1, 10, 60, 300];

/** Simulated seconds of one step. */
const STEP_S = 10;

/** Beside the toolbar of a phone there is room for one word. */
const narrow = () => window.innerWidth < 900;

export class Transport {
  /** @param {{panes: () => any[], active: () => any, tooltip: any, paced: (pace: number) => void}} ctx */
  constructor({ panes, active, tooltip, paced }) {
    Object.assign(this, { panes, active });
    this.play = button({ name: "pause", label: t("transport.pause"), press: () => this.toggle(), tooltip });
    this.step = button({ name: "step", label: t("transport.step", { s: STEP_S }), press: () => this.stepOn(), tooltip });
    this.pace = new Choice({ label: t("transport.pace"), quiet: true, choices: PACES.map((pace) => [pace, `${pace}×`]), turn: (pace) => {
      paced(pace);
      this.send({ do: "pace", value: pace });
    } });
    tooltip.help(this.pace.group, () => ({ title: t("transport.pace"), lines: [t("transport.pace_help")] }));
    this.whose = h("span", { class: "badge", hidden: true });
    this.time = h("time", { class: "clock", tabindex: 0 });
    tooltip.help(this.time, () => ({ title: t("transport.clock"), lines: [t("transport.clock_help")] }));
    this.dot = h("span", { class: "dot" });
    this.state = h("span", { class: "state-words" });
    this.status = h("span", { class: "state", role: "status" }, this.dot, this.state);
    this.el = h("div", { class: "transport" }, this.play, this.step, this.pace.el, this.whose, this.time, this.status);
  }

  /** To every pane: they are compared, so they run alike. */
  send(message) {
    for (const { session } of this.panes()) session.send(message);
  }

  toggle() {
    this.until = null;
    this.send({ do: this.panes()[0].model.paused ? "play" : "pause" });
  }

  stepOn() {
    const { model } = this.panes()[0];
    this.until = model.t + STEP_S;
    if (model.paused) this.send({ do: "play" });
  }

  update() {
    const { model, session } = this.panes()[0];
    if (this.drawn !== model.paused) {
      this.drawn = model.paused;
      this.play.firstChild.replaceWith(icon(model.paused ? "play" : "pause"));
      attr(this.play, "aria-label", t(model.paused ? "transport.play" : "transport.pause"));
    }
    this.pace.show(model.pace);
    this.tell(this.active() ?? { session, model });
  }

  tell({ session: { status }, model }) {
    const state = status !== "live" ? status : model.asleep ? "asleep" : model.paused ? "paused" : model.shared ? "shared" : "own";
    attr(this.dot, "data-state", state);
    const short = narrow() && hasText(`state_short.${state}`);
    say(this.state, short ? t(`state_short.${state}`) : t(`state.${state}`));
  }

  frame() {
    const { model } = this.panes()[0];
    const { name, model: shownModel } = this.active();
    shown(this.whose, this.panes().length > 1);
    attr(this.whose, "class", `badge badge-${name}`);
    say(this.whose, t(`panes.${name}`));
    say(this.time, clock(shownModel.t));
    const real = model.frame?.real_pace;
    const slow = !model.paused && real > 0 && real < 0.8 * model.pace;
    if (slow) say(this.state, t("state.slow", { pace: plain(Math.round(real)) }));
    else if (this.slow) this.update();
    this.slow = slow;
    if (this.until !== null && this.until !== undefined && model.t >= this.until) {
      this.until = null;
      this.send({ do: "pause" });
    }
  }
}
