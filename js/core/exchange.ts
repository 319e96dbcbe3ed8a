// A request of a session, up to the end of its answer.

import type { Host } from "../glue/core.js";
import type { Driver } from "./driver.js";
import { readBody, type Body } from "./read.js";
import { toAnswer, toTarget } from "./traps.js";

/** It holds its session until it is closed: a `fetch` that never settles, not even when it is aborted, holds this. */
export class SessionExchange implements Body {
  #controller = new AbortController();
  #driver: Driver | undefined;
  #reader: ReadableStreamDefaultReader<Uint8Array> | undefined;

  constructor(driver: Driver, readonly request: number) {
    this.#driver = driver;
  }

  /** Sends it where the host says. */
  async send(...which: Parameters<Host["request"]>): Promise<void> {
    try {
      const ahead = this.#driver!.host.ahead?.(...which);
      if (ahead) this.#controller = ahead.controller;
      // The host is asked once the caller is done.
      await null;
      if (!this.#driver) return;
      const target = ahead ? await ahead.target : toTarget(await this.#driver.host.request(...which));
      const { url, credentials, fetch: send } = target;
      let init: RequestInit = {};
      this.#driver?.enter((core) => (init = core.init(this.request, target, this.#controller.signal)));
      // The guard may have refused it.
      if (!this.#driver) return;
      if (credentials) init.credentials = credentials;
      const response = await (ahead?.response ?? (send ? send(url, init) : fetch(url, init)));
      const { status, contentType, retryAfter, reader } = toAnswer(response);
      this.#reader = reader;
      // A fetch of the application's may look at no signal: its connection would stay open.
      if (!this.#driver) return this.#cancel();
      this.#driver.host.head(response.headers, status);
      this.#driver.slice((core) => core.head(this.request, status, contentType, retryAfter));
      if (reader) readBody(reader, this);
      else this.end();
    } catch (error) {
      this.fail(error);
    }
  }

  take(piece: Uint8Array, now: number): number {
    const more = this.#driver?.read(this.request, piece, now);
    return this.#driver ? 1 + more! : 0;
  }

  end(): void {
    this.#driver?.slice((core) => core.end(this.request));
    this.#leave();
  }

  fail(error: unknown): void {
    this.#driver?.host.failed(error);
    // Transports report a status in an error where HTTP would have it in a head.
    const { message, status } = Object(error);
    // Whatever it is: its message may be no string.
    const reason = [message, error].find((text) => typeof text === "string") ?? "unknown error";
    this.#driver?.slice((core) => core.fail(this.request, reason, status === 401));
    this.#controller.abort();
    this.#leave();
  }

  /** Nothing more is wanted of it. */
  close(): void {
    // Before the abort, after which cancelling fails; a custom fetch may not know the signal at all.
    this.#cancel();
    this.#controller.abort();
    this.#leave();
  }

  #cancel(): void {
    const cancel = async () => this.#reader?.cancel();
    // Whether that works does not matter.
    cancel().catch(() => {});
  }

  #leave(): void {
    const driver = this.#driver;
    this.#driver = undefined;
    driver?.closed(this);
  }
}
