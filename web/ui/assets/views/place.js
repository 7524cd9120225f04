/** The address of the lab: what differs from the scenario a twin began with, written down and remembered. */

import { changed, writeAddress } from "../data/address.js";
import { PUBLISHED } from "../parts/presets.js";

/** What an address leaves out: the twin that everybody sees first. */
export const USUAL = { scenario: PUBLISHED, seed: 1, pace: 10 };

const MEMORY = "pdd-lab";

export class Place {
  /** @param {{all: any[], active: any, catalog: any}} panes */
  constructor(panes) {
    this.panes = panes;
  }

  base(pane = this.panes.active) {
    return pane.model.scenario ? this.panes.catalog.loaded(pane.model.scenario.name) : null;
  }

  /** Whether a setting stands at a value of its scenario for which there is no source. */
  assumed(path) {
    const base = this.base();
    if (!base || !this.panes.catalog.assumed(base.name).has(path)) return false;
    return !(path in this.turned(this.panes.active));
  }

  source(path) {
    const base = this.base();
    return base && !(path in this.turned(this.panes.active)) ? this.panes.catalog.source(base.name, path) : null;
  }

  /** What differs from the scenario that a pane's twin began with. */
  turned(pane) {
    const base = this.base(pane);
    return base ? changed(base, pane.model.scenario, this.panes.catalog.settings) : {};
  }

  query() {
    const [a, b] = this.panes.all;
    if (!this.base(a)) return null;
    const set = this.turned(a);
    const beside = b?.model.scenario ? changed(a.model.scenario, b.model.scenario, this.panes.catalog.settings) : null;
    return writeAddress({ scenario: a.model.scenario.name, seed: a.model.seed ?? 0, pace: a.model.pace, set, beside }, USUAL);
  }

  link() {
    return new URL(`${window.location.pathname}${this.query() ?? ""}`, window.location.href).href;
  }

  /** Keep the address in step, without a rerun of the page. */
  write() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      if (!this.panes.all.length || this.gone) return;
      const query = this.query();
      if (query === null) return;
      if (query !== window.location.search) window.history.replaceState(window.history.state, "", `${window.location.pathname}${query}${window.location.hash}`);
      const [a, b] = this.panes.all;
      if (a.model.shared) forget();
      else sessionStorage.setItem(MEMORY, JSON.stringify({ query, twin: a.model.twin, beside: b?.model.twin ?? null }));
    }, 250);
  }

  dispose() {
    this.gone = true;
    clearTimeout(this.timer);
  }
}

/** The visitor's own twin of before, when the address still asks for the same. */
export function recall(query) {
  try {
    const known = JSON.parse(sessionStorage.getItem(MEMORY));
    return known && known.query === query ? known : null;
  } catch {
    return null;
  }
}

/** The twin of before is no more, or no longer one's own. */
export function forget() {
  sessionStorage.removeItem(MEMORY);
}
