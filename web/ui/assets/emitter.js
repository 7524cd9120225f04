/** Who wants to know hears of it: named events with any number of listeners. */

export class Emitter {
  constructor() {
    this.listeners = new Map();
  }

  /**
   * Listen; returns what ends the listening.
   * @param {string} name
   * @param {(what: any) => void} listener
   */
  on(name, listener) {
    if (!this.listeners.has(name)) this.listeners.set(name, new Set());
    this.listeners.get(name).add(listener);
    return () => this.listeners.get(name).delete(listener);
  }

  emit(name, what) {
    for (const listener of [...(this.listeners.get(name) ?? [])]) listener(what);
  }
}
