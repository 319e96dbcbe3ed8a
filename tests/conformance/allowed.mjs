// Where we differ from the official client on purpose, in streams that nobody has looked at: each by a sign in the stream
// or in what came out. A difference that no sign explains fails the test, and so does a sign that never explains one.

/**
 * @typedef {object} Context
 * @property {import("./cases.mjs").Case} given
 * @property {any[]} events  of the stream, as far as they are objects
 * @property {string} body  as text
 * @property {import("./cases.mjs").Expectation} official
 * @property {import("./cases.mjs").Expectation} ours
 *
 * `of`: the lines that it explains, all of them if not given.
 *
 * @typedef {{ name: string, why: string, of?: RegExp, explains(context: Context): boolean }} Allowance
 */

const isObject = (/** @type {any} */ value) => typeof value === "object" && value !== null;
const roles = ["developer", "system", "assistant", "user", "tool", "activity", "reasoning"];

/** @param {any[]} messages */
const repeats = (messages) => new Set(messages.map(({ id }) => id)).size < messages.length;

/** The messages in no order; without their ids, which may be made up. @param {any[]} messages */
const unordered = (messages) =>
  JSON.stringify(
    messages
      .map(({ id: _, ...message }) =>
        JSON.stringify(message, (_, value) => (isObject(value) && !Array.isArray(value) ? Object.fromEntries(Object.entries(value).sort()) : value))
      )
      .sort(),
  );

/** Whether a result stands before its call. @param {any[]} messages */
const answersFirst = (messages) =>
  messages.some(
    ({ role, toolCallId }, at) =>
      role === "tool" && messages.slice(at + 1).some(({ toolCalls }) => Array.isArray(toolCalls) && toolCalls.some((call) => call?.id === toolCallId)),
  );

/** The ids that a stream gives to reasoning, and those of its other messages. @param {Context} context */
function ids({ events, given }) {
  const reasoning = new Set();
  const others = new Set((given.initial?.messages ?? []).filter(({ role }) => role !== "reasoning").map(({ id }) => id));
  for (const { type, messageId, toolCallId, parentMessageId, messages, input } of events) {
    if (/^REASONING_MESSAGE_/.test(type)) reasoning.add(messageId);
    else if (/^(TEXT_MESSAGE|ACTIVITY)_|^TOOL_CALL_RESULT$/.test(type)) others.add(messageId);
    else if (/^TOOL_CALL_(START|CHUNK)$/.test(type)) others.add(parentMessageId || toolCallId);
    for (const message of [messages, input?.messages].flat()) {
      if (isObject(message)) (message.role === "reasoning" ? reasoning : others).add(message.id);
    }
  }
  return { reasoning, others };
}

/** @type {Allowance[]} */
export const allowances = [
  {
    name: "lines",
    why: "Line ends are those of the event-stream standard.",
    explains: ({ body, official }) => body.includes("\r") && official.error?.rule === "T9",
  },
  {
    name: "empty-data",
    why: "An event without data is none.",
    explains: ({ body, official }) => /^data:? *$/m.test(body) && official.error?.rule === "T9",
  },
  {
    name: "done",
    why: "`[DONE]` is how some servers end a stream.",
    explains: ({ body, official }) => body.includes("data: [DONE]") && ["T9", "T10"].includes(official.error?.rule ?? ""),
  },
  {
    name: "cut",
    why: "A stream that ends in the middle of a frame is truncated, not wrong.",
    explains: ({ body, official, ours }) => official.error?.rule === "T9" && ours.outcome === "truncated" && !body.endsWith("\n\n"),
  },
  {
    name: "late-break",
    why: "Once a run has ended, it is ignored how its connection ends, and that a frame after the end is too long.",
    of: /^error/,
    explains: ({ given, official, ours }) =>
      ours.outcome !== "truncated" &&
      ((given.breakWith !== undefined && official.error?.kind === "other") || ["T12", "T14"].includes(official.error?.rule ?? "")),
  },
  {
    name: "not-a-stream",
    why: "A success without an event is an HTTP error.",
    of: /^error/,
    explains: ({ official, ours }) => !official.error && ours.error?.kind === "http",
  },
  {
    name: "other-framing",
    why: "The official client reads lines of JSON, and a JSON array, as a stream without events.",
    explains: ({ given, body, official, ours }) =>
      !official.error && given.contentType !== "text/event-stream" && /^\s*[[{]/.test(body) && ours.outcome !== "truncated",
  },
  {
    name: "foreign",
    why: "A stream does not write into a message that it did not make.",
    of: /^messages/,
    explains: ({ ours }) => ours.codes.includes("message-not-streamable"),
  },
  {
    name: "fold",
    why: "Reasoning that shares the id of a message is a part of that message.",
    of: /^messages/,
    explains: (context) => {
      const { reasoning, others } = ids(context);
      return [...reasoning].some((id) => others.has(id));
    },
  },
  {
    name: "duplicate-id",
    why: "An id names one message.",
    of: /^messages/,
    explains: ({ official }) => repeats(official.messages),
  },
  {
    name: "result-first",
    why: "The result of a call stands after it: providers refuse a request with a result before its call.",
    of: /^messages/,
    explains: ({ official }) => answersFirst(official.messages),
  },
  {
    name: "list-order",
    why: "A list of messages gives its own order to what it names.",
    of: /^messages/,
    explains: ({ events, official, ours }) =>
      events.some(({ type }) => type === "MESSAGES_SNAPSHOT") && unordered(official.messages) === unordered(ours.messages),
  },
  {
    name: "patch",
    why: "A patch is what RFC 6902 says, and an activity's content stays an object.",
    of: /^(state|messages)/,
    explains: ({ ours, official }) => ours.codes.filter((/** @type {string} */ code) => code.endsWith("-patch-failed")).length > official.failedPatches,
  },
  {
    name: "proto",
    why: "`__proto__` is a key like any other, which the official client refuses in patches.",
    of: /^(state|messages)/,
    explains: ({ body }) => body.includes("__proto__"),
  },
  {
    name: "early-value",
    why: "An encrypted value waits for what it belongs to.",
    of: /^messages.*\/encryptedValue: expected nothing/,
    explains: ({ events }) => events.some(({ type }) => type === "REASONING_ENCRYPTED_VALUE"),
  },
  {
    name: "null-message",
    why: "What is no message is an error of shape, where the official client fails by itself.",
    explains: ({ events, official }) =>
      official.error?.kind === "other" &&
      events.some(({ messages, input }) => [messages, input?.messages].some((list) => Array.isArray(list) && list.some((message) => !isObject(message)))),
  },
  {
    name: "history",
    why: "What the page has is kept as AG-UI 1.0 has it: without nulls, old parts, and what is no message.",
    of: /^messages/,
    explains: ({ given }) =>
      (given.initial?.messages ?? []).some((message) => !roles.includes(message.role) || /:null|"type":"binary"/.test(JSON.stringify(message))),
  },
  {
    name: "unknown-role",
    why: "A message of a snapshot that cannot be read stays as the page has it.",
    of: /^messages/,
    explains: ({ ours }) => ours.codes.includes("message-malformed"),
  },
];

/**
 * The lines that nothing explains.
 *
 * @param {Context} context
 * @param {string[]} lines
 * @param {(name: string) => void} note  told what explained something
 */
export function unexplained(context, lines, note) {
  for (const { name, of, explains } of allowances) {
    const left = lines.filter((line) => of !== undefined && !of.test(line));
    if (left.length === lines.length || !explains(context)) continue;
    note(name);
    lines = left;
  }
  return lines;
}
