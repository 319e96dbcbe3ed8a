/**
 * The AG-UI events that the scenarios share, so that a scenario reads as what happens, not as field names.
 * https://docs.ag-ui.com/concepts/events
 */
import { mark, pieces, tokens, wait } from "./steps.mjs";

export const started = ({ threadId, runId }) => ({ type: "RUN_STARTED", threadId, runId, protocolVersion: "1.0" });
export const finished = ({ threadId, runId }, rest = {}) => ({ type: "RUN_FINISHED", threadId, runId, ...rest });
export const custom = (name, value) => ({ type: "CUSTOM", name, value });
export const snapshot = (state) => ({ type: "STATE_SNAPSHOT", snapshot: state });
export const delta = (...operations) => ({ type: "STATE_DELTA", delta: operations });

const only = (tag) => (tag === undefined ? {} : { subagentRunId: tag });

/** An assistant's message, token by token. It stops at the mark `text` when `half` of it has been said. */
export function* text(messageId, content, { ms = 24, tag, half = true } = {}) {
  yield { type: "TEXT_MESSAGE_START", messageId, role: "assistant", ...only(tag) };
  yield* words(messageId, content, { ms, tag, half });
  yield { type: "TEXT_MESSAGE_END", messageId, ...only(tag) };
}

/** The contents of a message that is open. */
export function* words(messageId, content, { ms = 24, tag, half = false } = {}) {
  const parts = tokens(content);
  for (const [index, piece] of parts.entries()) {
    if (half && index === Math.ceil(parts.length / 2)) yield mark("text");
    yield { type: "TEXT_MESSAGE_CONTENT", messageId, delta: piece, ...only(tag) };
    yield wait(ms);
  }
}

/** Reasoning of the model, as a message of its own, or folded into the answer when the answer has the same id. */
export function* reasoning(messageId, content, { ms = 18 } = {}) {
  yield { type: "REASONING_START", messageId };
  yield { type: "REASONING_MESSAGE_START", messageId, role: "reasoning" };
  for (const piece of tokens(content)) {
    yield { type: "REASONING_MESSAGE_CONTENT", messageId, delta: piece };
    yield wait(ms);
  }
  yield mark("reasoning");
  yield { type: "REASONING_MESSAGE_END", messageId };
  yield { type: "REASONING_END", messageId };
}

/** One tool call whose arguments arrive in pieces. */
export function* call(toolCallId, toolCallName, args, { parentMessageId, size = 7, ms = 40, tag } = {}) {
  yield { type: "TOOL_CALL_START", toolCallId, toolCallName, parentMessageId, ...only(tag) };
  for (const piece of pieces(JSON.stringify(args), size)) {
    yield { type: "TOOL_CALL_ARGS", toolCallId, delta: piece, ...only(tag) };
    yield wait(ms);
  }
  yield { type: "TOOL_CALL_END", toolCallId, ...only(tag) };
}

export const result = (toolCallId, content, tag) => ({
  type: "TOOL_CALL_RESULT",
  messageId: `${toolCallId}-result`,
  toolCallId,
  content: typeof content === "string" ? content : JSON.stringify(content),
  role: "tool",
  ...only(tag),
});

/** The text of the last message the user sent. */
export function lastWords(input) {
  const content = input.messages.findLast((message) => message.role === "user")?.content ?? "";
  return typeof content === "string" ? content : content.map((part) => part.text ?? "").join("");
}
