// A chat of the AI SDK over a real agent, whose server sends what the test says.

import { AbstractChat } from "ai";
import { load, real } from "../lib.mjs";

export const { createAgent, createStore, tool } = await load("index");
export const { loadUIMessages, toChatTransport, toUIMessages } = await load("ai-sdk/index");
export const skip = !real && "without the core";

/** The state of a chat that no framework renders. */
class State {
  status = "ready";
  error = undefined;
  /** How often each list was shown, and the statuses. */
  constructor(messages) {
    this.messages = messages;
  }
  pushMessage = (message) => (this.messages = [...this.messages, message]);
  popMessage = () => (this.messages = this.messages.slice(0, -1));
  replaceMessage = (at, message) => (this.messages = this.messages.map((old, index) => (index === at ? structuredClone(message) : old)));
  snapshot = (value) => structuredClone(value);
}

class Chat extends AbstractChat {
  constructor({ messages = [], ...init }) {
    super({ ...init, state: new State(messages) });
  }
}

const encode = (event) => new TextEncoder().encode(`data: ${JSON.stringify(event)}\n\n`);

/** A server: each request gets a body that the test writes into. */
export function serve() {
  const requests = [];
  const fetch = async (_url, { body, signal }) => {
    let controller;
    const stream = new ReadableStream({ start: (given) => (controller = given) });
    const { threadId, runId, messages, ...rest } = JSON.parse(body ?? "{}");
    signal.addEventListener("abort", () => controller.error(signal.reason));
    const send = (...events) => events.forEach((event) => controller.enqueue(encode(event)));
    const ids = { threadId, runId };
    const request = { messages, ...rest, signal, send, ids, cut: () => controller.close() };
    request.begin = (...events) => send({ type: "RUN_STARTED", ...ids }, ...events);
    request.end = (...events) => (send(...events, { type: "RUN_FINISHED", ...ids }), controller.close());
    request.answer = (...events) => (request.begin(), request.end(...events));
    requests.push(request);
    return new Response(stream, { headers: { "content-type": "text/event-stream" } });
  };
  return { requests, fetch };
}

export function create({ agent: options, chat: more, messages } = {}) {
  const { requests, fetch } = serve();
  const agent = createAgent({ url: "https://agent.test/", fetch, notify: "microtask", ...options });
  let ids = 0;
  const data = [];
  const chat = new Chat({ transport: toChatTransport(agent), generateId: () => `g${++ids}`, onData: (part) => data.push(part), messages, ...more });
  return { agent, chat, requests, data };
}

export const text = (messageId, ...deltas) => [
  { type: "TEXT_MESSAGE_START", messageId, role: "assistant" },
  ...deltas.map((delta) => ({ type: "TEXT_MESSAGE_CONTENT", messageId, delta })),
  { type: "TEXT_MESSAGE_END", messageId },
];

export const call = (toolCallId, toolCallName, args, parentMessageId) => [
  { type: "TOOL_CALL_START", toolCallId, toolCallName, parentMessageId },
  { type: "TOOL_CALL_ARGS", toolCallId, delta: JSON.stringify(args) },
  { type: "TOOL_CALL_END", toolCallId },
];

/** The parts that a page shows. */
export const shown = (message) => message.parts.filter(({ type }) => type !== "step-start").map((part) => JSON.parse(JSON.stringify(part)));
