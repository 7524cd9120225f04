/** What a page says when its connection breaks, comes back, or leads to another version. */

import { t } from "../texts.js";

/** Milliseconds a break may last before it is worth a sentence. */
const PATIENCE_MS = 1200;

/**
 * @param {import("../pane.js").Pane} pane
 * @param {any} banner
 * @param {string} version of the page
 * @param {{gone?: () => void}} [ways] what to do when the twin is no more
 * @returns {() => void} ends the watch
 */
export function watchConnection(pane, banner, version, { gone } = {}) {
  let timer = null;
  const { session } = pane;
  const key = `connection-${pane.name}`;
  const retry = { label: t("banner.retry"), run: () => session.hurry() };
  const reload = { label: t("banner.reload"), run: () => window.location.reload() };
  const quiet = new MutationObserver(hush);
  const told = (status) => {
    clearTimeout(timer);
    if (status === "reconnecting") quiet.observe(document.body, { childList: true, subtree: true });
    if (status === "live") {
      quiet.disconnect();
      return banner.clear(key);
    }
    if (status === "gone") return gone ? gone() : banner.show(key, t("errors.gone"), { action: reload });
    timer = setTimeout(() => banner.show(key, session.failure?.message ?? t("errors.reconnecting"), { action: retry, lasting: true }), PATIENCE_MS);
  };
  const heard = (message) => {
    if (message.type === "hello" && message.version !== version) banner.show("version", t("errors.version", { page: version, server: message.version }), { action: reload });
    if (message.type === "state" && message.status === "failed") banner.show(key, message.note ?? t("errors.failed"), { kind: "bad", action: reload });
  };
  const stops = [session.on("status", told), session.on("message", heard)];
  if (session.status !== "live") told(session.status);
  return () => {
    quiet.disconnect();
    clearTimeout(timer);
    stops.forEach((stop) => stop());
  };
}

/** Close what the host says of the same break, which the stylesheet hides. */
function hush() {
  if (!document.querySelector('[data-testid="stConnectionStatus"]')) return;
  document.querySelector('[data-testid="stDialog"]:not(:has([data-testid="stVerticalBlock"])) button[aria-label="Close"]')?.click();
}
