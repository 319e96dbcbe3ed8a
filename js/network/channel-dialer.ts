// The connection of a channel, one at a time: opened at first, and again after a loss, until it is given up.
//
//   closed ──ensure──► connecting ──► open ──lost──► reconnecting ──► open
//      ▲                                                 │ attempts used up
//      └──close, closed by the server────────────────────┘

import { aborted, LINES, toError } from "./body.js";
import { createBudget, pauseOf } from "./retry.js";
import type { AgentError } from "../api/error.js";
import type { Channel, ChannelClient, PageKit, Wire, WireEvents } from "../api/channel.js";
import type { TransportRequest } from "../api/types.js";

/** The receiver of a wire's frames. */
interface WireReading {
  /** Frames of this media type come. */
  kind(media: string): void;
  frame(frame: Uint8Array): void;
  /** The server has closed it in good order. */
  ended(): void;
  failed(error: Error): void;
}

/** The frames of a channel's connections, and how they end. */
export interface DialerHandlers extends Omit<WireReading, "kind"> {
  opened(): void;
  /** It is lost, and is being opened again by itself. `continues`: where it was. */
  paused(continues: boolean): void;
  /** It is closed, and nobody waits for it. */
  closed(): void;
}

/** A connection that is closed. */
export class Dialer {
  /** The connection, if there is one. */
  wire: Wire | undefined;
  /** The media type of its frames. */
  media = LINES;
  readonly #attempts: ReturnType<typeof createAttempts>;
  readonly #events: WireEvents & WireReading;
  readonly #current: { controller?: AbortController | undefined } = {};
  /** Closes the connection when nobody holds the channel. */
  readonly closing = closing(this.#current);
  #opening: Promise<void> | undefined;
  #phase: ChannelState["phase"] = "closed";
  // When the last attempt was due; absent while the core decides about it.
  #retryAt: number | undefined;
  #waiting: { resolve(): void; reject(error: AgentError): void }[] = [];
  // The last id of a source.
  #cursor: string | undefined;

  constructor(readonly client: ChannelClient, private readonly handlers: DialerHandlers) {
    this.#attempts = createAttempts(() => client.kit.retryTimes(client.options().retry));
    this.#events = {
      ...handlers,
      kind: (media) => void (this.media = media),
      opened: () => {
        if (this.#phase === "open") return;
        this.#attempts.opened();
        this.#set("open");
        handlers.opened();
        for (const { resolve } of this.#waiting.splice(0)) resolve();
      },
      paused: () => {
        // First: an answer that may wait no longer ends as one that was lost.
        this.#attempts.paused();
        this.#reconnecting();
        handlers.paused(this.continues);
      },
    };
  }

  state(): ChannelState {
    const [phase, retryAt] = [this.#phase, this.#retryAt];
    const attempt = phase === "open" ? 0 : this.#attempts.count();
    return { phase, attempt, ...(retryAt !== undefined && { retryAt: Math.round(retryAt) }) };
  }

  get isOpen(): boolean {
    return !!this.wire && this.#phase === "open";
  }

  /** Whether the next one begins where this one was. */
  get continues(): boolean {
    return this.#cursor !== undefined;
  }

  /** A frame has come. `id`: the id that it has. */
  received(id: string | undefined): void {
    this.#attempts.received();
    this.#cursor = id ?? this.#cursor;
  }

  /** Opens it, unless it is. */
  ensure(request: TransportRequest): Promise<void> {
    if (this.isOpen) return Promise.resolve();
    // A source continues where it was.
    return this.#open(this.#cursor === undefined || request.resume ? request : { ...request, resume: true, cursor: this.#cursor });
  }

  /** Once it is open. Rejects when it is given up. */
  opened(): Promise<void> {
    return new Promise<void>((resolve, reject) => this.#waiting.push({ resolve, reject }));
  }

  /** It is lost. */
  drop(): void {
    this.#attempts.lost();
    this.hangUp();
  }

  hangUp(): void {
    this.wire = this.#opening = undefined;
    this.#current.controller?.abort();
    this.#current.controller = undefined;
  }

  /** Opens it again after a loss. During an answer, the core asks for the rest of the run by itself, or gives it up. */
  recover(error: Error, answering: boolean): void {
    if (answering && this.client.options().resume) this.#reconnecting();
    else this.#again(error, answering);
  }

  /** Closes it; it is opened anew from the start, if it was to be open. */
  restart(): void {
    if (this.#phase === "closed") this.giveUp();
    else void this.#open({ ...this.client.run(), resume: false }).catch(() => {});
  }

  /** The network is back. */
  online(): void {
    if (this.#isIdle) this.#redial();
  }

  /** No run is in progress. */
  rest(): void {
    if (this.#isIdle && this.#retryAt === undefined) this.#again(new Error("it was lost during a run"), true);
  }

  /** Nobody waits for it. */
  giveUp(error: AgentError = new this.client.kit.AgentError({ kind: "connection", message: "The connection was closed", retryable: true })): void {
    this.handlers.closed();
    this.#attempts.cancel();
    this.#set("closed");
    for (const { reject } of this.#waiting.splice(0)) reject(error);
  }

  get #isIdle(): boolean {
    return this.#phase === "reconnecting" && !this.#opening && !this.wire;
  }

  #set(phase: ChannelState["phase"], retryAt?: number): void {
    this.#phase = phase;
    this.#retryAt = retryAt;
    this.client.changed();
  }

  #reconnecting(retryAt = this.#retryAt): void {
    this.#set("reconnecting", retryAt);
  }

  /** Opens it, unless that is in progress. */
  #open(request: TransportRequest): Promise<void> {
    if (this.#opening) return this.#opening;
    const mine: Promise<void> = this.#attempt(request).finally(() => {
      if (this.#opening === mine) this.#opening = undefined;
    });
    return (this.#opening = mine);
  }

  async #attempt(request: TransportRequest): Promise<void> {
    this.hangUp();
    const mine = (this.#current.controller = new AbortController());
    // The loop that reads must not hold the agent: it could never be collected.
    const { signal } = mine;
    const weak = this.client.kit.weakly(this.#events);
    this.#attempts.begin();
    if (this.#attempts.count()) this.#reconnecting();
    else this.#set("connecting");
    try {
      const { open } = this.client.source() ?? {};
      if (!open) throw new Error("the transport keeps no connection open");
      const opened = await open(request, signal, only(signal, weak));
      if (signal.aborted) throw aborted();
      this.wire = opened;
      void read(opened.response, signal, weak);
      await opened.opened;
      if (this.#current.controller === mine) this.#events.opened();
    } catch (cause) {
      const error = toError(cause);
      if (this.#current.controller === mine) this.handlers.failed(error);
      throw error;
    }
  }

  /** Opens it where it was. */
  #redial(): void {
    void this.#open({ ...this.client.run(), resume: this.#cursor !== undefined, cursor: this.#cursor }).catch(() => {});
  }

  /** Opens it anew after a while, unless that was tried too often. */
  #again(error: Error, answering: boolean): void {
    this.#attempts.cancel();
    if (this.#phase === "closed") return this.giveUp();
    const retryAt = this.#attempts.later(error, () => this.#redial());
    if (retryAt !== undefined) return this.#reconnecting(retryAt);
    const failure = failureOf(this.client.kit, error);
    const requested = this.#waiting.length > 0;
    this.giveUp(failure);
    if (!answering && !requested) this.client.failed(failure);
  }
}

type ChannelState = ReturnType<Channel["state"]>;

/** Counts the attempts to open a connection since its last frame, and begins the next one when it is due. */
function createAttempts(times: () => ReturnType<PageKit["retryTimes"]>) {
  let count = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  // Of this connection; 0 while it is not open.
  let openedAt = 0;
  const budget = createBudget();
  const cancel = (): void => clearTimeout(timer);
  return {
    count: () => count,
    begin: (): void => {
      cancel();
      budget(times().perMinute, Date.now(), 1);
    },
    opened: () => void (openedAt = Date.now()),
    received: () => void (count = 0),
    paused: () => void count++,
    lost: (): void => {
      // One that has stood for long is no attempt.
      if (openedAt && Date.now() - openedAt > times().maxMs) count = 0;
      openedAt = 0;
    },
    /** Makes one more after a while, and returns when; `undefined`: they are used up. */
    later: (error: Error, attempt: () => void): number | undefined => {
      const { attempts, perMinute, ...bounds } = times();
      if (count >= (isDenied(error) ? Math.min(attempts, 1) : attempts)) return undefined;
      count++;
      const now = Date.now();
      const due = Math.max(now + pauseOf(bounds, count, Math.random()), budget(perMinute, now));
      timer = setTimeout(attempt, due - now);
      return due;
    },
    /** Makes none that is due later. */
    cancel,
  };
}

const isDenied = (error: Error): boolean => (error as { status?: number }).status === 401;

/** The error of a connection that could not be opened again. */
function failureOf(kit: PageKit, cause: Error): AgentError {
  const denied = isDenied(cause);
  const message = `The connection was lost, and could not be opened again: ${cause.message}`;
  return new kit.AgentError({ kind: denied ? "auth" : "connection", message, retryable: !denied, cause });
}

/** The same events, unless the wire was given up. */
function only(signal: AbortSignal, events: WireEvents): WireEvents {
  return {
    opened: () => signal.aborted || events.opened(),
    paused: () => signal.aborted || events.paused(),
  };
}

/** Reads a wire to its end. Holds nothing of the channel. */
async function read(answer: Promise<Response>, signal: AbortSignal, to: WireReading): Promise<void> {
  try {
    const { ok, status, headers, body } = await answer;
    if (!ok || !body) throw Object.assign(new Error(`the connection was refused with ${status}`), { status });
    if (!signal.aborted) to.kind(headers.get("content-type") ?? LINES);
    for (const reader = body.getReader();;) {
      const { done, value } = await reader.read();
      if (signal.aborted) return void reader.cancel().catch(() => {});
      if (done) return to.ended();
      to.frame(value);
    }
  } catch (error) {
    if (!signal.aborted) to.failed(toError(error));
  }
}

/** Closes what is open. Made here, where nothing of a channel can be held. */
const closing = (of: { readonly controller?: AbortController | undefined }): () => void => () => of.controller?.abort();
