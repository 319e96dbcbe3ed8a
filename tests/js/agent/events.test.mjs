import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { load, real } from "../lib.mjs";

const { createAgent } = await load("index");

const frame = (event) => `data: ${JSON.stringify(event)}\n\n`;
const delta = (text) => ({ type: "TEXT_MESSAGE_CONTENT", messageId: "m", delta: text });
const events = [
  { type: "RUN_STARTED", threadId: "t", runId: "r" },
  { type: "TEXT_MESSAGE_START", messageId: "m", role: "assistant" },
  delta("Hel"),
  delta("lo"),
  { type: "CUSTOM", name: "n", value: 1 },
  delta("!"),
  { type: "TEXT_MESSAGE_END", messageId: "m" },
  { type: "RUN_FINISHED", threadId: "t", runId: "r" },
];
const make = (options = {}) => {
  const fetch = async () => new Response(events.map(frame).join(""), { headers: { "content-type": "text/event-stream" } });
  return createAgent({ url: "http://agent.test/", threadId: "t", fetch, ...options });
};
const said = (agent) => agent.getSnapshot().messages.at(-1).content;

describe("events by type", { skip: !real && "the core is a stand-in" }, () => {
  it("each listener gets the types that it asks for", async () => {
    const heard = { some: [], all: [], none: [], option: [] };
    const agent = make({ onEvent: ({ type }) => heard.option.push(type), eventTypes: ["RUN_FINISHED"] });
    agent.on("event", ({ type }) => heard.some.push(type), { types: ["CUSTOM", "TEXT_MESSAGE_END"] });
    agent.on("event", ({ type }) => heard.none.push(type), { types: [] });
    const off = agent.on("event", ({ type }) => heard.all.push(type));
    await agent.submit("go");
    assert.deepEqual(heard.all, events.map(({ type }) => type));
    off();
    heard.option.length = heard.some.length = 0;
    await agent.submit("again");
    assert.deepEqual(heard, { some: ["CUSTOM", "TEXT_MESSAGE_END"], all: events.map(({ type }) => type), none: [], option: ["RUN_FINISHED"] });
    agent.dispose();
  });

  it("deltas that are asked for come one by one, the others not at all", async () => {
    const heard = [];
    const agent = make();
    agent.on("event", (event) => heard.push(event.delta), { types: ["TEXT_MESSAGE_CONTENT"] });
    await agent.submit("go");
    assert.deepEqual([heard, said(agent)], [["Hel", "lo", "!"], "Hello!"]);
    agent.dispose();
  });

  it("eventTypes may change with setOptions", async () => {
    const heard = [];
    const agent = make({ onEvent: ({ type }) => heard.push(type), eventTypes: ["RUN_STARTED"] });
    await agent.submit("go");
    agent.setOptions({ url: "http://agent.test/", onEvent: ({ type }) => heard.push(`new ${type}`), eventTypes: ["CUSTOM"] });
    await agent.submit("again").catch(() => {});
    assert.deepEqual(heard.filter((type) => type.startsWith("new")).filter((type) => type !== "new CUSTOM"), []);
    assert.deepEqual(heard[0], "RUN_STARTED");
    agent.dispose();
  });
});

describe("flush", { skip: !real && "the core is a stand-in" }, () => {
  it("shows what came so far, and notifies once", async () => {
    const agent = make({ notify: { throttleMs: 60_000 } });
    const seen = [];
    let changes = 0;
    agent.subscribe(() => changes++);
    agent.on("event", () => {
      const before = changes;
      agent.flush();
      seen.push([said(agent), changes - before]);
      agent.flush();
      assert.equal(changes - before, 1, "nothing more to show");
    }, { types: ["CUSTOM"] });
    await agent.submit("go");
    const [[shown, changed], ...more] = seen;
    assert.match(shown, /^Hello/);
    assert.deepEqual([changed, more], [1, []]);
    assert.equal(said(agent), "Hello!");
    agent.dispose();
    agent.flush();
  });
});
