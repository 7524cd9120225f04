/** The API over HTTP; every failure is an ApiError with one sentence for a person. */

import { t } from "../texts.js";

export class ApiError extends Error {
  constructor(error, status) {
    super(error?.message || t("errors.unreadable"));
    this.code = error?.code ?? "internal";
    this.problems = error?.problems ?? [];
    this.status = status;
  }
}

export class Api {
  /** @param {string} root such as `/api` */
  constructor(root) {
    this.root = root;
    this.token = sessionStorage.getItem("pdd-token") ?? "";
  }

  /** Write with this token from now on. */
  useToken(token) {
    this.token = token;
    sessionStorage.setItem("pdd-token", token);
  }

  headers(more = {}) {
    return this.token ? { ...more, authorization: `Bearer ${this.token}` } : more;
  }

  get(path) {
    return this.ask("GET", path);
  }

  post(path, body) {
    return this.ask("POST", path, body);
  }

  remove(path) {
    return this.ask("DELETE", path);
  }

  async ask(method, path, body) {
    let answer;
    try {
      answer = await fetch(this.root + path, {
        method,
        headers: this.headers(body === undefined ? {} : { "content-type": "application/json" }),
        body: body === undefined ? undefined : JSON.stringify(body),
      });
    } catch {
      throw new ApiError({ code: "unreachable", message: t("errors.unreachable") }, 0);
    }
    return read(answer.status, await answer.text());
  }

  /**
   * Send a file, telling how much of it has gone.
   * @param {string} path
   * @param {File} file
   * @param {(share: number) => void} progress
   */
  upload(path, file, progress) {
    return new Promise((resolve, reject) => {
      const request = new XMLHttpRequest();
      request.open("POST", `${this.root}${path}`);
      request.setRequestHeader("content-type", "application/octet-stream");
      for (const [name, value] of Object.entries(this.headers())) request.setRequestHeader(name, value);
      request.upload.onprogress = (event) => progress(event.total ? event.loaded / event.total : 0);
      request.onerror = () => reject(new ApiError({ code: "unreachable", message: t("errors.unreachable") }, 0));
      request.onload = () => {
        try {
          resolve(read(request.status, request.responseText));
        } catch (error) {
          reject(error);
        }
      };
      request.send(file);
    });
  }
}

function read(status, text) {
  let said = null;
  try {
    said = text ? JSON.parse(text) : null;
  } catch {
    if (status < 400) throw new ApiError(null, status);
  }
  if (status >= 400) throw new ApiError(said?.error, status);
  return said;
}
