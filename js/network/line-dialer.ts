// The connection of a line: opening it, opening it again after a loss, giving it up.
//
//   closed ──ensure──► connecting ──► open ──lost──► reconnecting ──► open
//      ▲                                                 │ attempts used up
//      └──close, closed by the server────────────────────┘

import { aborted, LINES, toError } from "./body.js";
import { retryTimes } from "./request.js";
import { createBudget, pauseOf } from "./retry.js";
import { AgentError } from "../api/error.js";
import type { Line, LineClient, Wire, WireEvents } from "../api/line.js";
import type { TransportRequest } from "../api/types.js";

/** The frames of a connection, and its end. */
export interface Heard {
  opened(): void;
  /** It is lost, and is being opened again by itself. `continues`: where it was. */
  paused(continues: boolean): void;
  frame(frame: Uint8Array): void;
  /** The server has closed it in good order. */
  ended(): void;
  failed(error: Error): void;
  /** It is closed, and nobody waits for it. */
  closed(): void;
}

type State =
  | { readonly phase: "closed" | "connecting" | "open" }
  /** `retryAt`: when the last attempt was due; absent while the core decides about it. */
  | { readonly phase: "reconnecting"; readonly retryAt?: number };

/** A connection that is closed. */
export function createDialer(client: LineClient, heard: Heard) {
  let state: State = { phase: "closed" };
  // Since the last frame.
  let attempt = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let wire: Wire | undefined;
  const current: { controller?: AbortController | undefined } = {};
  let dialing: Promise<void> | undefined;
  // Of this wire; 0 while it is not open.
  let openedAt = 0;
  const budget = createBudget();
  let waiting: { resolve(): void; reject(error: AgentError): void }[] = [];
  let type: string | undefined;
  // The last id of a source.
  let cursor: string | undefined;

  const times = () => retryTimes(client.options().retry);

  const set = (next: State): void => {
    state = next;
    client.changed();
  };
  const reconnecting = (retryAt = state.phase === "reconnecting" ? state.retryAt : undefined): void =>
    set({ phase: "reconnecting", ...(retryAt !== undefined && { retryAt }) });

  const events: WireEvents & WireReading = {
    ...heard,
    opened: () => {
      openedAt = Date.now();
      set({ phase: "open" });
      heard.opened();
      for (const { resolve } of waiting.splice(0)) resolve();
    },
    paused: () => {
      heard.paused(cursor !== undefined);
      attempt++;
      reconnecting();
    },
    kind: (media) => void (type = media),
  };

  const hangUp = (): void => {
    wire = undefined;
    type = undefined;
    dialing = undefined;
    current.controller?.abort();
    current.controller = undefined;
  };

  /** Nobody waits for it. */
  const giveUp = (error = new AgentError({ kind: "connection", message: "The connection was closed", retryable: true })): void => {
    heard.closed();
    clearTimeout(timer);
    set({ phase: "closed" });
    for (const { reject } of waiting.splice(0)) reject(error);
  };

  /** The last loss that was one too many. */
  const failed = (error: Error, denied: boolean, answering: boolean): void => {
    const kind = denied ? "auth" : "connection";
    const message = `The connection was lost, and could not be opened again: ${error.message}`;
    const failure = new AgentError({ kind, message, retryable: !denied, cause: error });
    const asked = waiting.length > 0;
    giveUp(failure);
    if (!answering && !asked) client.failed(failure);
  };

  /** Opens it anew after a while, unless that was tried too often. */
  const again = (error: Error, answering: boolean): void => {
    clearTimeout(timer);
    if (state.phase === "closed") return giveUp();
    const { attempts, perMinute, ...bounds } = times();
    const denied = (error as { status?: number }).status === 401;
    if (attempt >= (denied ? Math.min(attempts, 1) : attempts)) return failed(error, denied, answering);
    attempt++;
    const now = Date.now();
    const retryAt = Math.max(now + pauseOf(bounds, attempt, Math.random()), budget(perMinute, now));
    timer = setTimeout(redial, retryAt - now);
    reconnecting(retryAt);
  };

  const dial = (request: TransportRequest): Promise<void> => {
    if (dialing) return dialing;
    const mine: Promise<void> = attemptTo(request).finally(() => {
      if (dialing === mine) dialing = undefined;
    });
    return (dialing = mine);
  };

  /** Opens it where it was. */
  const redial = (): void => void dial({ ...client.run(), resume: cursor !== undefined, cursor }).catch(() => {});

  const attemptTo = async (request: TransportRequest): Promise<void> => {
    clearTimeout(timer);
    hangUp();
    const mine = (current.controller = new AbortController());
    // The loop that reads must not hold the agent: it could never be collected.
    const { signal } = mine;
    const weak = client.weakly(events);
    budget(times().perMinute, Date.now(), 1);
    if (attempt) reconnecting();
    else set({ phase: "connecting" });
    try {
      const { open } = client.source() ?? {};
      if (!open) throw new Error("the transport keeps no connection open");
      const opened = await open(request, signal, only(signal, weak));
      if (signal.aborted) throw aborted();
      wire = opened;
      void read(opened.response, signal, weak);
      await opened.opened;
      if (state.phase !== "open" && current.controller === mine) events.opened();
    } catch (cause) {
      const error = toError(cause);
      if (current.controller === mine) heard.failed(error);
      throw error;
    }
  };

  const isOpen = (): boolean => !!wire && state.phase === "open";
  const isIdle = (): boolean => state.phase === "reconnecting" && !dialing && !wire;

  return {
    state: (): ReturnType<Line["state"]> => ({
      phase: state.phase,
      attempt: state.phase === "open" ? 0 : attempt,
      ...("retryAt" in state && { retryAt: Math.round(state.retryAt!) }),
    }),
    media: () => type ?? LINES,
    wire: () => wire,
    isOpen,
    /** A frame has come. `id`: the id that it has. */
    heard: (id: string | undefined): void => {
      attempt = 0;
      cursor = id ?? cursor;
    },
    /** Opens it, unless it is. */
    ensure: (request: TransportRequest): Promise<void> => {
      if (isOpen()) return Promise.resolve();
      // A source continues where it was.
      return dial(cursor === undefined || request.resume ? request : { ...request, resume: true, cursor });
    },
    /** Once it is open. Rejects when it is given up. */
    opened: () => new Promise<void>((resolve, reject) => waiting.push({ resolve, reject })),
    /** It is lost. */
    drop: (): void => {
      // One that has stood for long is no attempt.
      if (openedAt && Date.now() - openedAt > times().maxMs) attempt = 0;
      openedAt = 0;
      hangUp();
    },
    /** Opens it again after a loss. During an answer, the core asks for the rest of the run by itself, or gives it up. */
    recover: (error: Error, answering: boolean): void => (answering && client.options().resume ? reconnecting() : again(error, answering)),
    /** Closes it; it is opened anew from the start, if it was to be open. */
    restart: (): void => {
      if (state.phase === "closed") giveUp();
      else void dial({ ...client.run(), resume: false }).catch(() => {});
    },
    online: () => {
      if (isIdle()) redial();
    },
    rest: () => {
      if (isIdle() && !("retryAt" in state)) again(new Error("it was lost during a run"), true);
    },
    hangUp,
    giveUp,
    /** Closes the connection when nobody holds the line. */
    closing: (): () => void => closing(current),
  };
}

/** The same events, unless the wire was given up. */
function only(signal: AbortSignal, events: WireEvents): WireEvents {
  return {
    opened: () => signal.aborted || events.opened(),
    paused: () => signal.aborted || events.paused(),
  };
}

/** The state of reading a wire. */
interface WireReading {
  frame(frame: Uint8Array): void;
  kind(media: string): void;
  ended(): void;
  failed(error: Error): void;
}

/** Reads a wire to its end. Holds nothing of the line. */
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

/** Closes what is open. Made here, where nothing of a line can be held. */
const closing = (of: { readonly controller?: AbortController | undefined }): () => void => () => of.controller?.abort();
