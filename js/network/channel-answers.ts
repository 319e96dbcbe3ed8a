// The answer in progress on a channel, and when it is over: by an event that says so, by a pause, by the next message, or
// because the connection was lost.

import { createResponse, type WritableResponse } from "./body.js";
import type { Dialer } from "./channel-dialer.js";
import { endsByDefault, isRunBoundary, isText, parse } from "./channel-frames.js";
import type { PageKit } from "../api/channel.js";
import type { JsonObject } from "../api/protocol.js";
import type { KeepOpenOptions } from "../api/types.js";

/** A run's part of what comes. */
export interface ChannelAnswer extends WritableResponse {
  readonly requested: boolean;
  /** The run that a message has begun. */
  readonly runId: string | undefined;
  hasText: boolean;
  /** A run of AG-UI has begun in it. */
  isRun: boolean;
}

/** The channel, as its answers see it. */
export interface AnswerChannel {
  /** The connection is of no use. */
  lost(error: Error): void;
  /** Whether frames wait that the answer may have. */
  hasMore(): boolean;
  /** Offers them to it. */
  offer(): void;
  /** The run was stopped. */
  stop(): void;
}

/** The answers of one channel, one after the other. There is none yet. */
export class ChannelAnswers {
  readonly #idleMs: number;
  readonly #begunMs: number;
  readonly #hasEnds: boolean;
  readonly #waitMs: number;
  readonly #isEnd: (data: string) => boolean;
  readonly #pause = createPause(() => this.#rest());
  /** The answer in progress. */
  current: ChannelAnswer | undefined;
  /** The last answer ended with a pause, and nobody has asked anything since. */
  continues = false;
  /** Whether the server gives a run the id that the request has. Unknown at first. */
  #echoes: boolean | undefined;
  /** A run that is not the answer is in progress, which has begun before or since the answer was asked for. */
  #beside: "before" | "since" | undefined;
  /** Such a run has come whole: perhaps it was the answer. */
  #hasOther = false;

  constructor({ answerEnds, idleMs, waitMs = 60_000 }: KeepOpenOptions, private readonly dialer: Dialer, private readonly channel: AnswerChannel) {
    this.#idleMs = idleMs ?? 2000;
    this.#waitMs = waitMs;
    this.#hasEnds = !!answerEnds;
    this.#begunMs = idleMs ?? (answerEnds ? this.#idleMs : waitMs);
    this.#isEnd = createEndings(answerEnds, dialer.client.kit.call);
  }

  /** Begins an answer. `requested`: by a message, or by a run that is joined. */
  begin(requested: boolean, runId: string | undefined, withText: boolean): ChannelAnswer {
    const stop = (): unknown => this.current === mine && this.channel.stop();
    const mine: ChannelAnswer = { ...createResponse(stop), requested, runId, hasText: false, isRun: false };
    if (withText) this.continues = false;
    this.current = mine;
    if (this.#waitMs > 0) this.#pause.expect(this.#waitMs);
    return mine;
  }

  /**
   * Whether this frame is none of the answer in progress, but of a run that nobody has asked for: the core reads one run in a body. `before`: it has come
   * before the answer was asked for.
   */
  isBeside(data: string, before: boolean): boolean {
    const { current } = this;
    if (current?.runId === undefined || this.#echoes === false) return false;
    if (!isRunBoundary(data)) return !!this.#beside;
    const { type, runId } = parse(data) ?? {};
    const isOther = typeof runId === "string" && runId !== current.runId;
    const was = this.#beside;
    this.#beside = isOther && type === "RUN_STARTED" ? (before ? "before" : "since") : undefined;
    if (runId === current.runId) this.#echoes = true;
    this.#hasOther = this.#echoes === undefined && was === "since" && !this.#beside;
    if (this.#hasOther || this.#beside) this.#pause.expect(this.#hasOther ? this.#idleMs : this.#waitMs);
    return isOther || (!!was && type === "RUN_ERROR");
  }

  /** Gives a frame to the answer in progress. */
  pass(frame: Uint8Array, data: string): void {
    const mine = this.current!;
    mine.begin(this.dialer.media);
    mine.write(frame);
    mine.hasText ||= isText(data);
    // Its end comes as well, however long it is silent.
    mine.isRun ||= data.includes('"RUN_STARTED"');
    if (this.#isEnd(data)) this.end(false);
    else if (mine.requested || mine.hasText) this.#pause.expect(mine.isRun ? this.#begunMs : this.#idleMs);
    // Frames beside an answer are only read.
    else if (!this.channel.hasMore()) this.end(true);
  }

  /** Ends the answer in progress, as one that came whole. */
  end(byPause: boolean): void {
    const last = this.#take();
    if (!last) return;
    // Frames beside an answer do not end it.
    if (last.requested || last.hasText) this.continues = byPause;
    last.begin(this.dialer.media);
    last.end();
  }

  fail(error: Error): void {
    this.continues = false;
    this.#take()?.fail(error);
  }

  /** The answer may last so long without a frame; default: as long as a pause is. */
  expect(ms?: number): void {
    if (this.current) this.#pause.expect(ms ?? (this.current.isRun ? this.#begunMs : this.#idleMs));
  }

  /** Nothing has come for as long as it may. */
  #rest(): void {
    const { channel, current, dialer } = this;
    // A silence that the network has made is no pause.
    if (!dialer.isOpen) return this.fail(new Error("the connection was lost, and not opened again in time"));
    if (this.#hasOther) {
      this.#echoes = false;
      channel.offer();
      if (this.current !== current) return;
    }
    // A run of AG-UI has an end: what comes of it after this would stand in the next answer.
    if (current?.requested && !this.#hasEnds && !dialer.client.options().dialect) channel.lost(new Error("the server has been silent for too long"));
    else this.end(true);
  }

  #take(): ChannelAnswer | undefined {
    const last = this.current;
    this.current = undefined;
    this.#beside = undefined;
    this.#hasOther = false;
    this.#pause.clear();
    return last;
  }
}

/** Finds the event that ends an answer. An error that the application's function throws is reported, and ends nothing. */
function createEndings(answerEnds: KeepOpenOptions["answerEnds"], call: PageKit["call"]): (data: string) => boolean {
  // The last event with text.
  let lastText: string | undefined;
  return (data) => {
    if (isText(data)) lastText = data;
    if (!answerEnds) return endsByDefault(data, lastText);
    let ends = false;
    call(() => {
      const event = parse(data);
      ends = !!event && !!answerEnds(event as JsonObject);
    });
    return ends;
  };
}

/** Calls back when nothing has come for so long. One timer, whatever comes. */
function createPause(over: () => void) {
  let due: number | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const check = (): void => {
    if (due === undefined) return;
    const remaining = due - Date.now();
    // A longer time fires at once.
    if (remaining > 0) timer = setTimeout(check, Math.min(remaining, 1e9));
    else over();
  };
  return {
    /** Waits from now on for so long; 0: without an end. */
    expect: (ms: number): void => {
      const before = due;
      due = ms > 0 ? Date.now() + ms : undefined;
      if (before !== undefined && !(due! < before)) return;
      clearTimeout(timer);
      check();
    },
    clear: (): void => {
      due = undefined;
      clearTimeout(timer);
    },
  };
}
