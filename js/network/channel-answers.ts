// The answer in progress on a channel, and when it is over: by an event that says so, by a pause, by the next message, or
// because the connection was lost.

import { createResponse, type WritableResponse } from "./body.js";
import { endsByDefault, isText, parse } from "./channel-frames.js";
import type { JsonObject } from "../api/protocol.js";
import type { KeepOpenOptions } from "../api/types.js";

/** A run's part of what comes. */
export interface ChannelAnswer extends WritableResponse {
  readonly requested: boolean;
  hasText: boolean;
}

/** The channel, as its answers see it. */
export interface AnswerChannel {
  /** The media type of what comes. */
  media(): string;
  isOpen(): boolean;
  /** Whether frames wait that the answer is to have. */
  hasMore(): boolean;
  /** The run was stopped. */
  stop(): void;
  /** Calls a function of the application's, whose error goes no further. */
  call(listener: () => void): void;
}

/** The answers of one channel, one after the other. There is none yet. */
export class ChannelAnswers {
  readonly #idleMs: number;
  readonly #waitMs: number;
  readonly #isEnd: (data: string) => boolean;
  readonly #pause = createPause(() => {
    if (this.channel.isOpen()) this.end(true);
    // A silence that the network has made is no pause.
    else this.fail(new Error("the connection was lost, and not opened again in time"));
  });
  /** The answer in progress. */
  current: ChannelAnswer | undefined;
  /** The last answer ended with a pause, and nobody has asked anything since. */
  continues = false;

  constructor({ answerEnds, idleMs = 2000, waitMs = 60_000 }: KeepOpenOptions, private readonly channel: AnswerChannel) {
    this.#idleMs = idleMs;
    this.#waitMs = waitMs;
    this.#isEnd = createEndings(answerEnds, channel.call);
  }

  /** Begins an answer. `requested`: by a message, or by a run that is joined. */
  begin(requested: boolean, withText: boolean): ChannelAnswer {
    const stop = (): unknown => this.current === mine && this.channel.stop();
    const mine: ChannelAnswer = { ...createResponse(stop), requested, hasText: false };
    if (withText) this.continues = false;
    this.current = mine;
    if (this.#waitMs > 0) this.#pause.expect(this.#waitMs);
    return mine;
  }

  /** Gives a frame to the answer in progress. */
  pass(frame: Uint8Array, data: string): void {
    const mine = this.current!;
    mine.begin(this.channel.media());
    mine.write(frame);
    mine.hasText ||= isText(data);
    if (this.#isEnd(data)) this.end(false);
    else if (mine.requested || mine.hasText) this.#pause.expect(this.#idleMs);
    // Frames beside an answer are only read.
    else if (!this.channel.hasMore()) this.end(true);
  }

  /** Ends the answer in progress, as one that came whole. */
  end(byPause: boolean): void {
    const last = this.#take();
    if (!last) return;
    // Frames beside an answer do not end it.
    if (last.requested || last.hasText) this.continues = byPause;
    last.begin(this.channel.media());
    last.end();
  }

  fail(error: Error): void {
    this.continues = false;
    this.#take()?.fail(error);
  }

  /** The answer may last so long without a frame; default: as long as a pause is. */
  expect(ms = this.#idleMs): void {
    if (this.current) this.#pause.expect(ms);
  }

  #take(): ChannelAnswer | undefined {
    const last = this.current;
    this.current = undefined;
    this.#pause.clear();
    return last;
  }
}

/** Finds the event that ends an answer. An error that the application's function throws is reported, and ends nothing. */
function createEndings(answerEnds: KeepOpenOptions["answerEnds"], call: AnswerChannel["call"]): (data: string) => boolean {
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
