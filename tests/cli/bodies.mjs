// The answers of the servers in these tests.

import { bodyOf, finished, started } from "./faults.mjs";

/** The headers of a good answer. */
export const stream = { "content-type": "text/event-stream", "cache-control": "no-cache", "x-accel-buffering": "no" };
/** @param {(Record<string, unknown> | string)[]} body */
export const answerWith = (...body) => bodyOf({ body });
export const said = [
  { type: "TEXT_MESSAGE_START", messageId: "m", role: "assistant" },
  { type: "TEXT_MESSAGE_CONTENT", messageId: "m", delta: "Grüße 👋" },
  { type: "TEXT_MESSAGE_END", messageId: "m" },
];
export const clean = answerWith(started(), ...said, finished());
/** Breaks V12, T9 and G2, in this order. */
export const broken = answerWith(started(), ": alive\n\n", ...said, { type: "TEXT_MESSAGE_END", messageId: "m" }, "data: {\r\n\r\n", finished({ more: 1 }));
