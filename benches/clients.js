// The ways from bytes to what an application shows, behind one interface. Bundled for Node and for pages alike.
//
//   const chat = client({ url, fetch, messages, state });
//   await chat.send();                 // one run, to its end
//   chat.text(); chat.args(); chat.state();
//   chat.dispose();
//
// Each at its best published settings: nobody listens who need not, ours has the one listener that a view is.

import { HttpAgent } from "@ag-ui/client";
import { Chat } from "@ai-sdk/react";
import { BatchStrategy, ChatClient, fetchServerSentEvents } from "@tanstack/ai-client";
import { DefaultChatTransport } from "ai";
import { createAgent } from "ag-ui-wasm";

/**
 * @typedef {object} Options
 * @property {string} url
 * @property {typeof globalThis.fetch} [fetch]
 * @property {readonly { id: string, role: string, content: string }[]} [messages]
 * @property {unknown} [state]
 */

/**
 * @typedef {object} Conversation
 * @property {() => Promise<unknown>} send  rejects when the run fails
 * @property {() => string} text  of the last message
 * @property {() => unknown} args  of the last tool call
 * @property {() => any} state
 * @property {() => void} dispose
 */

/** @typedef {((options: Options) => Conversation) & { protocol?: "ai" }} Client */

const none = () => undefined;

/** The least that a client in JavaScript can do. It knows one event, and reduces nothing. @param {Options} options @returns {Conversation} */
export function floor({ url, fetch = globalThis.fetch }) {
  let text = "";
  return {
    async send() {
      const response = await fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body: "{}" });
      const reader = /** @type {ReadableStream<Uint8Array>} */ (response.body).getReader();
      const decoder = new TextDecoder();
      let buffer = "";
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return;
        buffer += decoder.decode(value, { stream: true });
        const frames = buffer.split("\n\n");
        buffer = frames.pop() ?? "";
        for (const frame of frames) {
          const event = JSON.parse(frame.slice(6));
          if (event.type === "TEXT_MESSAGE_CONTENT") text += event.delta;
        }
      }
    },
    text: () => text,
    args: none,
    state: none,
    dispose: none,
  };
}

/** @param {Options} options @returns {Conversation} */
export function ours({ url, fetch, messages = [], state }) {
  const agent = createAgent({
    url,
    ...(fetch && { fetch }),
    initialMessages: /** @type {any} */ (messages),
    ...(state !== undefined && { initialState: state }),
  });
  let snapshot = agent.getSnapshot();
  agent.subscribe(() => (snapshot = agent.getSnapshot()));
  return {
    async send() {
      const { outcome, error } = await agent.submit({});
      if (outcome !== "success") throw error ?? new Error(outcome);
    },
    text: () => /** @type {string} */ (snapshot.messages.at(-1)?.content ?? ""),
    args: () => snapshot.toolCalls.at(-1)?.args,
    state: () => snapshot.state,
    dispose: () => agent.dispose(),
  };
}

/** With nobody listening. @param {Options} options @returns {Conversation} */
export function official({ url, fetch, messages = [], state }) {
  const agent = new HttpAgent({
    url,
    ...(fetch && { fetch }),
    initialMessages: /** @type {any} */ ([...messages]),
    ...(state !== undefined && { initialState: /** @type {any} */ (state) }),
  });
  return {
    send: () => agent.runAgent(),
    text: () => /** @type {string} */ (agent.messages.at(-1)?.content ?? ""),
    args() {
      const message = /** @type {any} */ (agent.messages.findLast((one) => one.role === "assistant"));
      return JSON.parse(message.toolCalls.at(-1).function.arguments);
    },
    state: () => agent.state,
    dispose: none,
  };
}

const parts = (/** @type {{ id: string, role: string, content: string }} */ { id, role, content }) => ({
  id,
  role,
  parts: [{ type: "text", content, text: content }],
});

/** @param {any[]} content @returns {string} */
const textOf = (content = []) => content.filter(({ type }) => type === "text").map((part) => part.text ?? part.content).join("");

/** The chat behind `useChat` of @ai-sdk/react. @param {Options} options @returns {Conversation} */
export function aiSdk({ url, fetch, messages = [] }) {
  const transport = new DefaultChatTransport({ api: url, ...(fetch && { fetch }) });
  /** @type {Error | undefined} */
  let failure;
  const chat = new Chat({ transport, messages: /** @type {any} */ (messages.map(parts)), onError: (error) => (failure = error) });
  return {
    async send() {
      await chat.sendMessage({ text: "go" });
      if (failure) throw failure;
    },
    text: () => textOf(chat.messages.at(-1)?.parts),
    args: () => /** @type {any} */ (chat.messages.at(-1)?.parts.at(-1))?.input,
    state: none,
    dispose: none,
  };
}
aiSdk.protocol = /** @type {const} */ ("ai");

/** Shown at most once in as many deltas as come in a frame of 2,000 a second. @param {Options} options @returns {Conversation} */
export function tanStack({ url, fetch, messages = [] }) {
  const connection = fetchServerSentEvents(url, fetch ? { fetchClient: fetch } : {});
  /** @type {Error | undefined} */
  let failure;
  const chat = new ChatClient({
    connection,
    initialMessages: /** @type {any} */ (messages.map(parts)),
    streamProcessor: { chunkStrategy: new BatchStrategy(33) },
    onError: (error) => (failure = error),
  });
  return {
    async send() {
      await chat.sendMessage("go");
      if (failure) throw failure;
    },
    text: () => textOf(chat.getMessages().at(-1)?.parts),
    args: () => JSON.parse(/** @type {any} */ (chat.getMessages().at(-1)?.parts.at(-1)).arguments),
    state: none,
    dispose: () => chat.dispose?.(),
  };
}

/** By the names that the tables have. @type {Record<string, Client>} */
export const clients = { floor, "ag-ui-wasm": ours, "@ag-ui/client": official, "AI SDK": aiSdk, TanStack: tanStack };
