/** A button with a drawing, with or without words, explained on hover and focus. */

import { h } from "../dom.js";
import { icon } from "./icons.js";

/**
 * @param {{name: string, label: string, help?: string, words?: boolean, press: (event: Event) => void, tooltip?: any}} options
 */
export function button({ name, label, help, words = false, press, tooltip }) {
  const el = h("button", { class: words ? "button" : "icon-button", type: "button", "aria-label": words ? null : label, onclick: press }, icon(name), words ? h("span", {}, label) : null);
  if (tooltip) tooltip.help(el, () => (help || !words ? { title: label, lines: help ? [help] : [] } : null));
  return el;
}
