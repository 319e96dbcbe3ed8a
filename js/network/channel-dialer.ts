// When the connection of a channel is opened: at first, again after a loss, until it is given up.
//
//   closed ──ensure──► connecting ──► open ──lost──► reconnecting ──► open
//      ▲                                                 │ attempts used up
//      └──close, closed by the server────────────────────┘

import { createConnection, type ConnectionEvents } from "./channel-connection.js";
import { createBudget, pauseOf } from "./retry.js";
import type { AgentError } from "../api/error.js";
import type { Channel, ChannelClient, PageKit } from "../api/channel.js";
import type { TransportRequest } from "../api/types.js";

/** The frames of a channel's connections, and how they end. */
export interface DialerHandlers extends Pick<ConnectionEvents, "opened" | "frame" | "ended" | "failed"> {
  /** It is lost, and is being opened again by itself. `continues`: where it was. */
  paused(continues: boolean): void;
  /** It is closed, and nobody waits for it. */
  closed(): void;
}

/** A connection that is closed. */
export class Dialer {
  readonly #attempts: ReturnType<typeof createAttempts>;
  readonly connection: ReturnType<typeof createConnection>;
  #phase: ChannelState["phase"] = "closed";
  // When the last attempt was due; absent while the core decides about it.
  #retryAt: number | undefined;
  #waiting: { resolve(): void; reject(error: AgentError): void }[] = [];
  // The last id of a source.
  #cursor: string | undefined;

  constructor(private readonly client: ChannelClient, private readonly handlers: DialerHandlers) {
    this.#attempts = createAttempts(() => client.kit.retryTimes(client.options().retry));
    this.connection = createConnection(client, {
      ...handlers,
      begins: () => {
        this.#attempts.begin();
        if (this.#attempts.count()) this.#reconnecting();
        else this.#set("connecting");
      },
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
        handlers.paused(this.#cursor !== undefined);
      },
    });
  }

  state(): ChannelState {
    const [phase, retryAt] = [this.#phase, this.#retryAt];
    const attempt = phase === "open" ? 0 : this.#attempts.count();
    return { phase, attempt, ...(retryAt !== undefined && { retryAt: Math.round(retryAt) }) };
  }

  get isOpen(): boolean {
    return !!this.connection.wire() && this.#phase === "open";
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
    return this.connection.open(this.#cursor === undefined || request.resume ? request : { ...request, resume: true, cursor: this.#cursor });
  }

  /** Once it is open. Rejects when it is given up. */
  opened(): Promise<void> {
    return new Promise<void>((resolve, reject) => this.#waiting.push({ resolve, reject }));
  }

  /** It is lost. */
  drop(): void {
    this.#attempts.lost();
    this.connection.hangUp();
  }

  /** Opens it again after a loss. During an answer, the core asks for the rest of the run by itself, or gives it up. */
  recover(error: Error, answering: boolean): void {
    if (answering && this.client.options().resume) this.#reconnecting();
    else this.#again(error, answering);
  }

  /** Closes it; it is opened anew from the start, if it was to be open. */
  restart(): void {
    if (this.#phase === "closed") this.giveUp();
    else void this.connection.open({ ...this.client.run(), resume: false }).catch(() => {});
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
    return this.#phase === "reconnecting" && !this.connection.isOpening() && !this.connection.wire();
  }

  #set(phase: ChannelState["phase"], retryAt?: number): void {
    this.#phase = phase;
    this.#retryAt = retryAt;
    this.client.changed();
  }

  #reconnecting(retryAt = this.#retryAt): void {
    this.#set("reconnecting", retryAt);
  }

  /** Opens it where it was. */
  #redial(): void {
    void this.connection.open({ ...this.client.run(), resume: this.#cursor !== undefined, cursor: this.#cursor }).catch(() => {});
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
