// Clients without a view: bursts, memory, many agents at once.

import { clients } from "../../clients.js";
import { answer, reads, textWork } from "../../workload.mjs";
import { createAgent } from "ag-ui-wasm";

// The WebAssembly's memory, for the measurement of it.
const { instantiate } = WebAssembly;
/** @type {WebAssembly.Memory | undefined} */
let memory;
WebAssembly.instantiate = /** @type {any} */ (
  async (/** @type {any} */ source, /** @type {any} */ imports) => {
    const result = /** @type {any} */ (await instantiate(source, imports));
    memory = Object.values((result.instance ?? result).exports).find((/** @type {unknown} */ value) => value instanceof WebAssembly.Memory);
    return result;
  }
);

/** @type {{ work: import("../../workload.mjs").Work, body: Record<string, Uint8Array[]> }} */
let burst;
/** @type {any[]} */
let kept = [];

/** @type {any} */ (globalThis).bench = {
  wasm: () => memory?.buffer.byteLength ?? 0,

  /** Makes what is sent, so that it does not count. @param {number} deltas */
  prepare(deltas) {
    const work = textWork(deltas);
    const all = (/** @type {import("../../workload.mjs").Protocol} */ protocol) => reads(work.frames(protocol), Infinity);
    burst = { work, body: { "ag-ui": all("ag-ui"), ai: all("ai") } };
  },

  /** One burst in one read. @param {string} name */
  async burst(name) {
    const client = /** @type {import("../../clients.js").Client} */ (clients[name]);
    const chat = client({ url: "http://agent.test/", fetch: async () => answer(burst.body[client.protocol ?? "ag-ui"] ?? []) });
    const start = performance.now();
    await chat.send();
    const took = performance.now() - start;
    const right = chat.text() === burst.work.text;
    chat.dispose();
    return { took, right };
  },

  /** The same, with how often what was read was published, and how often at most in one frame. */
  async published() {
    const agent = createAgent({ url: "http://agent.test/", fetch: async () => answer(burst.body["ag-ui"] ?? []) });
    await agent.submit({}).catch(() => {});
    let [count, most, inFrame, begun] = [0, 0, 0, false];
    /** @type {unknown} */
    let frame;
    agent.subscribe(() => {
      if (!begun || !agent.getSnapshot().isLoading) return; // What the page does and the end are shown at once.
      const now = document.timeline.currentTime;
      inFrame = frame === now ? inFrame + 1 : 1;
      frame = now;
      count++;
      most = Math.max(most, inFrame);
    });
    const end = agent.submit({});
    begun = true;
    await end;
    agent.dispose();
    return { count, most };
  },

  /** Streams to one client after the other that are kept. Gives the characters of all texts. @param {string} name @param {string} url @param {number} count */
  async keep(name, url, count) {
    const client = /** @type {import("../../clients.js").Client} */ (clients[name]);
    for (let at = 0; at < count; at++) {
      const chat = client({ url: `${url}&protocol=${client.protocol ?? "ag-ui"}` });
      await chat.send();
      kept.push(chat);
    }
    return kept.reduce((sum, chat) => sum + chat.text().length, 0);
  },

  drop() {
    for (const chat of kept) chat.dispose();
    kept = [];
  },

  /** Many agents at once. @param {string} name @param {string[]} urls @param {number} deltas */
  async many(name, urls, deltas) {
    const client = /** @type {import("../../clients.js").Client} */ (clients[name]);
    const { text } = textWork(deltas);
    const chats = urls.map((url) => client({ url: `${url}&protocol=${client.protocol ?? "ag-ui"}` }));
    const start = performance.now();
    await Promise.all(chats.map((chat) => chat.send()));
    const took = performance.now() - start;
    const right = chats.filter((chat) => chat.text() === text).length;
    for (const chat of chats) chat.dispose();
    return { took, right };
  },
};
