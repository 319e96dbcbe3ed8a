// The parts of cases: streams, and agents that record the calls of their subscribers.

/** @param {object[]} events */
export const sse = (...events) => events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");

export const started = (runId = "r") => ({ type: "RUN_STARTED", threadId: "t", runId });
export const finished = (more = {}) => ({ type: "RUN_FINISHED", threadId: "t", runId: "r", ...more });
export const text = (id, ...deltas) => [
  { type: "TEXT_MESSAGE_START", messageId: id, role: "assistant" },
  ...deltas.map((delta) => ({ type: "TEXT_MESSAGE_CONTENT", messageId: id, delta })),
  { type: "TEXT_MESSAGE_END", messageId: id },
];
export const call = (id, name, ...deltas) => [
  { type: "TOOL_CALL_START", toolCallId: id, toolCallName: name },
  ...deltas.map((delta) => ({ type: "TOOL_CALL_ARGS", toolCallId: id, delta })),
  { type: "TOOL_CALL_END", toolCallId: id },
];
export const user = (id, content) => ({ id, role: "user", content });

/** An answer whose body is given. */
export const answer = (body, init = {}) => new Response(body, { headers: { "content-type": "text/event-stream" }, ...init });

/**
 * A server that answers each request with the next of `answers`: events, a string, a Response or a function of the request.
 * Keeps what it was asked.
 */
export function server(...answers) {
  const requests = [];
  const fetch = async (url, init) => {
    requests.push({ url, method: init.method, headers: init.headers, body: JSON.parse(init.body) });
    const next = answers.length > 1 ? answers.shift() : answers[0];
    if (typeof next === "function") return next(init);
    if (Array.isArray(next)) return answer(sse(...next));
    return typeof next === "string" ? answer(next) : next;
  };
  return { fetch, requests };
}

/** A body that the case writes to. */
export function openBody(init) {
  let controller;
  const stream = new ReadableStream({ start: (given) => (controller = given) });
  init?.signal?.addEventListener("abort", () => {
    try {
      controller.error(init.signal.reason);
    } catch {
      // It has ended.
    }
  });
  const encode = (given) => new TextEncoder().encode(typeof given === "string" ? given : sse(...given));
  return { response: answer(stream), send: (given) => controller.enqueue(encode(given)), end: () => controller.close() };
}

export const hooks = [
  "onRunInitialized",
  "onRunFailed",
  "onRunFinalized",
  "onEvent",
  "onRunStartedEvent",
  "onRunFinishedEvent",
  "onRunErrorEvent",
  "onStepStartedEvent",
  "onStepFinishedEvent",
  "onSubagentStartedEvent",
  "onSubagentFinishedEvent",
  "onSubagentErrorEvent",
  "onTextMessageStartEvent",
  "onTextMessageContentEvent",
  "onTextMessageEndEvent",
  "onToolCallStartEvent",
  "onToolCallArgsEvent",
  "onToolCallEndEvent",
  "onToolCallResultEvent",
  "onStateSnapshotEvent",
  "onStateDeltaEvent",
  "onMessagesSnapshotEvent",
  "onActivitySnapshotEvent",
  "onActivityDeltaEvent",
  "onRawEvent",
  "onCustomEvent",
  "onReasoningStartEvent",
  "onReasoningMessageStartEvent",
  "onReasoningMessageContentEvent",
  "onReasoningMessageEndEvent",
  "onReasoningEndEvent",
  "onReasoningEncryptedValueEvent",
  "onNewMessage",
  "onNewToolCall",
];

const shown = new Set([
  "textMessageBuffer",
  "reasoningMessageBuffer",
  "toolCallBuffer",
  "toolCallName",
  "toolCallArgs",
  "outcome",
  "result",
  "pendingToolCallIds",
  "interrupts",
  "activityMessage",
  "existingMessage",
  "message",
  "toolCall",
  "event",
  "messages",
  "state",
]);

/** A subscriber that writes down every call: the hook, and a copy of what it was given. Changes in a row are written once. */
export function recorder(log, returns = {}, names = hooks) {
  const subscriber = {};
  for (const name of names) {
    subscriber[name] = (params) => {
      const entry = { hook: name };
      for (const [key, value] of Object.entries(params)) if (shown.has(key) && value !== undefined) entry[key] = JSON.parse(JSON.stringify(value));
      if (params.error !== undefined) entry.error = failure(params.error);
      log.push(entry);
      return returns[name]?.(params);
    };
  }
  return subscriber;
}

/** An error as far as callers rely on it. */
export const failure = (error) => ({
  isError: error instanceof Error,
  message: String(error?.message ?? error),
  ...(error?.status !== undefined && { status: error.status, payload: error.payload }),
});

/** The outcome of a promise. */
export const settled = (promise) => promise.then((value) => ({ value }), (error) => ({ failed: failure(error) }));

/** The state of an agent after a run. */
export const left = (agent) => ({ messages: agent.messages, state: agent.state, isRunning: agent.isRunning, pendingInterrupts: agent.pendingInterrupts });

/** Waits for a condition. */
export async function until(condition) {
  const deadline = Date.now() + 5000;
  while (!condition()) {
    if (Date.now() > deadline) throw new Error(`waited too long for ${condition}`);
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}
