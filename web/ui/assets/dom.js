/** Elements made and changed in a few words; data only ever become text, never markup. */

const SVG = "http://www.w3.org/2000/svg";

/**
 * An element with properties and children.
 * @param {string} tag
 * @param {Object<string, any>} [props] `class`, `on*` handlers, `data`, `style`; others: attributes
 * @param {...(Node|string|null|undefined|false)} children
 * @returns {HTMLElement}
 */
export function h(tag, props = {}, ...children) {
  return filled(document.createElement(tag), props, children);
}

/** The same for SVG. */
export function svg(tag, props = {}, ...children) {
  return filled(document.createElementNS(SVG, tag), props, children);
}

function filled(el, props, children) {
  for (const [name, value] of Object.entries(props)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) el.addEventListener(name.slice(2), value);
    else if (name === "data") Object.assign(el.dataset, value);
    else if (name === "style") Object.assign(el.style, value);
    else el.setAttribute(name, value === true ? "" : String(value));
  }
  el.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return el;
}

/** Set the text of an element, only if it differs: an unchanged page is not laid out again. */
export function say(el, text) {
  const words = text === null || text === undefined ? "" : String(text);
  if (el.textContent !== words) el.textContent = words;
}

/** Set or remove an attribute, only if it differs. */
export function attr(el, name, value) {
  if (value === null || value === undefined || value === false) {
    if (el.hasAttribute(name)) el.removeAttribute(name);
  } else if (el.getAttribute(name) !== String(value)) el.setAttribute(name, String(value));
}

/** Set a style, only if it differs. */
export function style(el, name, value) {
  if (el.style.getPropertyValue(name) !== value) el.style.setProperty(name, value);
}

/** Hide or show. */
export function shown(el, visible) {
  attr(el, "hidden", !visible);
}

/** Whether someone types into this element. */
export function types(el) {
  return Boolean(el && (el.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(el.tagName)));
}

/** Ask for less motion? */
export function calm() {
  return window.matchMedia("(prefers-reduced-motion: reduce)").matches;
}
