/** What the API offers: the settings table, the scenarios, and which of their values are assumed. */

export class Catalog {
  /** @param {import("./api.js").Api} api */
  constructor(api) {
    this.api = api;
    /** @type {Map<string, any>} */
    this.settings = new Map();
    this.list = [];
    this.full = new Map();
  }

  /** Fetch the tables; needed before anything can be turned. */
  async open() {
    const [settings, list] = await Promise.all([this.api.get("/settings"), this.api.get("/scenarios")]);
    this.settings = new Map(settings.map((setting) => [setting.path, setting]));
    this.list = list;
  }

  known(name) {
    return this.list.find((one) => one.name === name);
  }

  /** The whole scenario, asked for once. */
  async scenario(name) {
    if (!this.full.has(name)) this.full.set(name, await this.api.get(`/scenarios/${encodeURIComponent(name)}`));
    return this.full.get(name).scenario;
  }

  /** The whole scenario, if it is here already. */
  loaded(name) {
    return this.full.get(name)?.scenario ?? null;
  }

  assumed(name) {
    return new Set(this.full.get(name)?.assumed ?? []);
  }

  source(name, path) {
    return this.full.get(name)?.sources?.[path] ?? null;
  }
}
