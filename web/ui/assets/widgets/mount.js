/** Starts a widget of a page, and hands it new data on each rerun. */

import { attr, h } from "../dom.js";

const mounted = new WeakMap();
const STYLES = ["twin.css", "parts.css", "controls.css", "widgets.css"];

/**
 * @param {{data: any, at: (name: string) => string, parent: HTMLElement, state: Function, trigger: Function}} options
 * @returns {() => void} ends it
 */
export async function mount({ data, at, parent, state, trigger }) {
  const known = mounted.get(parent);
  if (known) {
    known.tell.state = state;
    known.tell.trigger = trigger;
    known.view.then((view) => show(view, known.root, data));
    return known.end;
  }
  const root = h("div", { class: "pdd pdd-widget", data: { widget: data.widget } });
  const tell = { state, trigger };
  const entry = { root, tell, end: () => {}, view: open(root, data, at, tell) };
  entry.end = () => {
    // Streamlit also ends a call that new data overtook while it loaded; what is drawn stays then.
    if (parent.isConnected || mounted.get(parent) !== entry) return;
    mounted.delete(parent);
    entry.view.then((view) => view.dispose?.());
    root.remove();
  };
  mounted.set(parent, entry);
  await entry.view;
  parent.append(root);
  return entry.end;
}

async function open(root, data, at, tell) {
  const styled = Promise.all(STYLES.map((name) => style(at(name))));
  const { view } = await import(at(`widgets/${data.widget}.js`));
  await styled;
  const made = view({ root, tell });
  show(made, root, data);
  return made;
}

/** Draw, and then mark the root with the answer it shows now. */
function show(view, root, data) {
  view.update(data);
  attr(root, "data-slot", data.within?.slot);
  attr(root, "data-answer", data.within?.answer);
}

/** A style sheet in the head, once; resolves when it is loaded, whatever comes of it. */
function style(href) {
  const found = document.head.querySelector(`link[rel="stylesheet"][href="${href}"]`);
  if (found) return found.sheet ? Promise.resolve() : new Promise((resolve) => found.addEventListener("load", resolve));
  return new Promise((resolve) => {
    const link = h("link", { rel: "stylesheet", href });
    link.onload = link.onerror = resolve;
    document.head.append(link);
  });
}
