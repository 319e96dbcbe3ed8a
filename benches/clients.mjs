// The ways from bytes to a message that are compared. Each returns the text of the last message.

import { HttpAgent } from "@ag-ui/client";
import { createAgent } from "ag-ui-wasm";
import { readFileSync } from "node:fs";
import init, { Session } from "../pkg/glue/core.js";

/**
 * @typedef {(answer: () => Response, messages?: readonly any[]) => Promise<string>} Client
 * @typedef {{ delta: string, type: string }} Event
 */

/** The least that a client in JavaScript can do. It knows one event. @type {Client} */
export async function floor(answer) {
  const reader = /** @type {ReadableStream<Uint8Array>} */ (answer().body).getReader();
  const decoder = new TextDecoder();
  let buffer = "";
  let text = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text;
    buffer += decoder.decode(value, { stream: true });
    const frames = buffer.split("\n\n");
    buffer = frames.pop() ?? "";
    for (const frame of frames) {
      /** @type {Event} */
      const event = JSON.parse(frame.slice(6));
      if (event.type === "TEXT_MESSAGE_CONTENT") text += event.delta;
    }
  }
}

/** The package, with one listener that reads the snapshot. @type {Client} */
export async function ours(answer, initialMessages) {
  const agent = createAgent({ url: "http://agent.test/", initialMessages, fetch: async () => answer() });
  let text = "";
  agent.subscribe(() => {
    text = /** @type {string} */ (agent.getSnapshot().messages.at(-1)?.content ?? "");
  });
  await agent.submit({});
  agent.dispose();
  return text;
}

/** The WebAssembly alone: nobody takes a patch before the run has ended. @type {Client} */
export async function core(answer, messages) {
  await init({ module_or_path: readFileSync(new URL("../pkg/core.wasm", import.meta.url)) });
  const settings = { threadId: "t", rules: /** @type {const} */ ("tolerant"), protocol: "1.0", network: "{}", events: false, maxFrameBytes: 2 ** 20, maxErrorBodyBytes: 2 ** 10, maxQueue: 1, maxDepth: 64, graceMs: 0 };
  /** @type {Session | undefined} */
  let session;
  await new Promise((settled) => {
    const host = { request: () => ({ url: "http://agent.test/", fetch: async () => answer() }), changed() {}, settled, custom() {}, event() {}, execute() {}, abandon() {}, stopRemote() {}, warning() {}, fatal() {} };
    session = new Session(settings, messages && JSON.stringify(messages), undefined, host);
    session.submit('{"messages":[],"tools":[],"context":[],"forwardedProps":{},"runId":"r"}');
  });
  const patch = session?.takePatch() ?? "[]";
  session?.dispose();
  return lastText(JSON.parse(patch));
}

/** The content of the last message that a patch brings. @param {any[]} operations @returns {string} */
function lastText(operations) {
  const messages = operations.filter(([, [first]]) => first === "messages").flatMap(([, , items]) => items);
  return messages.at(-1)?.content ?? "";
}

/** The official client, with nobody listening. @type {Client} */
export async function official(answer, initialMessages) {
  const agent = new HttpAgent({ url: "http://agent.test/", initialMessages: [...(initialMessages ?? [])], fetch: async () => answer() });
  await agent.runAgent();
  return /** @type {string} */ (agent.messages.at(-1)?.content ?? "");
}
