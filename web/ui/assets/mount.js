/** Starts the live area of a page; Streamlit calls it again on each rerun, which changes nothing. */

import { h } from "./dom.js";
import { Api } from "./data/api.js";
import { useTexts } from "./texts.js";

const mounted = new WeakMap();

/**
 * @param {{data: any, at: (name: string) => string, parent: HTMLElement, trigger: Function}} options
 * @returns {() => void} ends it
 */
export async function mount({ data, at, parent, trigger }) {
  const known = mounted.get(parent);
  if (known) {
    known.view.then((view) => view.restyle?.());
    return known.end;
  }
  useTexts(data.texts);
  const root = h("div", { class: "pdd", data: { page: data.page } });
  const entry = { end: () => {}, view: open(root, data, at, trigger) };
  entry.end = () => {
    // Streamlit also ends a call that new data overtook while it loaded; what is drawn stays then.
    if (parent.isConnected || mounted.get(parent) !== entry) return;
    mounted.delete(parent);
    entry.view.then((view) => view.dispose());
    root.remove();
  };
  mounted.set(parent, entry);
  await entry.view;
  parent.append(root);
  return entry.end;
}

async function open(root, data, at, trigger) {
  const modules = data.files.filter((name) => name.endsWith(".js"));
  for (const name of modules) hint("modulepreload", at(name));
  const styled = Promise.all(data.files.filter((name) => name.endsWith(".css")).map((name) => hint("stylesheet", at(name))));
  const { view } = await import(at(`views/${data.page}.js`));
  await styled;
  return view({ root, api: new Api(data.api), data, at, trigger });
}

/** A link in the head, once; resolves when it is loaded, whatever comes of it. */
function hint(rel, href) {
  const found = document.head.querySelector(`link[rel="${rel}"][href="${href}"]`);
  if (found) return Promise.resolve();
  return new Promise((resolve) => {
    const link = h("link", { rel, href });
    link.onload = link.onerror = resolve;
    document.head.append(link);
  });
}
