// A fault for each rule of docs/rules.md: what a server does that breaks it.
//
// The name is the rule with its code, as docs/rules.md has them. `events` are sent between RUN_STARTED and RUN_FINISHED, `body`
// is sent as it is. `no` is a reason why no server can break the rule; `fine`, that it may be done.

/** @typedef {Record<string, unknown>} Event */
/**
 * @typedef {object} Fault
 * @property {(Event | string)[]} [events]
 * @property {(Event | string | Uint8Array)[]} [body]
 * @property {number} [status]
 * @property {string} [type]
 * @property {string} [dialect]
 * @property {object} [script]
 * @property {boolean} [official]  whether the official client fails; default: not looked at
 * @property {string} [code]  the code, where it is another than the rule's
 * @property {string} [rule]  the rule that is reported, where another finds it
 * @property {number} [turn]  the turn that breaks it, where it is not the first
 * @property {boolean} [fine]
 * @property {string} [no]
 */

export const started = (more = {}) => ({ type: "RUN_STARTED", threadId: "t", runId: "r", ...more });
export const finished = (more = {}) => ({ type: "RUN_FINISHED", threadId: "t", runId: "r", ...more });
export const failed = { type: "RUN_ERROR", message: "no" };
/** @param {string} id @param {object} [more] */
const open = (id, more) => ({ type: "TEXT_MESSAGE_START", messageId: id, role: "assistant", ...more });
/** @param {string} id @param {object} [more] */
const content = (id, more) => ({ type: "TEXT_MESSAGE_CONTENT", messageId: id, delta: "x", ...more });
/** @param {string} id @param {object} [more] */
const close = (id, more) => ({ type: "TEXT_MESSAGE_END", messageId: id, ...more });
/** @param {string} id @param {object} [more] */
const call = (id, more) => ({ type: "TOOL_CALL_START", toolCallId: id, toolCallName: "f", ...more });
/** @param {string} id @param {object} [more] */
const args = (id, more) => ({ type: "TOOL_CALL_ARGS", toolCallId: id, delta: "{}", ...more });
/** @param {string} id @param {object} [more] */
const called = (id, more) => ({ type: "TOOL_CALL_END", toolCallId: id, ...more });
/** @param {string} id @param {object} [more] */
const result = (id, more) => ({ type: "TOOL_CALL_RESULT", messageId: `of-${id}`, toolCallId: id, content: "1", ...more });
/** @param {string} id @param {object} [more] */
const agent = (id, more) => ({ type: "SUBAGENT_STARTED", subagentRunId: id, name: id, ...more });
/** @param {string} id */
const ended = (id) => ({ type: "SUBAGENT_FINISHED", subagentRunId: id });
/** @param {string} id @param {object} [more] */
const activity = (id, more) => ({ type: "ACTIVITY_SNAPSHOT", messageId: id, activityType: "a", content: {}, ...more });
/** @param {unknown} snapshot */
const state = (snapshot) => ({ type: "STATE_SNAPSHOT", snapshot });
/** @param {unknown[]} messages */
const messages = (...messages) => ({ type: "MESSAGES_SNAPSHOT", messages });
/** @param {string} name @param {object} [more] */
const reasoning = (name, more) => ({ type: `REASONING_${name}`, messageId: "q", ...more });
const user = { id: "u", role: "user", content: "hi" };
const s1 = { subagentRunId: "s1" };
const s2 = { subagentRunId: "s2" };
const binary = "application/vnd.ag-ui.event+proto";
/** The frame of an envelope, after its length. @param {number[]} bytes */
const frame = (bytes) => new Uint8Array([0, 0, 0, bytes.length, ...bytes]);
/** A binary RUN_STARTED and RUN_FINISHED of empty ids. */
const proto = { started: frame([0x62, 4, 0x0a, 2, 0x08, 11]), finished: frame([0x6a, 4, 0x0a, 2, 0x08, 12]) };
/** A list of a user message whose parts are these. @param {...number} part */
const partOf = (...part) => {
  const message = [0x0a, 1, 0x75, 0x12, 4, 0x75, 0x73, 0x65, 0x72, 0x42, part.length, ...part];
  const list = [0x0a, 2, 0x08, 8, 0x12, message.length, ...message];
  return frame([0x4a, list.length, ...list]);
};
/** A row of agentOS' ledger. @param {number} id @param {Event} event */
const row = (id, event = started()) => ({ id, ts: 1, kind: "k", scopeKey: "s", agUiFrames: [event] });
const ofThePage = "it is about what the page sends or shows";

/** @type {Record<string, Fault>} */
export const faults = {
  T4: { body: ["no"], status: 500, code: "http-500" },
  T5: { body: [], status: 204, code: "body-missing" },
  "T9 frame-not-json": { events: ["data: {\n\n"], official: true },
  "T9 frame-too-deep": { events: [`data: {"type":"RAW","event":${"[".repeat(600)}${"]".repeat(600)}}\n\n`] },
  "T10 frame-not-object": { events: ["data: [1]\n\n"], official: true },
  "T10 frame-without-type": { events: ['data: {"a":1}\n\n'], official: true },
  "T12 frame-too-long": { events: [{ type: "RAW", event: "x".repeat(11 * 2 ** 20) }] },
  "T14 frame-too-long": { body: [proto.started, new Uint8Array([1, 0, 0, 0])], type: binary },
  "state-too-large": { events: [state({ a: "x".repeat(9 * 2 ** 20) }), { type: "STATE_DELTA", delta: [{ op: "copy", from: "/a", path: "/b" }] }] },
  // The thread is measured as bytes come, so a list that is too long is noticed with the next one.
  "thread-too-large": { events: Array.from({ length: 2 }, () => messages(...Array.from({ length: 100_001 }, (_, at) => ({ ...user, id: `${at}` })))) },
  "T15 frame-not-decodable": { body: [proto.started, proto.finished, new Uint8Array([0, 0, 0, 9, 1])], type: binary, official: true },
  "T16 frame-not-decodable": { body: [proto.started, frame([]), proto.finished], type: binary, official: true },
  "T16 event-unknown": { body: [proto.started, frame([0xfa, 0x06, 0]), proto.finished], type: binary, official: false },
  "P5 part-unknown": { body: [proto.started, partOf(0x7a, 0), proto.finished], type: binary },
  "T17 truncated": { body: [started(), open("m"), content("m")] },
  "G1 event-unknown": { events: [{ type: "NEWS" }], official: false },
  "G2 property-unknown": { events: [state(1), { ...state(2), more: 1 }], official: false },
  "G3 member-unknown": { events: [messages({ ...user, role: "robot" })] },
  "G3 part-unknown": { events: [messages({ ...user, content: [{ type: "smell" }] })] },
  "G3 patch-op-unknown": { events: [state({}), { type: "STATE_DELTA", delta: [{ op: "swap", path: "/a" }] }] },
  "G3 outcome-unknown": { body: [started(), finished({ outcome: { type: "maybe" } })] },
  "G4 event-malformed": { events: [{ type: "TEXT_MESSAGE_START" }], official: true },
  "G4 member-malformed": { events: [open("m", { name: 5 }), close("m")], official: true },
  "G4 interrupts-missing": { body: [started(), finished({ outcome: { type: "interrupt" } })], official: true },
  "G4 message-malformed": { events: [messages({ role: "user", content: "no id" })], official: true },
  "G4 part-malformed": { events: [messages({ ...user, content: [{ type: "text" }] })], official: true },
  "G5 event-malformed": { events: [open("m", { name: null }), close("m")], official: true },
  "G7 event-malformed": { events: [{ ...state({}), timestamp: 1.5 }], official: true },
  "G8 event-malformed": { events: [state({}), { type: "STATE_DELTA", delta: [{ op: "add", path: "a", value: 1 }] }], official: true },
  "G8 state-patch-failed": { events: [state({}), { type: "STATE_DELTA", delta: [{ op: "add", path: "/a" }] }], official: true },
  "G8 activity-patch-failed": {
    events: [activity("a"), { type: "ACTIVITY_DELTA", messageId: "a", activityType: "a", patch: [{ op: "add", path: "/a" }] }],
    official: true,
  },
  L1: { events: [{ type: "THINKING_START" }, { type: "THINKING_END" }], fine: true },
  // Read by both; strict rules say that 1.0 does not describe it.
  L4: {
    events: [messages({ ...user, content: [{ type: "binary", mimeType: "image/png", url: "https://a.test/b.png" }] })],
    rule: "G3",
    code: "member-unknown",
    official: false,
  },
  L5: { events: [open("m", { rawEvent: null }), close("m")], fine: true },
  L6: {
    events: [reasoning("START"), reasoning("MESSAGE_START"), reasoning("MESSAGE_END"), reasoning("END")],
    rule: "G4",
    code: "event-malformed",
    official: true,
  },
  L7: { body: [started({ protocolVersion: "9.0" }), finished()], rule: "L7", code: "protocol-newer" },
  L8: { no: "it is an option of the client" },
  "C2 chunk-owner": {
    events: [
      agent("s1"),
      agent("s2"),
      { type: "TEXT_MESSAGE_CHUNK", messageId: "m", delta: "x", ...s1 },
      { type: "TEXT_MESSAGE_CHUNK", messageId: "m", delta: "y", ...s2 },
      ended("s1"),
      ended("s2"),
    ],
    official: true,
  },
  "C5 chunk-ambiguous": {
    events: [
      agent("s1"),
      agent("s2"),
      { type: "TEXT_MESSAGE_CHUNK", messageId: "m", delta: "x", ...s1 },
      { type: "TEXT_MESSAGE_CHUNK", messageId: "n", delta: "y", ...s2 },
      { type: "TEXT_MESSAGE_CHUNK", delta: "z" },
      ended("s1"),
      ended("s2"),
    ],
    official: true,
  },
  "C7 chunk-without-id": { events: [{ type: "TEXT_MESSAGE_CHUNK", delta: "x" }], official: true },
  "C7 chunk-without-name": { events: [{ type: "TOOL_CALL_CHUNK", toolCallId: "c", delta: "{}" }], official: true },
  "C9 chunk-conflict": {
    events: [{ type: "TEXT_MESSAGE_CHUNK", messageId: "m", delta: "x" }, { type: "TEXT_MESSAGE_CHUNK", messageId: "m", role: "user", delta: "x" }],
    official: true,
  },
  "V1 event-after-end": { body: [started(), failed, state({})], official: true },
  "V2 event-after-end": { body: [started(), finished(), state({})], official: true },
  "V3 run-not-started": { body: [state({}), started(), finished()], official: true },
  "V4 run-not-finished": { events: [started()], official: true },
  "V6 event-malformed": { events: [agent("s1", { description: null }), ended("s1")], rule: "G5", official: true },
  "V7 event-malformed": { events: [{ ...agent("s1"), parentToolCallId: null }, ended("s1")], rule: "G5", official: true },
  "V8 event-malformed": { events: [open("m", { subagentRunId: null }), close("m")], rule: "G5", official: true },
  "V9 already-open": { events: [open("m"), open("m"), close("m")], official: true },
  "V10 owner-conflict": {
    events: [agent("s1"), agent("s2"), open("m", s1), close("m", s1), open("m", s2), close("m", s2), ended("s1"), ended("s2")],
    official: true,
  },
  "V11 not-open": { events: [content("m"), close("m")], official: true },
  "V12 not-open": { events: [close("m")], official: true },
  "V13 owner-conflict": { events: [agent("s1"), open("m"), content("m", s1), close("m"), ended("s1")], official: true },
  "V14 already-open": { events: [call("c"), call("c"), args("c"), called("c"), result("c")], official: true },
  "V15 owner-conflict": {
    events: [
      agent("s1"),
      agent("s2"),
      open("m", s1),
      close("m", s1),
      call("c", { parentMessageId: "m", ...s2 }),
      args("c", s2),
      called("c", s2),
      ended("s1"),
      ended("s2"),
    ],
    official: true,
  },
  "V16 owner-conflict": {
    events: [agent("s1"), agent("s2"), call("c", s1), args("c", s1), called("c", s1), call("c", s2), called("c", s2), ended("s1"), ended("s2")],
    official: true,
  },
  "V17 owner-conflict": {
    events: [
      agent("s1"),
      agent("s2"),
      open("m", s1),
      close("m", s1),
      open("n", s2),
      close("n", s2),
      call("c", { parentMessageId: "m" }),
      args("c"),
      called("c"),
      call("c", { parentMessageId: "n" }),
      called("c"),
      ended("s1"),
      ended("s2"),
    ],
    official: true,
  },
  "V18 not-open": { events: [args("c")], official: true },
  "V19 owner-conflict": { events: [agent("s1"), call("c"), args("c", s1), called("c"), ended("s1")], official: true },
  "V21 already-open": {
    events: [{ type: "STEP_STARTED", stepName: "a" }, { type: "STEP_STARTED", stepName: "a" }, { type: "STEP_FINISHED", stepName: "a" }],
    official: true,
  },
  "V22 not-open": { events: [{ type: "STEP_FINISHED", stepName: "a" }], official: true },
  "V24 already-open": { events: [reasoning("START"), reasoning("START"), reasoning("END")], official: true },
  "V25 owner-conflict": {
    events: [agent("s1"), reasoning("START"), reasoning("END"), reasoning("START", s1), reasoning("END", s1), ended("s1")],
    official: true,
  },
  "V26 not-open": { events: [reasoning("END")], official: true },
  "V27 owner-conflict": { events: [agent("s1"), reasoning("START"), reasoning("END", s1), ended("s1")], official: true },
  "V28 owner-conflict": {
    events: [
      agent("s1"),
      open("m"),
      close("m"),
      { type: "REASONING_ENCRYPTED_VALUE", subtype: "message", entityId: "m", encryptedValue: "x", ...s1 },
      ended("s1"),
    ],
    official: true,
  },
  "V30 owner-conflict": {
    events: [agent("s1"), activity("a"), { type: "ACTIVITY_DELTA", messageId: "a", activityType: "a", patch: [], ...s1 }, ended("s1")],
    official: true,
  },
  "V31 already-open": { events: [agent("s1"), agent("s1"), ended("s1")], official: true },
  "V32 subagent-reused": { events: [agent("s1"), ended("s1"), agent("s1"), ended("s1")], official: true },
  "V33 subagent-parent-unknown": { events: [agent("s1", { parentSubagentRunId: "nobody" }), ended("s1")], official: true },
  "V34 not-open": { events: [ended("s1")], official: true },
  "V38 left-open": { events: [open("m")], official: true },
  "V40 run-mismatch": { body: [started(), finished({ runId: "other" })], official: false },
  "message-unknown": { events: [open("m"), messages(user), content("m"), close("m")] },
  "message-not-streamable": { events: [messages(user), open("u"), content("u"), close("u")] },
  "call-unknown": { events: [call("c"), messages(user), args("c"), called("c")] },
  "call-renamed": { events: [call("c"), args("c"), called("c"), call("c", { toolCallName: "g" }), called("c"), result("c")] },
  "call-repeated": { events: [call("c"), args("c"), called("c"), result("c"), call("c"), called("c")] },
  "call-changed": { no: "the page's tools of a script end at once, so no call changes while it is executed" },
  "approval-outdated": { no: ofThePage },
  "result-differs": { events: [call("c"), args("c"), called("c"), result("c"), result("c", { messageId: "again", content: "2" })] },
  "call-parent-not-assistant": { events: [messages(user), call("c", { parentMessageId: "u" }), args("c"), called("c"), result("c")] },
  "args-not-json": { events: [call("c"), args("c", { delta: "{" }), called("c"), result("c")] },
  "state-patch-failed": { events: [state({}), { type: "STATE_DELTA", delta: [{ op: "remove", path: "/a" }] }] },
  "activity-patch-failed": { events: [activity("a"), { type: "ACTIVITY_DELTA", messageId: "a", activityType: "a", patch: [{ op: "remove", path: "/b" }] }] },
  "warnings-left-out": { no: "check reports a million warnings" },
  "follow-ups-exhausted": { no: ofThePage },
  "retry-unanswered": { no: ofThePage },
  "run-unread": { no: ofThePage },
  "history-too-large": { no: ofThePage },
  "interrupt-replaced": {
    dialect: "ngaf",
    body: [started(), ...["a", "b"].map((id) => ({ type: "CUSTOM", name: "on_interrupt", value: { id } })), finished()],
  },
  "interrupt-expiry": { body: [started(), finished({ outcome: { type: "interrupt", interrupts: [{ id: "i", reason: "x", expiresAt: "soon" }] } })] },
  "envelope-malformed": { dialect: "agent-os", rule: "T16", body: [row(1), { agUiFrames: [] }, row(2, finished())] },
  "interrupt-malformed": {
    dialect: "agent-os",
    rule: "T16",
    body: [row(1), row(2, { type: "CUSTOM", name: "agent-os.run.interrupted", value: {} }), row(3, finished())],
  },
  "envelopes-repeated": { dialect: "agent-os", script: { turns: [{ message: "hi" }, { message: "again" }] }, turn: 2, body: [row(1), row(2, finished())] },
  "calls-merged": { dialect: "open-search", events: [call("c"), args("c", { delta: "{}{}" }), called("c"), result("c")] },
  "A2 interrupts-open": { no: ofThePage },
  "A2 interrupt-unknown": { no: ofThePage },
  "A3 interrupt-expired": { no: ofThePage },
  "A4 property-unknown": { no: ofThePage },
  "A4 part-not-sent": { no: ofThePage },
  "chio-frame-unknown": { dialect: "chio", rule: "T16", body: [{ nothing: 1 }] },
  "chio-event-unknown": {
    dialect: "chio",
    rule: "T16",
    body: [{
      event_id: "e",
      timestamp: 1,
      agent_id: "a",
      session_id: "s",
      event_type: "smell",
      target: { component_type: "c", component_id: "d" },
      classification: "display",
      payload: {},
    }],
  },
  "chio-event-malformed": {
    dialect: "chio",
    rule: "T16",
    body: [{ event_id: "e", timestamp: 1, agent_id: "a", session_id: "s", event_type: "text_stream", payload: 3 }],
  },
  "hector-frame-malformed": { dialect: "hector", rule: "T16", body: [{ what: 1 }] },
  "hector-event-late": { dialect: "hector", rule: "T16", body: ['event: tool_call_delta\ndata: {"toolCallId":"no","partialInput":"x"}\n\n'] },
  "hector-event-unknown": { dialect: "hector", body: ['event: novelty\ndata: {"eventId":"1","type":"AGUI_EVENT_TYPE_NOVELTY"}\n\n'] },
  "hector-state-unknown": { dialect: "hector", body: ['event: message\ndata: {"statusUpdate":{"status":{"state":"TASK_STATE_DREAMING"}}}\n\n'] },
  "accept-contradicts": { no: ofThePage },
  "event-blocked": { no: "of the guard, which a check has none of" },
};

for (const rule of ["V5", "V20", "V23", "V29", "V35", "V36", "V37", "V39", "V41"]) faults[rule] = { no: "it says what may be done" };

/** The body of an answer. @param {Fault} fault @returns {Buffer} */
export function bodyOf({ events, body = [started(), ...(events ?? []), finished()] }) {
  return Buffer.concat(
    body.map((part) => (part instanceof Uint8Array ? part : Buffer.from(typeof part === "string" ? part : `data: ${JSON.stringify(part)}\n\n`))),
  );
}
