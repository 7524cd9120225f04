/** Asks for the token when the service wants one of whoever changes something. */

import { h, say, shown } from "../dom.js";
import { t } from "../texts.js";
import { Dialog } from "./dialog.js";

export class TokenDialog {
  /** @param {{root: HTMLElement, api: any, sessions: () => any[]}} ctx */
  constructor({ root, api, sessions }) {
    Object.assign(this, { api, sessions });
    this.dialog = new Dialog({ root, name: "token", title: t("token.title") });
    this.input = h("input", { type: "password", class: "text-input", id: "pdd-token", autocomplete: "off" });
    this.note = h("p", { class: "refused", role: "alert", hidden: true });
    const form = h("form", { class: "token-form", onsubmit: (event) => this.give(event) },
      h("label", { class: "label", for: "pdd-token" }, t("token.about")), this.input, this.note,
      h("button", { class: "button is-main", type: "submit" }, t("token.give")));
    this.dialog.body.append(form);
  }

  /** Open it because of a refusal; a wrong token is told. */
  open(sentence) {
    say(this.note, sentence);
    shown(this.note, Boolean(sentence) && Boolean(this.api.token));
    this.dialog.open();
    this.input.focus();
  }

  give(event) {
    event.preventDefault();
    this.api.useToken(this.input.value.trim());
    for (const session of this.sessions()) session.authorize();
    this.dialog.close();
  }
}
