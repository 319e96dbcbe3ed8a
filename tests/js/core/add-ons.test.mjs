// The full module in parts: a base that does without its add-ons what does not ask for them, and add-ons that come when an option does.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { fixtures } from "../../corpus/fixtures.mjs";
import { load } from "../lib.mjs";

const [{ createAgentWith }, { loadFull }, { addAll }, { inflate }] = await Promise.all(["agent/agent", "core/load-full", "core/add-ons", "core/unpack"].map(load));
const { createAgent } = await load("index");

/** What an agent shows of a recording, and what it said. */
async function play(create, { body, status, contentType }) {
  const warnings = [];
  const agent = create({
    url: "http://agent.test/",
    threadId: "t",
    initialMessages: [{ id: "m", role: "user", content: "hello" }],
    onWarning: ({ code }) => warnings.push(code),
    fetch: async () => new Response(body, { status, headers: { "content-type": contentType } }),
  });
  const { outcome, error } = await agent.submit({ runId: "r" });
  const { messages, state, toolCalls, interrupts } = agent.getSnapshot();
  agent.dispose();
  return JSON.parse(JSON.stringify({ outcome, error: error?.code, messages, state, toolCalls, interrupts, warnings }));
}

// First: a page keeps what it has loaded.
describe("the base without an add-on", () => {
  const base = (options) => createAgentWith((unpack) => loadFull(unpack, []), options);
  for (const recording of fixtures()) {
    it(`shows ${recording.name} as the small module does`, async () => {
      assert.deepEqual(await play(base, recording), await play(createAgent, recording));
    });
  }

  it("refuses a body in the binary framing that nobody has asked for", async () => {
    const agent = base({ url: "/", fetch: async () => new Response(Uint8Array.of(0, 0, 0, 1, 8), { headers: { "content-type": "application/vnd.ag-ui.event+proto" } }) });
    const { error } = await agent.submit("hello");
    assert.equal(error?.kind, "http");
    agent.dispose();
  });

  it("refuses a dialect that no add-on has, and names the others", async () => {
    const agent = createAgent({ url: "/", dialect: "klingon", fetch: async () => new Response("") });
    const { error } = await agent.submit("hello");
    assert.match(String(error?.message), /klingon.*hector/);
    agent.dispose();
  });
});

describe("an add-on", () => {
  const attached = [];
  const base = Promise.resolve({ attach: async (bytes) => void attached.push(WebAssembly.validate(bytes)) });

  it("is asked for again after a load that failed", async () => {
    await assert.rejects(addAll(["ngaf"], Promise.reject(new Error("no base")), inflate), /no base/);
    await assert.rejects(addAll(["ngaf"], base, async () => Promise.reject(new Error("offline"))), /offline/);
    await addAll(["ngaf"], base, inflate);
    assert.deepEqual(attached, [true]);
  });

  it("is attached once, whoever asks for it, and brings what it calls", async () => {
    attached.length = 0;
    await Promise.all([addAll(["chio"], base, inflate), addAll(["guard", "chio"], base, inflate)]);
    await addAll(["chio", "ngaf"], base, inflate);
    assert.deepEqual(attached, [true, true]);
  });
});
