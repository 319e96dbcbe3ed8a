// `fetch` for the agent that plays the client: keeps what the server answers, with the times, and gives the agent one frame
// after the other. While it has a frame, what the core reports is about that frame.

import type { Exchange, RecordedEnd, RecordedPart } from "../base/recording.js";
import { createCutter, framingOf } from "./cutter.js";

/** A frame, or another part of the body. */
export interface Piece {
  /** Where it begins in the body. */
  readonly offset: number;
  readonly bytes: Uint8Array;
  /** When its last byte came, in milliseconds since the request. */
  readonly at: number;
  /** The number of the read that completed it. */
  readonly read: number;
}

/** A request and its answer. */
export interface Turn {
  /** From 1. */
  readonly number: number;
  readonly request: { readonly method: string; readonly url: string; readonly input: unknown };
  status: number | undefined;
  headers: Headers;
  readonly pieces: Piece[];
  /** Milliseconds since the request. */
  ended: number;
  end: RecordedEnd;
  /** The end of the body was read, within the time that a client waits for it. */
  closed: boolean;
  /** The client has ended the run. */
  stopped: boolean;
}

export interface Tap {
  readonly fetch: typeof fetch;
  readonly turns: readonly Turn[];
  /** The turn that is on, and where in its body the agent is. */
  readonly place: { readonly turn: Turn; readonly offset: number; readonly at: number } | undefined;
  /** What follows is not about a body. */
  leave(): void;
  /** The client ends the turn that is on. */
  stop(): void;
  /** The body of the last answer has ended, or nothing more of it is read. */
  over(): Promise<void>;
}

export function createTap(): Tap {
  const turns: Turn[] = [];
  let place: { turn: Turn; offset: number; at: number } | undefined;
  let over = Promise.resolve();

  const fetch = async (resource: RequestInfo | URL, init: RequestInit = {}): Promise<Response> => {
    const began = performance.now();
    const turn: Turn = {
      number: turns.length + 1,
      request: { method: init.method ?? "GET", url: String(resource), input: parsed(init.body) },
      status: undefined,
      headers: new Headers(),
      pieces: [],
      ended: 0,
      end: "open",
      closed: false,
      stopped: false,
    };
    turns.push(turn);
    place = undefined;
    const response = await globalThis.fetch(resource, init);
    turn.status = response.status;
    turn.headers = response.headers;
    const here = (offset: number, at: number): void => void (place = { turn, offset, at });
    let body: ReadableStream<Uint8Array> | null = null;
    if (!response.body) Object.assign(turn, { end: "closed", closed: true });
    else over = new Promise((resolve) => (body = throughTap(response.body!, turn, began, here, resolve)));
    return new Response(body, { status: response.status, headers: response.headers });
  };

  return {
    fetch,
    turns,
    get place() {
      return place;
    },
    leave: () => (place = undefined),
    over: () => over,
    stop: () => {
      const last = turns[turns.length - 1];
      if (last) last.stopped = true;
    },
  };
}

/** The body, a frame for each read. A read is asked for when the one before is dealt with. */
function throughTap(
  body: ReadableStream<Uint8Array>,
  turn: Turn,
  began: number,
  now: (offset: number, at: number) => void,
  done: () => void,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  const cutter = createCutter(framingOf(turn.headers.get("content-type") ?? ""));
  const waiting: Piece[] = [];
  let offset = 0;
  let reads = 0;
  let left = false;
  const keep = (bytes: Uint8Array, at: number): void => {
    const piece = { offset, bytes, at, read: reads };
    offset += bytes.length;
    turn.pieces.push(piece);
    waiting.push(piece);
  };
  const over = (end: RecordedEnd): void => {
    turn.ended = performance.now() - began;
    turn.end = end;
    turn.closed = end === "closed";
    done();
  };
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        while (waiting.length === 0) {
          const { done: last, value } = await reader.read().catch((error: unknown) => {
            const rest = cutter.rest();
            if (rest) keep(rest, performance.now() - began);
            over(isAbort(error) ? "open" : "cut");
            throw error;
          });
          // The read that a client gives up looks like the end.
          if (left) return;
          const at = performance.now() - began;
          reads++;
          if (value) for (const bytes of cutter.push(value)) keep(bytes, at);
          if (!last) continue;
          const rest = cutter.rest();
          if (rest) keep(rest, at);
          over("closed");
          if (waiting.length > 0) break;
          now(offset, at);
          return controller.close();
        }
        const piece = waiting.shift()!;
        now(piece.offset, piece.at);
        controller.enqueue(piece.bytes);
      },
      cancel: (reason) => {
        left = true;
        if (!turn.closed) over("open");
        return reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
}

/** What was said, to be played again. Of the headers those that say how the body is to be read; none that identifies anybody. */
export function toExchanges(turns: readonly Turn[]): Exchange[] {
  return turns
    .filter(({ status }) => status !== undefined)
    .map(({ request, status, headers, pieces, end }) => {
      const parts: RecordedPart[] = [];
      let last = 0;
      for (const { bytes, at } of pieces) {
        const pause = Math.round(at) - last;
        if (pause > 0) parts.push(pause);
        last += Math.max(pause, 0);
        parts.push(bytes);
      }
      const kept = kinds.flatMap((name) => (headers.has(name) ? [[name, headers.get(name)!]] : []));
      return { request: { ...request, url: bare(request.url) }, status, headers: Object.fromEntries(kept), parts, end };
    });
}

const kinds = ["content-type", "cache-control", "x-accel-buffering", "retry-after"];

/** The address without what may be a secret. */
function bare(address: string): string {
  const url = new URL(address);
  return url.origin + url.pathname;
}

function parsed(body: RequestInit["body"]): unknown {
  try {
    return JSON.parse(body as string);
  } catch {
    return body;
  }
}

function isAbort(error: unknown): boolean {
  return (error as { name?: unknown } | undefined)?.name === "AbortError";
}

