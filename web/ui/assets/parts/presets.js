/** The shipped stories as one-click variants of the twin that runs. */

import { attr, h, shown } from "../dom.js";
import { changed, fixedDiffers } from "../data/address.js";
import { isBroken } from "../controls/failures.js";
import { hasText, t } from "../texts.js";

export const PUBLISHED = "pdd_43a_32b";
export const ORDER = [PUBLISHED, "p_rld_collapse", "relay_swing", "one_shot_hiccup", "singular_flood", "thin_line"];

export class Presets {
  /**
   * @param {{catalog: any, tooltip: any, pane: () => any, turn: (values: Object) => void, start: (name: string) => Promise<void>, reset: () => void}} ctx
   */
  constructor(ctx) {
    Object.assign(this, ctx);
    this.buttons = ORDER.map((name) => {
      const el = h("button", { class: "preset", type: "button", data: { name }, onclick: () => this.apply(name) }, t(`presets.${name}`));
      this.tooltip.help(el, () => this.help(name));
      return { name, el };
    });
    this.el = h("div", { class: "presets", role: "group", "aria-label": t("presets.label") }, h("span", { class: "presets-name" }, t("presets.label")), this.buttons.map(({ el }) => el));
  }

  help(name) {
    const known = this.catalog.known(name);
    const title = known?.title ?? t(`presets.${name}`);
    const lines = known?.story ? [known.story] : [];
    if (hasText(`presets_watch.${name}`)) lines.push(t(`presets_watch.${name}`));
    return { title, lines };
  }

  async apply(name) {
    if (!this.pane()) return; // what the address asks for is on its way
    const { model } = this.pane();
    const mine = (this.latest = {});
    if (name === PUBLISHED) return this.reset();
    const button = this.buttons.find((one) => one.name === name)?.el;
    attr(button, "data-busy", true);
    try {
      const scenario = await this.catalog.scenario(name);
      if (this.latest !== mine) return;
      if (fixedDiffers(model.scenario, scenario, this.catalog.settings)) await this.start(name);
      else this.turn(changed(model.scenario, scenario, this.catalog.settings));
    } finally {
      attr(button, "data-busy", null);
    }
  }

  /** Mark the preset that the twin is now; with a cut line or a lost instance it is none. */
  update() {
    if (!this.pane()) return;
    const { model } = this.pane();
    for (const { name, el } of this.buttons) {
      const scenario = this.catalog.loaded(name);
      const is = Boolean(scenario && !isBroken(model.frame) && model.scenario && !fixedDiffers(model.scenario, scenario, this.catalog.settings)
        && !Object.keys(changed(model.scenario, scenario, this.catalog.settings)).length);
      attr(el, "aria-pressed", String(is));
      shown(el, true);
    }
  }
}
