// `fetch` for the agent that plays the client: keeps what the server answers, with the times, and gives the agent one frame
// after the other. While it has a frame, what the core reports is about that frame.

import { parseJson } from "../base/json.js";
import type { Exchange, RecordedEnd, RecordedPart } from "../recordings/recording.js";
import { createCutter, framingOf } from "./cutter.js";

/** A frame, or another part of the body. */
export interface BodyPiece {
  /** Where its frame begins in the body. */
  readonly offset: number;
  readonly bytes: Uint8Array;
  /** When its last byte came, in milliseconds since the request. */
  readonly at: number;
  /** The number of the read that completed it. */
  readonly read: number;
}

/** A request and its answer. */
export interface RecordedTurn {
  /** From 1. */
  readonly number: number;
  readonly request: { readonly method: string; readonly url: string; readonly input: unknown };
  status: number | undefined;
  headers: Headers;
  readonly pieces: BodyPiece[];
  /** Milliseconds since the request. */
  ended: number;
  end: RecordedEnd;
  /** The end of the body was read, within the time that a client waits for it. */
  closed: boolean;
  /** The client has ended the run. */
  stopped: boolean;
}

/** The `fetch` of the agent, and what has come. */
export type Tap = ReturnType<typeof createTap>;

/** The source of responses, with its clock in milliseconds. */
export interface Responder {
  fetch(resource: RequestInfo | URL, init: RequestInit): Promise<Response>;
  now(): number;
}

/** A body that the agent has left is read on for so long: whether the server ends it is not for the agent to decide. */
export const restMs = 1000;

const servers: Responder = { fetch: (resource, init) => globalThis.fetch(resource, init), now: () => performance.now() };

/** A tap through which nothing has come. */
export function createTap(source: Responder = servers) {
  const turns: RecordedTurn[] = [];
  const bodies: Promise<void>[] = [];
  let place: { readonly turn: RecordedTurn; readonly offset: number; readonly at: number } | undefined;

  const fetch = async (resource: RequestInfo | URL, init: RequestInit = {}): Promise<Response> => {
    const turn = newTurn(turns.length + 1, String(resource), init);
    turns.push(turn);
    place = undefined;
    const request = new AbortController();
    let leave = (): void => request.abort();
    init.signal?.addEventListener("abort", () => leave());
    const began = source.now();
    const response = await source.fetch(resource, { ...init, signal: request.signal });
    turn.status = response.status;
    turn.headers = response.headers;
    if (!response.body) Object.assign(turn, { end: "closed", closed: true });
    const body = response.body && new TappedBody(response.body, turn, {
      clock: () => source.now() - began,
      setPlace: (offset, at) => void (place = { turn, offset, at }),
      abort: () => request.abort(),
    });
    if (body) {
      leave = () => body.leave();
      bodies.push(body.over);
    }
    return new Response(body?.stream ?? null, { status: response.status, headers: response.headers });
  };

  return {
    fetch: fetch as typeof globalThis.fetch,
    turns: turns as readonly RecordedTurn[],
    /** The turn that is on, and where in its body the agent is. */
    get place() {
      return place;
    },
    /** Ends the current body: the chunks that follow belong to none. */
    leave: (): void => void (place = undefined),
    /** The body of each answer has ended, or nothing more of it is read. */
    over: async (): Promise<void> => void (await Promise.all(bodies)),
    /** The client ends the turn that is on. */
    stop: (): void => {
      const last = turns[turns.length - 1];
      if (last) last.stopped = true;
    },
  };
}

function newTurn(number: number, url: string, { method = "GET", body }: RequestInit): RecordedTurn {
  const request = { method, url, input: parseJson(body, body) };
  return { number, request, status: undefined, headers: new Headers(), pieces: [], ended: 0, end: "open", closed: false, stopped: false };
}

interface BodyReading {
  clock(): number;
  /** The agent has what begins here, and came then. */
  setPlace(offset: number, at: number): void;
  abort(): void;
}

/** A body that the agent reads, a frame for each read. A read is asked for when the one before is dealt with. */
class TappedBody {
  readonly stream: ReadableStream<Uint8Array>;
  #resolve!: () => void;
  /** Resolves once it has ended, or nothing more of it is read. */
  readonly over = new Promise<void>((resolve) => (this.#resolve = resolve));
  readonly #turn: RecordedTurn;
  readonly #client: BodyReading;
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #cutter: ReturnType<typeof createCutter>;
  readonly #waiting: BodyPiece[] = [];
  // Where the frame begins that is read, and where the body ends so far.
  #begins = 0;
  #length = 0;
  #reads = 0;
  #abandoned = false;
  #ended = false;
  #reading: Promise<void> | undefined;

  constructor(body: ReadableStream<Uint8Array>, turn: RecordedTurn, client: BodyReading) {
    this.#turn = turn;
    this.#client = client;
    this.#reader = body.getReader();
    this.#cutter = createCutter(framingOf(turn.headers.get("content-type") ?? ""));
    const source = { pull: (controller: ReadableStreamDefaultController<Uint8Array>) => this.#pull(controller), cancel: () => this.leave() };
    this.stream = new ReadableStream<Uint8Array>(source, { highWaterMark: 0 });
  }

  /** The agent has left it: it is read on for a while. */
  leave(): void {
    if (this.#abandoned) return;
    this.#abandoned = true;
    const giveUp = (): void => {
      this.#end("open");
      this.#client.abort();
    };
    if (this.#turn.stopped || this.#ended) return giveUp();
    const timer = setTimeout(giveUp, restMs);
    const toTheEnd = async (): Promise<void> => {
      await this.#reading;
      while (!this.#ended) await this.#read();
    };
    void toTheEnd().catch(() => {}).then(() => clearTimeout(timer));
  }

  async #pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    while (this.#waiting.length === 0 && !this.#ended) await (this.#reading = this.#read());
    if (this.#abandoned) return;
    const piece = this.#waiting.shift();
    this.#client.setPlace(piece?.offset ?? this.#length, piece?.at ?? this.#client.clock());
    if (piece) controller.enqueue(piece.bytes);
    else controller.close();
  }

  async #read(): Promise<void> {
    try {
      const { done, value } = await this.#reader.read();
      if (this.#ended) return;
      this.#reads++;
      let { within } = this.#cutter;
      for (const bytes of value ? this.#cutter.push(value) : []) {
        this.#keep(bytes, within);
        within = false;
      }
      if (done) this.#end("closed");
    } catch (error) {
      this.#end(isAbort(error) ? "open" : "cut");
      throw error;
    }
  }

  #keep(bytes: Uint8Array, continues: boolean): void {
    if (!continues) this.#begins = this.#length;
    this.#length += bytes.length;
    const piece = { offset: this.#begins, bytes, at: this.#client.clock(), read: this.#reads };
    this.#turn.pieces.push(piece);
    this.#waiting.push(piece);
  }

  #end(how: RecordedEnd): void {
    if (this.#ended) return;
    this.#ended = true;
    const { within } = this.#cutter;
    const rest = this.#cutter.rest();
    if (rest) this.#keep(rest, within);
    Object.assign(this.#turn, { ended: this.#client.clock(), end: how, closed: how === "closed" });
    this.#resolve();
  }
}

/** The exchanges, to be played again. Of the headers only those that are needed to read the body; none that identifies anybody. */
export function toExchanges(turns: readonly RecordedTurn[]): Exchange[] {
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
      const recorded = kinds.flatMap((name) => (headers.has(name) ? [[name, headers.get(name)!]] : []));
      return { request: { ...request, url: bare(request.url) }, status, headers: Object.fromEntries(recorded), parts, end };
    });
}

const kinds = ["content-type", "cache-control", "x-accel-buffering", "retry-after"];

/** The address without what may be a secret. */
function bare(address: string): string {
  const url = new URL(address);
  return url.origin + url.pathname;
}

function isAbort(error: unknown): boolean {
  return (error as { name?: unknown } | undefined)?.name === "AbortError";
}
