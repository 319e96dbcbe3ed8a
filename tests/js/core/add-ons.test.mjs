// The full module in parts: a base that does without its add-ons what does not ask for them, and add-ons that come when an option does.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { fixtures } from "../../corpus/fixtures.mjs";
import { load } from "../lib.mjs";

const [{ createAgentWith }, { loadFull }, { inflate }] = await Promise.all(["agent/agent", "core/load-full", "core/unpack"].map(load));
const { createAgent } = await load("index");

/** The thread of an agent after a recording, and its warnings. */
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
  const base = (options) => createAgentWith((unpack) => loadFull(unpack, {}), options);
  for (const recording of fixtures()) {
    it(`shows ${recording.name} as the small module does`, async () => {
      assert.deepEqual(await play(base, recording), await play(createAgent, recording));
    });
  }

  it("refuses a dialect that no add-on has, and names the others", async () => {
    const agent = createAgent({ url: "/", dialect: "klingon", fetch: async () => new Response("") });
    const { error } = await agent.submit("hello");
    assert.match(String(error?.message), /klingon.*hector/);
    agent.dispose();
  });
});

describe("an add-on", () => {
  const offline = async () => Promise.reject(new Error("offline"));

  /** Counts the modules that are unpacked. */
  const counted = () => {
    const unpack = async (bytes) => (unpack.count++, inflate(bytes));
    unpack.count = 0;
    return unpack;
  };

  it("is asked for again after a load that failed", async () => {
    await assert.rejects(loadFull(offline, { dialect: "ngaf" }), { code: "load", retryable: true, message: /offline/ });
    const unpack = counted();
    await loadFull(unpack, { dialect: "ngaf" });
    assert.equal(unpack.count, 1);
  });

  it("is attached once, whoever asks for it, and Chio's brings the guard", async () => {
    const unpack = counted();
    await Promise.all([loadFull(unpack, { dialect: { name: "chio" } }), loadFull(unpack, { guard: {}, dialect: "chio" })]);
    await loadFull(unpack, { dialect: "ngaf" });
    assert.equal(unpack.count, 2);
  });
});
