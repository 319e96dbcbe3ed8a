// A request of a session, and its answer, which is read into the core in slices that leave the page its turn.
//
//   read() ──► chunk ──► piece ──► piece ──► … ──► read()
//                 ▲        │ the slice is used up: the rest waits
//                 └─ turn ◄┘
//
// The loop is JavaScript's because every chunk passes it: from here it is one call into WebAssembly, from there ten out.

import type { Host } from "../glue/core.js";
import type { Driver } from "./driver.js";
import { toAnswer, toTarget } from "./traps.js";
import { sliceMs, turn } from "./turn.js";

// Nothing came for so long: the page has had its turn. Chunks that are there already come without one in between.
const pauseMs = 2;
// The bytes that are read between two looks at the clock: a fraction of a millisecond of an agent's events. After a piece
// that took longer it is less, for small events may take long where the state is large; it doubles as long as pieces are
// fast.
const pieceBytes = 32 * 1024;
const leastBytes = 128;
const slowMs = sliceMs / 4;
const nothing = new Uint8Array();

/** It holds its session until it is closed: a `fetch` that never settles, not even when it is aborted, holds this. */
export class SessionExchange {
  #controller = new AbortController();
  #driver: Driver | undefined;
  #reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  // When this slice began, and when the core was last given something.
  #began = 0;
  #last = -Infinity;
  #size = pieceBytes;

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
      if (reader) this.#next();
      else this.#end();
    } catch (error) {
      this.#fail(error);
    }
  }

  readonly #next = (): void => {
    try {
      void this.#reader!.read().then(this.#come, this.#fail);
    } catch (error) {
      this.#fail(error);
    }
  };

  readonly #come = ({ done, value }: ReadableStreamReadResult<Uint8Array>): void => {
    if (done) return this.#end();
    if (!ArrayBuffer.isView(value)) return this.#fail(new TypeError("the body of the response is not made of bytes"));
    const now = performance.now();
    if (now - this.#last > pauseMs) this.#began = now;
    this.#last = now;
    this.#give(value);
  };

  #give(chunk: Uint8Array): void {
    for (let rest = chunk;;) {
      const bytes = this.#size;
      const whole = rest.length <= bytes;
      // A view costs a small read more than its copy does.
      const more = this.#driver?.read(this.request, whole ? rest : rest.subarray(0, bytes), this.#last);
      // Closed over it.
      if (!this.#driver) return;
      if (more) return this.#goOn(whole ? undefined : rest.subarray(bytes));
      const now = performance.now();
      this.#size = now - this.#last > slowMs ? leastBytes : Math.min(this.#size * 2, pieceBytes);
      // A small piece may take long as well: the listeners are called over it.
      this.#last = now;
      if (!whole) rest = rest.subarray(bytes);
      if (this.#last - this.#began > sliceMs) return whole ? this.#wait(this.#next) : this.#giveLater(rest);
      if (whole) return this.#next();
    }
  }

  // A long event is read in steps, each a task of its own: the last one may take as long as all before it.
  #goOn(rest: Uint8Array | undefined): void {
    this.#wait(() => {
      const more = this.#driver?.read(this.request, nothing, this.#last);
      if (!this.#driver) return;
      if (more) this.#goOn(rest);
      else this.#wait(rest ? () => this.#give(rest) : this.#next);
    });
  }

  // A closure in the loop would cost every read.
  #giveLater(rest: Uint8Array): void {
    this.#wait(() => this.#give(rest));
  }

  #wait(resume: () => void): void {
    turn(() => {
      this.#began = this.#last = performance.now();
      resume();
    });
  }

  #end(): void {
    this.#driver?.slice((core) => core.end(this.request));
    this.#leave();
  }

  readonly #fail = (error: unknown): void => {
    this.#driver?.host.failed(error);
    // Transports report a status in an error where HTTP would have it in a head.
    const { message, status } = Object(error);
    // Whatever it is: its message may be no string.
    const reason = [message, error].find((text) => typeof text === "string") ?? "unknown error";
    this.#driver?.slice((core) => core.fail(this.request, reason, status === 401));
    this.#controller.abort();
    this.#leave();
  };

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
