/** One WebSocket to a running twin: it says what comes, and comes back by itself when it breaks. */

import { Emitter } from "../emitter.js";

const WAITS_MS = [250, 500, 1000, 2000, 4000, 8000];

/** Time without any message after which the connection counts as dead. */
const SILENCE_MS = 15000;

/** Close code after which there is nothing to come back to. */
const NOT_FOUND = 4404;

/**
 * Emits `status` (connecting, live, reconnecting, gone), `message` (each one from the
 * server, parsed) and `lost` (numbers of what was sent and never answered).
 */
export class Session extends Emitter {
  /**
   * @param {string} root the API's root, such as `/api`
   * @param {string} twin id of a twin, or `default`
   * @param {() => string} token what to say when the API wants one
   */
  constructor(root, twin, token = () => "") {
    super();
    this.root = root;
    this.twin = twin;
    this.token = token;
    this.status = "connecting";
    this.socket = null;
    this.tries = 0;
    this.nextId = 1;
    /** Whether the server has something to say all the time; a paused twin says nothing. */
    this.isTalkative = () => true;
    this.closed = false;
    this.wake = () => this.hurry();
    window.addEventListener("online", this.wake);
    document.addEventListener("visibilitychange", this.wake);
    this.open();
  }

  open() {
    if (this.closed) return;
    const url = new URL(`${this.root}/twins/${encodeURIComponent(this.twin)}/live`, window.location.href);
    url.protocol = url.protocol.replace("http", "ws");
    const socket = new WebSocket(url);
    this.socket = socket;
    this.watch();
    socket.onmessage = (event) => socket === this.socket && this.take(event.data);
    socket.onclose = (event) => socket === this.socket && this.broken(event.code);
  }

  take(data) {
    this.watch();
    const message = JSON.parse(data);
    if (message.type === "hello") this.greeted(message);
    else if (message.type === "gone") this.end("gone");
    else if (message.type === "refused" && this.status !== "live") this.failure = message.error;
    this.emit("message", message);
  }

  greeted(message) {
    this.tries = 0;
    this.failure = null;
    this.twin = message.twin;
    const first = this.status !== "live";
    this.become("live");
    if (first) this.authorize();
  }

  /** Tell the token, where there is one; whoever only looks needs none. */
  authorize() {
    if (this.token()) this.send({ do: "auth", token: this.token() });
  }

  /** A connection that says nothing any more is taken for broken. */
  watch() {
    clearTimeout(this.silence);
    this.silence = setTimeout(() => {
      if (this.isTalkative() && !document.hidden) this.socket?.close();
    }, SILENCE_MS);
  }

  broken(code) {
    clearTimeout(this.silence);
    if (this.closed || this.status === "gone") return;
    this.emit("lost");
    if (code === NOT_FOUND && this.failure?.code === "not_found") return this.end("gone");
    this.become("reconnecting");
    const wait = WAITS_MS[Math.min(this.tries, WAITS_MS.length - 1)] * (0.75 + Math.random() / 2);
    this.tries += 1;
    this.timer = setTimeout(() => this.open(), wait);
  }

  /** Try again at once. */
  hurry() {
    if (this.status !== "reconnecting" || document.hidden) return;
    clearTimeout(this.timer);
    if (this.socket.readyState !== WebSocket.CONNECTING) this.open();
  }

  /** Go to another twin on a new socket. */
  goTo(twin) {
    this.twin = twin;
    clearTimeout(this.timer);
    const old = this.socket;
    this.socket = null;
    old?.close();
    this.become("connecting");
    this.open();
  }

  /**
   * Send; returns the number that the answer will carry, or null when there is no connection.
   * @param {{do: string}} message
   */
  send(message) {
    if (this.socket?.readyState !== WebSocket.OPEN || this.status !== "live") return null;
    const id = this.nextId++;
    this.socket.send(JSON.stringify({ ...message, id }));
    return id;
  }

  become(status) {
    if (status === this.status) return;
    this.status = status;
    this.emit("status", status);
  }

  end(status) {
    this.become(status);
    clearTimeout(this.timer);
    clearTimeout(this.silence);
  }

  close() {
    this.closed = true;
    clearTimeout(this.timer);
    clearTimeout(this.silence);
    window.removeEventListener("online", this.wake);
    document.removeEventListener("visibilitychange", this.wake);
    this.socket?.close();
  }
}
