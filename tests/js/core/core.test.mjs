import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { load, real } from "../lib.mjs";

const { initialSnapshot } = await load("snapshot/initial");
const { applyPatch } = await load("snapshot/mirror");
const { createAgent } = await load("index");

const call = (id, args) => ({ id, type: "function", function: { name: "look", arguments: args } });
const messages = [
  { id: "s", role: "system", content: "be kind", name: "boss" },
  { id: "u", role: "user", content: [{ type: "text", text: "a" }, { type: "image", source: { type: "url", value: "/a.png" } }] },
  { id: "m", role: "assistant", content: "b", toolCalls: [call("1", `{"q":{"__proto__":1}}`), call("2", "[1]"), call("3", "")], metadata: { a: null } },
  { id: "r1", role: "tool", toolCallId: "1", content: `{"found":9007199254740993}` },
  { id: "r2", role: "tool", toolCallId: "2", content: "broken", error: "really" },
  { id: "n", role: "assistant", content: "c", delivery: "streaming", reasoning: "hm", reasoningDurationMs: 5 },
  { id: "o", role: "reasoning", content: "d", durationMs: 7, delivery: "error" },
  { id: "p", role: "activity", activityType: "PLAN", content: { steps: [] } },
];

it("reads a save that was made before it was there", { skip: !real }, async () => {
  const first = createAgent({ url: "http://localhost/" });
  first.setMessages([{ id: "u", role: "user", content: "a" }]);
  const errors = [];
  const onError = ({ code }) => errors.push(code);
  const fetch = async () => new Response("no", { status: 500 });
  const second = createAgent({ url: "http://localhost/", fetch, restore: first.save(), onError });
  await second.submit("b");
  assert.deepEqual(second.getSnapshot().messages.map(({ content }) => content), ["a", "b"]);
  assert.ok(!errors.includes("restore"));
});

describe("the first snapshot and the core's idea of it", { skip: !real && "the core is a stand-in" }, () => {
  let CoreSession;
  before(async () => {
    // The easiest way to a loaded core.
    const agent = createAgent({ url: "http://localhost/", fetch: async () => new Response("no", { status: 500 }) });
    await agent.submit("a");
    ({ CoreSession } = await load("glue/core"));
  });

  const options = JSON.stringify({ threadId: "t" });
  const patched = (messages, state) => {
    const session = new CoreSession(options, JSON.stringify(messages), JSON.stringify(state));
    const patch = session.takePatch();
    session.free();
    return applyPatch(initialSnapshot("t", [], state), patch ?? "[]");
  };

  it("are the same", () => {
    const state = { rows: [{ n: 1 }], constructor: 1 };
    assert.deepEqual(patched(messages, state), initialSnapshot("t", messages, state));
    assert.deepEqual(patched([], {}), initialSnapshot("t"));
  });

  it("are the same for what an earlier snapshot has left", () => {
    const saved = JSON.parse(JSON.stringify(initialSnapshot("t", messages).messages));
    assert.deepEqual(patched(saved, {}), initialSnapshot("t", saved));
  });
});
