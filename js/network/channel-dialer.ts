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
export function createDialer(client: ChannelClient, handlers: DialerHandlers) {
  const { kit } = client;
  const phase = createPhase(() => client.changed());
  const attempts = createAttempts(() => kit.retryTimes(client.options().retry));
  let waiting: { resolve(): void; reject(error: AgentError): void }[] = [];
  // The last id of a source.
  let cursor: string | undefined;

  const connection = createConnection(client, {
    ...handlers,
    begins: () => {
      attempts.begin();
      if (attempts.count()) phase.reconnecting();
      else phase.set("connecting");
    },
    opened: () => {
      if (phase.is("open")) return;
      attempts.opened();
      phase.set("open");
      handlers.opened();
      for (const { resolve } of waiting.splice(0)) resolve();
    },
    paused: () => {
      handlers.paused(cursor !== undefined);
      attempts.paused();
      phase.reconnecting();
    },
  });

  /** Nobody waits for it. */
  const giveUp = (error: AgentError = new kit.AgentError({ kind: "connection", message: "The connection was closed", retryable: true })): void => {
    handlers.closed();
    attempts.cancel();
    phase.set("closed");
    for (const { reject } of waiting.splice(0)) reject(error);
  };

  /** Opens it where it was. */
  const redial = (): void => void connection.open({ ...client.run(), resume: cursor !== undefined, cursor }).catch(() => {});

  /** Opens it anew after a while, unless that was tried too often. */
  const again = (error: Error, answering: boolean): void => {
    attempts.cancel();
    if (phase.is("closed")) return giveUp();
    const retryAt = attempts.later(error, redial);
    if (retryAt !== undefined) return phase.reconnecting(retryAt);
    const failure = failureOf(kit, error);
    const requested = waiting.length > 0;
    giveUp(failure);
    if (!answering && !requested) client.failed(failure);
  };

  const isOpen = (): boolean => !!connection.wire() && phase.is("open");
  const isIdle = (): boolean => phase.is("reconnecting") && !connection.isOpening() && !connection.wire();

  return {
    state: () => phase.shown(attempts.count()),
    isOpen,
    /** A frame has come. `id`: the id that it has. */
    received: (id: string | undefined): void => {
      attempts.received();
      cursor = id ?? cursor;
    },
    /** Opens it, unless it is. */
    ensure: (request: TransportRequest): Promise<void> => {
      if (isOpen()) return Promise.resolve();
      // A source continues where it was.
      return connection.open(cursor === undefined || request.resume ? request : { ...request, resume: true, cursor });
    },
    /** Once it is open. Rejects when it is given up. */
    opened: () => new Promise<void>((resolve, reject) => waiting.push({ resolve, reject })),
    /** It is lost. */
    drop: (): void => {
      attempts.lost();
      connection.hangUp();
    },
    /** Opens it again after a loss. During an answer, the core asks for the rest of the run by itself, or gives it up. */
    recover: (error: Error, answering: boolean): void => (answering && client.options().resume ? phase.reconnecting() : again(error, answering)),
    /** Closes it; it is opened anew from the start, if it was to be open. */
    restart: (): void => {
      if (phase.is("closed")) giveUp();
      else void connection.open({ ...client.run(), resume: false }).catch(() => {});
    },
    online: () => {
      if (isIdle()) redial();
    },
    rest: () => {
      if (isIdle() && phase.retryAt() === undefined) again(new Error("it was lost during a run"), true);
    },
    giveUp,
    wire: connection.wire,
    media: connection.media,
    hangUp: connection.hangUp,
    closing: connection.closing,
  };
}

type ChannelState = ReturnType<Channel["state"]>;

/** The phase of the connection; `changed` is called when it is set. */
function createPhase(changed: () => void) {
  let now: ChannelState["phase"] = "closed";
  // When the last attempt was due; absent while the core decides about it.
  let retryAt: number | undefined;
  const set = (next: ChannelState["phase"], due?: number): void => {
    now = next;
    retryAt = due;
    changed();
  };
  return {
    is: (phase: ChannelState["phase"]) => now === phase,
    retryAt: () => retryAt,
    set: (next: "closed" | "connecting" | "open"): void => set(next),
    reconnecting: (due = retryAt): void => set("reconnecting", due),
    shown: (attempt: number): ChannelState => ({
      phase: now,
      attempt: now === "open" ? 0 : attempt,
      ...(retryAt !== undefined && { retryAt: Math.round(retryAt) }),
    }),
  };
}

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
