// For tests of what is collected, and when.

import assert from "node:assert/strict";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc");

const turn = async () => {
  collect();
  await new Promise((done) => setImmediate(done));
};

/** Collects garbage until the condition holds. */
export async function swept(condition, detail) {
  for (const deadline = Date.now() + 20_000; !condition() && Date.now() < deadline;) await turn();
  assert.ok(condition(), `Never came true: ${condition}${detail ? `; ${detail()}` : ""}`);
}

/** Gives whatever could be collected by now the time for it. */
export async function sweep() {
  for (let round = 0; round < 10; round++) await turn();
}

/** Counts the objects that it is given to watch, and those that have been collected. */
export function collected() {
  const watched = new WeakSet();
  let [made, gone] = [0, 0];
  const registry = new FinalizationRegistry(() => gone++);
  const watch = (object) => {
    if (watched.has(object)) return;
    watched.add(object);
    registry.register(object);
    made++;
  };
  return { watch, gone: () => gone, made: () => made };
}

/** Events as a server sends them. */
export const sse = (events) => events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
export const body = (text) => new Response(text, { headers: { "content-type": "text/event-stream" } });

/** An answer of one run with these events. */
export function run(...events) {
  const ids = { threadId: "t", runId: "r" };
  return body(sse([{ type: "RUN_STARTED", ...ids }, ...events, { type: "RUN_FINISHED", ...ids }]));
}

export const say = (text) => [
  { type: "TEXT_MESSAGE_START", messageId: "a", role: "assistant" },
  { type: "TEXT_MESSAGE_CONTENT", messageId: "a", delta: text },
  { type: "TEXT_MESSAGE_END", messageId: "a" },
];

export const call = () => [
  { type: "TOOL_CALL_START", toolCallId: "c", toolCallName: "tool" },
  { type: "TOOL_CALL_ARGS", toolCallId: "c", delta: "{}" },
  { type: "TOOL_CALL_END", toolCallId: "c" },
];
