// Compaction, and the protocol before AG-UI.

import { from, lastValueFrom, toArray } from "rxjs";
import { call, finished, server, started, text, user } from "../client.mjs";

const url = "https://x.test/agent";
const turn = [
  started(),
  ...text("m", "Hel", "lo", "!"),
  ...call("c", "f", '{"a"', ":1", "}"),
  { type: "REASONING_MESSAGE_START", messageId: "q", role: "reasoning" },
  { type: "REASONING_MESSAGE_CONTENT", messageId: "q", delta: "h" },
  { type: "REASONING_MESSAGE_CONTENT", messageId: "q", delta: "m" },
  { type: "REASONING_MESSAGE_END", messageId: "q" },
  finished(),
];

export function compaction({ compactEvents }) {
  const mixed = [started(), text("m", "a")[0], text("m", "a")[1], { type: "CUSTOM", name: "n", value: 1 }, { ...text("m", "b")[1] }, text("m")[1], finished()];
  const open = [started(), text("m", "a")[0], text("m", "a")[1], text("m", "b")[1]];
  const interleaved = [started(), text("m")[0], text("n")[0], text("m", "a")[1], text("n", "b")[1], text("m", "c")[1], text("m")[1], text("n")[1], finished()];
  return [turn, mixed, open, interleaved, []].map((events) => compactEvents(events));
}

export function compactionOfStates({ compactEvents }) {
  const state = (...events) => [started(), ...events, finished()];
  return [
    state({ type: "STATE_SNAPSHOT", snapshot: { a: 1 } }, { type: "STATE_DELTA", delta: [{ op: "add", path: "/b", value: 2 }] }, {
      type: "STATE_SNAPSHOT",
      snapshot: { c: 3 },
    }),
    state({ type: "STATE_DELTA", delta: [{ op: "add", path: "/b", value: 2 }] }, { type: "STATE_DELTA", delta: [{ op: "add", path: "/c", value: 2 }] }),
    [...state({ type: "STATE_SNAPSHOT", snapshot: { a: 1 } }), ...state({ type: "STATE_DELTA", delta: [{ op: "replace", path: "/a", value: 2 }] })],
    state({ type: "STATE_DELTA", delta: [{ op: "remove", path: "/none" }] }),
  ].map((events) => compactEvents(events));
}

export async function olderNames({ convertToLegacyEvents }) {
  const events = [
    ...turn.slice(0, -1),
    { type: "STATE_SNAPSHOT", snapshot: { a: 1 } },
    { type: "STATE_DELTA", delta: [{ op: "add", path: "/b", value: 2 }] },
    { type: "TOOL_CALL_RESULT", messageId: "r", toolCallId: "c", content: "yes" },
    { type: "CUSTOM", name: "n", value: 1 },
    { type: "STEP_STARTED", stepName: "s" },
    { type: "STEP_FINISHED", stepName: "s" },
    finished(),
  ];
  return lastValueFrom(from(events).pipe(convertToLegacyEvents("t", "r", "agent"), toArray()));
}

export async function theOlderRun({ HttpAgent }) {
  const made = server([started(), { type: "TEXT_MESSAGE_CHUNK", messageId: "m", delta: "x" }, ...call("c", "f", "{}"), finished()]);
  const agent = new HttpAgent({ url, agentId: "agent", threadId: "t", fetch: made.fetch });
  return lastValueFrom(agent.legacy_to_be_removed_runAgentBridged({ runId: "r" }).pipe(toArray()));
}

export async function olderStatesAndMessages({ convertToLegacyEvents }) {
  const predict = { type: "CUSTOM", name: "PredictState", value: [{ state_key: "doc", tool: "write", tool_argument: "text" }] };
  const messages = [
    user("u", "hi"),
    { id: "s", role: "system", content: "sys" },
    { id: "m", role: "assistant", content: "x", toolCalls: [{ id: "c", type: "function", function: { name: "f", arguments: '{"a":1}' } }] },
    { id: "r", role: "tool", toolCallId: "c", content: "yes" },
    { id: "p", role: "user", content: [{ type: "text", text: "one" }, { type: "text", text: "two" }] },
  ];
  const events = [
    started(),
    { type: "STATE_SNAPSHOT", snapshot: { a: 1, messages: [1] } },
    { type: "STEP_STARTED", stepName: "s" },
    predict,
    ...call("w", "write", '{"text":"all"}'),
    { type: "MESSAGES_SNAPSHOT", messages },
    { type: "STATE_DELTA", delta: [{ op: "remove", path: "/none" }] },
    { type: "STEP_FINISHED", stepName: "s" },
    { type: "CUSTOM", name: "Exit" },
    { type: "RAW", event: 1 },
    { type: "TOOL_CALL_RESULT", messageId: "x", toolCallId: "none", content: "" },
    finished(),
  ];
  const play = (given) => lastValueFrom(from(given).pipe(convertToLegacyEvents("t", "r", "agent"), toArray()));
  return [await play(events), await play([started(), finished()]), await play([started(), { type: "RUN_ERROR", message: "no", code: "c" }])];
}

export function compactionOfMetadata({ compactEvents }) {
  const [start, one, end] = text("m", "a");
  const events = [
    { ...start, metadata: { a: 1 } },
    { ...start, name: "again", metadata: { b: 1 } },
    { ...one, metadata: { c: 1 } },
    { ...start, metadata: { late: 1 } },
    { ...one, delta: "b", metadata: { c: 2 } },
    { ...end, metadata: { e: 1 } },
    one,
    { type: "STATE_SNAPSHOT", snapshot: 1, metadata: { s: 1 } },
  ];
  return compactEvents(events);
}
