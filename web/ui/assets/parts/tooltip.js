/** One floating explanation for whatever is pointed at or focused. */

import { h, say } from "../dom.js";

const EDGE = 8;

let nextId = 1;

export class Tooltip {
  /** @param {HTMLElement} root where it floats */
  constructor(root) {
    this.title = h("div", { class: "tip-title" });
    this.body = h("div", { class: "tip-body" });
    this.el = h("div", { class: "tip", role: "tooltip", id: `pdd-tip-${nextId++}`, hidden: true }, this.title, this.body);
    this.owner = null;
    root.append(this.el);
    this.escape = (event) => event.key === "Escape" && this.hide(this.owner);
    window.addEventListener("keydown", this.escape);
    this.scrolled = () => this.hide(this.owner);
    window.addEventListener("scroll", this.scrolled, true);
    this.pressed = (event) => event.pointerType === "touch" && this.hide(this.owner);
    window.addEventListener("pointerdown", this.pressed, true);
  }

  /**
   * Explain an element on hover and on keyboard focus.
   * @param {HTMLElement} el
   * @param {() => {title: string, lines: string[]}|null} words asked for each time
   */
  help(el, words) {
    let timer = null;
    const open = () => {
      const said = words();
      if (!said) return;
      const box = el.getBoundingClientRect();
      this.show(el, said, { x: box.left + box.width / 2, y: box.bottom, above: box.top, reach: 6 });
      el.setAttribute("aria-describedby", this.el.id);
    };
    const close = () => {
      clearTimeout(timer);
      el.removeAttribute("aria-describedby");
      this.hide(el);
    };
    el.addEventListener("pointerenter", (event) => {
      if (event.pointerType === "touch") return;
      timer = setTimeout(open, 250);
    });
    // A finger does not hover: it presses what does nothing else.
    if (!el.matches("button, a, [role=slider], label")) el.addEventListener("click", (event) => event.pointerType === "touch" && open());
    el.addEventListener("pointerleave", (event) => event.pointerType !== "touch" && close());
    el.addEventListener("pointerdown", close);
    el.addEventListener("focusin", (event) => event.target.matches(":focus-visible") && open());
    el.addEventListener("focusout", close);
    return el;
  }

  /** Show words beside a point of the window. */
  show(owner, { title, lines }, { x, y, above = y, reach = 10 }) {
    this.owner = owner;
    say(this.title, title);
    const texts = lines.join("\n");
    if (this.texts !== texts) this.body.replaceChildren(...lines.map((line) => h("p", {}, line)));
    this.texts = texts;
    this.el.hidden = false;
    const { width, height } = this.el.getBoundingClientRect();
    const left = Math.min(Math.max(EDGE, x - width / 2), window.innerWidth - width - EDGE);
    const below = y + reach + height + EDGE < window.innerHeight;
    this.el.style.left = `${left}px`;
    this.el.style.top = `${below ? y + reach : Math.max(EDGE, above - reach - height)}px`;
  }

  hide(owner) {
    if (owner !== this.owner) return;
    this.owner = null;
    this.el.hidden = true;
  }

  dispose() {
    window.removeEventListener("keydown", this.escape);
    window.removeEventListener("scroll", this.scrolled, true);
    window.removeEventListener("pointerdown", this.pressed, true);
    this.el.remove();
  }
}
