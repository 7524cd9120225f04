/** The start page: the published deployment running, what it does in four numbers, three ways on. */

import { h, say, shown } from "../dom.js";
import { DASH, number, percent, seconds } from "../format.js";
import { Loop } from "../loop.js";
import { Meter } from "../meter.js";
import { leave, Pane, takeOver } from "../pane.js";
import { Banner } from "../parts/banner.js";
import { button } from "../parts/button.js";
import { helpDialog } from "../parts/help.js";
import { icon } from "../parts/icons.js";
import { windowOf } from "../parts/tiles.js";
import { Tooltip } from "../parts/tooltip.js";
import { t } from "../texts.js";
import { TwinMap } from "../topology/map.js";
import { watchConnection } from "./connection.js";

const NUMBERS = [
  { key: "ttft", read: (s) => seconds(s.ttft_p50_s) },
  { key: "goodput", read: (s) => [number(s.goodput_rps), "/s"] },
  { key: "rld", read: (s) => percent(s.rld_token_share) },
  { key: "bcr", read: (s) => [number(s.bcr), "×"] },
];

const CARDS = [
  { name: "traffic", query: { focus: "traffic" } },
  { name: "break", query: { preset: "p_rld_collapse", focus: "presets", pace: "60" } },
  { name: "prices", query: { focus: "prices" } },
];

/** @param {{root: HTMLElement, api: any, data: any, trigger: Function}} options */
export function view({ root, api, data, trigger }) {
  const loop = new Loop();
  const meter = new Meter(loop);
  const tooltip = new Tooltip(root);
  const banner = new Banner();
  const pane = takeOver() ?? new Pane({ name: "A", twin: "default", api, meter });
  const { model } = pane;
  const map = new TwinMap({ model, loop, meter, tooltip, label: t("map.label") });
  const numbers = NUMBERS.map((one) => bigNumber(one, tooltip, model));
  const help = helpDialog(root, { keys: false });
  const words = h("p", { class: "start-window" });
  root.append(
    h("header", { class: "hero" },
      h("h1", {}, t("start.title"), button({ name: "help", label: t("start.help"), press: () => help.open(), tooltip })),
      h("p", { class: "lead" }, explained(t("start.lead"), tooltip))),
    banner.el,
    h("div", { class: "big-numbers" }, numbers.map(({ el }) => el)),
    words,
    map.el,
    h("nav", { class: "ways", "aria-label": t("start.ways") }, CARDS.map((card) => wayCard(card, trigger))));
  const update = () => {
    numbers.forEach((one) => one.update(model.tiles));
    say(words, [t("start.window", { scenario: model.scenario?.title || DASH }), windowOf(model.tiles, model)].filter(Boolean).join(" "));
  };
  const stops = [model.on("tiles", () => loop.soon("tiles", update)), watchConnection(pane, banner, data.version)];
  if (model.scenario) update();
  return {
    restyle: () => map.restyle(),
    dispose() {
      stops.forEach((stop) => stop());
      map.dispose();
      tooltip.dispose();
      loop.stop();
      leave(pane);
    },
  };
}

function bigNumber({ key, read }, tooltip, model) {
  const value = h("span", { class: "big-value" }, DASH);
  const unit = h("span", { class: "big-unit" });
  const el = h("div", { class: "big", tabindex: 0, data: { key } }, h("div", { class: "big-name" }, t(`start.${key}.name`), key === "bcr" ? h("span", { class: "assumed", "aria-label": t("assumed.mark") }, "≈") : null), h("div", { class: "big-figure" }, value, unit), h("div", { class: "big-note" }, t(`start.${key}.note`)));
  const more = { ttft: "terms.ttft", goodput: "terms.sla", bcr: "start.bcr_ratio" }[key];
  tooltip.help(el, () => ({ title: t(`tiles.${key}.title`), lines: [more && t(more), t(`tiles.${key}.help`), windowOf(model.tiles, model)].filter(Boolean) }));
  return {
    el,
    update(tiles) {
      const [digits, sign] = tiles ? read(tiles) : [DASH, ""];
      say(value, digits);
      say(unit, digits === DASH ? "" : sign);
      shown(unit, digits !== DASH);
    },
  };
}

/** A sentence whose terms of the field are explained on hover and focus. */
function explained(sentence, tooltip) {
  const terms = { prefills: "prefill", decodes: "decode", "KV cache": "kv", tokens: "token" };
  const parts = sentence.split(new RegExp(`\\b(${Object.keys(terms).join("|")})\\b`));
  return parts.map((part) => {
    const name = terms[part];
    return name ? tooltip.help(h("span", { class: "term", tabindex: 0 }, part), () => ({ title: part, lines: [t(`terms.${name}`)] })) : part;
  });
}

/** A link that stays within the app; opened in a new tab it works just as well. */
function wayCard({ name, query }, trigger) {
  const href = `/twin-lab?${new URLSearchParams(query)}`;
  const el = h("a", { class: "card way", href }, h("strong", {}, t(`start.${name}_title`), icon("on")), h("span", {}, t(`start.${name}_text`)));
  el.addEventListener("click", (event) => {
    if (event.button || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    trigger("go", query);
    // The page's own connection may be down: then the browser goes there by itself.
    setTimeout(() => el.isConnected && window.location.assign(href), 3000);
  });
  return el;
}
