// The full module in parts: a base that does without its add-ons what does not ask for them, and add-ons that come when an option does.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { EventEncoder } from "@ag-ui/encoder";
import { fixtures } from "../../corpus/fixtures.mjs";
import { load } from "../lib.mjs";

const [{ createAgentWith }, { loadFull }, { inflate }] = await Promise.all(["agent/agent", "core/load-full", "core/unpack"].map(load));
const { createAgent } = await load("index");

/** The thread of an agent after a recording, and its warnings. */
async function play(create, { body, status, contentType }, options = {}) {
  const warnings = [];
  const agent = create({
    ...options,
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

const whole = [
  { type: "RUN_STARTED", threadId: "t", runId: "r" },
  { type: "TEXT_MESSAGE_START", messageId: "a", role: "assistant" },
  { type: "TEXT_MESSAGE_CONTENT", messageId: "a", delta: "hello" },
  { type: "TEXT_MESSAGE_END", messageId: "a" },
  { type: "RUN_FINISHED", threadId: "t", runId: "r" },
];
const encoder = new EventEncoder({ accept: "application/vnd.ag-ui.event+proto" });
const binary = { status: 200, contentType: encoder.getContentType(), body: Buffer.concat(whole.map((event) => encoder.encodeBinary(event))) };
const text = (events) => ({ status: 200, contentType: "text/event-stream", body: events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("") });

// First: a page keeps what it has loaded.
describe("the base without an add-on", () => {
  const base = (options) => createAgentWith((unpack) => loadFull(unpack, {}), options);
  for (const recording of fixtures()) {
    it(`shows ${recording.name} as the small module does`, async () => {
      assert.deepEqual(await play(base, recording), await play(createAgent, recording));
    });
  }

  it("takes a binary body for what the small module takes it, where none was asked for", async () => {
    const shown = await play(base, binary);
    assert.deepEqual([shown.outcome, shown.messages.length], ["error", 1]);
    assert.deepEqual(shown, await play(createAgent, binary));
  });

  it("refuses a dialect that no add-on has, and names the others", async () => {
    const agent = createAgent({ url: "/", dialect: "klingon", fetch: async () => new Response("") });
    const { error } = await agent.submit("hello");
    assert.match(String(error?.message), /klingon.*hector/);
    agent.dispose();
  });
});

describe("an add-on", () => {
  it("comes with the option that needs it: the binary framing, strict rules", async () => {
    const plain = await play(createAgent, text(whole));
    assert.equal(plain.messages.at(-1).content, "hello");
    assert.deepEqual(await play(createAgent, binary, { binary: true }), plain);
    const more = text(whole.with(0, { ...whole[0], more: 1 }));
    assert.deepEqual((await play(createAgent, more)).warnings, []);
    assert.deepEqual((await play(createAgent, more, { rules: "strict" })).warnings, ["property-unknown"]);
  });

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

  it("is waited for by a run, however long it takes; what was sent is sent again after a load that failed", async () => {
    let broken = true;
    let arrive;
    const slow = new Promise((resolve) => (arrive = resolve));
    const load = (unpack) => loadFull(async (bytes) => (broken ? Promise.reject(new Error("offline")) : (await slow, unpack(bytes))), { dialect: "agent-os" });
    const agent = createAgentWith(load, { url: "/", dialect: "agent-os", fetch: async () => new Response("") });
    const failed = await agent.submit("hello");
    assert.deepEqual([failed.error.code, failed.error.retryable], ["load", true]);
    broken = false;
    const retried = agent.retry();
    agent.setState({ edited: true });
    await new Promise(setImmediate);
    const shown = agent.getSnapshot();
    assert.deepEqual([shown.status, shown.messages.map(({ content }) => content), shown.state], ["running", ["hello"], { edited: true }]);
    arrive();
    assert.notEqual((await retried).error?.code, "load");
    assert.deepEqual(agent.getSnapshot().state, { edited: true });
    assert.equal(agent.getSnapshot().messages[0].content, "hello");
    agent.dispose();
  });
});
