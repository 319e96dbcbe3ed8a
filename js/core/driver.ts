// Drives a session of the core: calls it, and performs the effects that follow once the call has returned.
//
//   enter ──► core: call, head, read, … ──► effect() ──► host, request, timer ──► listener ──► enter ──► …
//                                              ▲                    │
//                                              └────────────────────┘
//
// The core calls nobody, so a listener may call the session from inside of any effect. Such a call performs all effects that wait, before
// it returns: its caller sees what it has led to.

import type { CoreSession, Host } from "../glue/core.js";
import { SessionExchange } from "./exchange.js";
import type { OpenSession } from "./port.js";
import { sliceMs } from "./turn.js";
import { isTrap } from "./traps.js";

// Room for small reads of any length.
const roomBytes = 1024;

type Effects = Record<string, (...args: unknown[]) => unknown>;

/** A session of the core in this thread, with the host that performs its effects. */
export class Driver implements OpenSession {
  readonly call: OpenSession["call"] = (method, json) => this.core.call(method, json);
  readonly takePatch: OpenSession["takePatch"] = () => this.core.takePatch();
  readonly #effects: Effects;
  #room: Uint8Array = new Uint8Array(0);
  /** The request that is open. */
  #open: SessionExchange | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #held = false;
  #ended = false;

  constructor(readonly core: CoreSession, readonly host: Host) {
    const own = {
      open: (request: number, ...which: Parameters<SessionExchange["send"]>) => {
        this.#open = new SessionExchange(this, request);
        void this.#open.send(...which);
      },
      close: (request: number) => {
        if (this.#open?.request === request) this.#open.close();
      },
      wake: (ms?: number) => {
        clearTimeout(this.#timer);
        this.#timer = ms === undefined ? undefined : setTimeout(this.#tick, ms);
      },
    };
    this.#effects = { ...host, ...own } as unknown as Effects;
  }

  enter(entry?: (core: CoreSession) => void): boolean {
    try {
      entry?.(this.core);
      this.perform();
      return true;
    } catch (error) {
      if (!isTrap(error)) {
        // A call that is refused may have begun what waits.
        if (entry) this.enter();
        throw error;
      }
      this.lose(error);
      return false;
    }
  }

  /** Enters for the network, which leaves the page its turn after a slice. */
  slice(entry: (core: CoreSession) => void): void {
    const { task } = this.host;
    task.until = performance.now() + sliceMs;
    try {
      this.enter(entry);
    } finally {
      task.until = Infinity;
    }
  }

  /** Gives the core a piece of an answer. Whether it has more to do with it. As `slice`, which would cost every read a function. */
  read(request: number, piece: Uint8Array, now: number): number {
    const { core, host: { task } } = this;
    try {
      // Where the module's memory has grown, the old room has no length, and takes not even an empty piece.
      if (this.#room.length < Math.max(piece.length, 1)) this.#room = core.room(Math.max(piece.length, roomBytes));
      this.#room.set(piece);
      task.until = now + sliceMs;
      const result = core.read(request, piece.length, performance.timeOrigin + now);
      if (result > 1) this.perform();
      return result & 1;
    } catch (trap) {
      this.lose(trap);
      return 0;
    } finally {
      task.until = Infinity;
    }
  }

  /** Performs all effects that wait. */
  perform(): void {
    for (let text; !this.#ended && (text = this.core.effect()) !== undefined;) {
      const end = text.indexOf("\n");
      const [name, ...args] = JSON.parse(end < 0 ? text : text.slice(0, end)) as [string, ...unknown[]];
      if (end >= 0) args.push(text.slice(end + 1));
      this.#effects[name]!(...args);
    }
    this.hold();
  }

  /** The session must not be collected before somebody outside of the page has called back. */
  hold(): void {
    const on = !!this.#open || this.#timer !== undefined;
    if (on !== this.#held) this.host.hold(this.#held = on);
  }

  /** The request is no longer open. */
  closed(request: SessionExchange): void {
    if (this.#open === request) this.#open = undefined;
    this.hold();
  }

  /** The core has trapped. */
  lose(trap: unknown): void {
    this.abandon();
    this.host.lost(trap);
  }

  free(): void {
    this.abandon();
    this.core.free();
  }

  abandon(): void {
    this.#ended = true;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#open?.close();
    this.hold();
  }

  readonly #tick = (): void => {
    this.#timer = undefined;
    this.enter((core) => core.call("tick"));
  };
}
