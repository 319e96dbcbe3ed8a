// The answer in progress on a channel, and when it is over: by an event that says so, by a pause, by the next message, or
// because the connection was lost.

import { createBody, type WritableBody } from "./body.js";
import { endsByDefault, isText, parse } from "./channel-frames.js";
import type { JsonObject } from "../api/protocol.js";
import type { KeepOpenOptions } from "../api/types.js";

/** A run's part of what comes. */
export interface ChannelAnswer {
  readonly body: WritableBody;
  readonly requested: boolean;
  hasText: boolean;
  /** Its head: of this media type. */
  begin(type: string): void;
  fail(error: Error): void;
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
export function createAnswers({ answerEnds, idleMs = 2000, waitMs = 60_000 }: KeepOpenOptions, channel: AnswerChannel) {
  let answer: ChannelAnswer | undefined;
  const pause = createPause(() => {
    if (channel.isOpen()) end(true);
    // A silence that the network has made is no pause.
    else fail(new Error("the connection was lost, and not opened again in time"));
  });
  // The last event with text.
  let lastText: string | undefined;
  let continues = false;

  const take = (): ChannelAnswer | undefined => {
    const last = answer;
    answer = undefined;
    pause.clear();
    return last;
  };

  /** Ends the answer in progress, as one that came whole. */
  const end = (byPause: boolean): void => {
    const last = take();
    if (!last) return;
    // Frames beside an answer do not end it.
    if (last.requested || last.hasText) continues = byPause;
    last.begin(channel.media());
    last.body.end();
  };

  const fail = (error: Error): void => {
    continues = false;
    take()?.fail(error);
  };

  /** Calls the application's function. An error that it throws is reported, and ends nothing. */
  const isEnd = (data: string): boolean => {
    let ends = false;
    channel.call(() => {
      const event = parse(data);
      ends = !!event && !!answerEnds!(event as JsonObject);
    });
    return ends;
  };

  return {
    current: () => answer,
    /** The last answer ended with a pause, and nobody has asked anything since. */
    continues: () => continues,
    /** Begins an answer. `requested`: by a message, or by a run that is joined. */
    begin: (requested: boolean, withText: boolean) => {
      const created = createAnswer(requested, (mine) => answer === mine && channel.stop());
      if (withText) continues = false;
      answer = created.mine;
      if (waitMs > 0) pause.expect(waitMs);
      return created;
    },
    /** Gives a frame to the answer in progress. */
    pass: (frame: Uint8Array, data: string): void => {
      const mine = answer!;
      mine.begin(channel.media());
      mine.body.write(frame);
      if (isText(data)) {
        lastText = data;
        mine.hasText = true;
      }
      if (answerEnds ? isEnd(data) : endsByDefault(data, lastText)) end(false);
      else if (mine.requested || mine.hasText) pause.expect(idleMs);
      // Frames beside an answer are only read.
      else if (!channel.hasMore()) end(true);
    },
    end,
    fail,
    /** The answer may last so long without a frame; default: as long as a pause is. */
    expect: (ms = idleMs): void => {
      if (answer) pause.expect(ms);
    },
  };
}

/** An answer to which nothing has come yet, and its response. `cancelled` is called when its reader leaves. */
function createAnswer(requested: boolean, cancelled: (mine: ChannelAnswer) => void): { promise: Promise<Response>; mine: ChannelAnswer } {
  let answered = false;
  let mine!: ChannelAnswer;
  const promise = new Promise<Response>((resolve, reject) => {
    const body = createBody(() => cancelled(mine));
    const begin = (media: string): void => {
      if (answered) return;
      answered = true;
      resolve(new Response(body.stream, { headers: { "content-type": media } }));
    };
    const fail = (error: Error): void => {
      reject(error);
      body.fail(error);
    };
    mine = { body, requested, hasText: false, begin, fail };
  });
  // A caller that hears of a failure in another way does not look at it.
  promise.catch(() => {});
  return { promise, mine };
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
