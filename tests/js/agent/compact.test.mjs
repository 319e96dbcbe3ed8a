import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { isDeepStrictEqual } from "node:util";
import { compactEvents as official } from "@ag-ui/client";
import { build } from "esbuild";
import { folder, load, real } from "../lib.mjs";

const { createAgent, compactEvents } = await load("index");
const { compactEvents: compactSlim } = await load("slim");

const start = { type: "RUN_STARTED", threadId: "t", runId: "r" };
const end = { type: "RUN_FINISHED", threadId: "t", runId: "r" };
const content = (messageId, delta, more) => ({ type: "TEXT_MESSAGE_CONTENT", messageId, delta, ...more });

/** The agent's snapshot after these events, except for times. */
async function shown(events, options = {}) {
  const body = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
  const fetch = async () => new Response(body, { headers: { "content-type": "text/event-stream" } });
  const agent = createAgent({ url: "http://localhost/", threadId: "t", notify: "sync", fetch, ...options });
  await agent.submit({ message: { id: "u", role: "user", content: "go" }, runId: "r" });
  const { messages, toolCalls, state, outcome, interrupts, subagents, steps, usage, error } = agent.getSnapshot();
  agent.dispose();
  const untimed = (key, value) => (/durationMs$/i.test(key) ? undefined : value);
  return JSON.parse(
    JSON.stringify({ messages, toolCalls, state, outcome, interrupts, subagents, steps, usage, error }, untimed),
  );
}

/** The recordings that are event streams of one run which did not fail. */
const recordings = (() => {
  const corpus = new URL("../../fixtures/corpus/", import.meta.url);
  const names = readdirSync(corpus, { recursive: true }).filter((name) => name.endsWith(".sse"));
  const read = (name) => {
    const frames = readFileSync(new URL(name, corpus), "utf8").split(/\r?\n\r?\n/);
    const data = frames.filter((frame) => frame.startsWith("data: ")).map((frame) => frame.slice(6));
    try {
      return data.map((text) => JSON.parse(text));
    } catch {
      return [];
    }
  };
  return names
    .map((name) => ({ name, events: read(name) }))
    .filter(({ events }) => events[0]?.type === "RUN_STARTED" && events.at(-1)?.type === "RUN_FINISHED")
    .filter(({ events }) => events.filter(({ type }) => type === "RUN_STARTED").length === 1);
})();

describe("compactEvents", { skip: !real && "needs the real core" }, () => {
  it("joins what belongs together and leaves the rest in order", async () => {
    const events = [
      start,
      { type: "STATE_SNAPSHOT", snapshot: { n: 1 } },
      { type: "TEXT_MESSAGE_START", messageId: "a", timestamp: 1 },
      content("a", "Hel", { timestamp: 2, metadata: { k: 1 }, rawEvent: { provider: "x" } }),
      { type: "CUSTOM", name: "note", value: null },
      { type: "TOOL_CALL_START", toolCallId: "c", toolCallName: "f" },
      { type: "STATE_DELTA", delta: [{ op: "replace", path: "/n", value: 2 }] },
      content("a", "lo", { timestamp: 3, metadata: { l: 2 } }),
      { type: "TOOL_CALL_ARGS", toolCallId: "c", delta: "{" },
      { type: "TOOL_CALL_ARGS", toolCallId: "c", delta: "}" },
      { type: "TOOL_CALL_END", toolCallId: "c" },
      { type: "TEXT_MESSAGE_END", messageId: "a" },
      { type: "TEXT_MESSAGE_CHUNK", messageId: "b", delta: "x" },
      { type: "TEXT_MESSAGE_CHUNK", delta: "y" },
      end,
    ];
    const shorter = [
      start,
      { type: "STATE_SNAPSHOT", snapshot: { n: 2 } },
      { type: "TEXT_MESSAGE_START", messageId: "a", timestamp: 1 },
      content("a", "Hello", { timestamp: 2, metadata: { k: 1, l: 2 } }),
      { type: "CUSTOM", name: "note", value: null },
      { type: "TOOL_CALL_START", toolCallId: "c", toolCallName: "f" },
      { type: "TOOL_CALL_ARGS", toolCallId: "c", delta: "{}" },
      { type: "TOOL_CALL_END", toolCallId: "c" },
      { type: "TEXT_MESSAGE_END", messageId: "a" },
      { type: "TEXT_MESSAGE_CHUNK", messageId: "b", delta: "xy" },
      end,
    ];
    assert.deepEqual(await compactEvents(events), shorter);
    assert.deepEqual(await compactEvents(new Set(events)), shorter, "of anything that can be gone through");
    assert.deepEqual(await compactEvents([]), []);
  });

  it("keeps an interrupted run replayable", async () => {
    const error = { type: "RUN_ERROR", message: "boom" };
    const open = [start, { type: "TEXT_MESSAGE_START", messageId: "a" }, content("a", "x"), content("a", "y"), error];
    const shorter = await compactEvents(open);
    assert.deepEqual(shorter.map(({ type }) => type), ["RUN_STARTED", "TEXT_MESSAGE_START", "TEXT_MESSAGE_CONTENT", "RUN_ERROR"]);
    assert.deepEqual(await shown(shorter, { rules: "strict" }), await shown(open, { rules: "strict" }));
  });

  it("keeps numbers, halves of surrogate pairs and strange keys", async () => {
    const strange = JSON.parse('{"__proto__":{"a":1e-7},"n":9007199254740993,"\\udbfe\\udc00":"\\ud83d"}');
    const events = [
      start,
      { type: "STATE_SNAPSHOT", snapshot: strange },
      { type: "STATE_DELTA", delta: [{ op: "add", path: "/__proto__/b", value: "\u{10F800}" }] },
      { type: "TEXT_MESSAGE_START", messageId: "a" },
      content("a", "\ud83d", { metadata: strange }),
      content("a", "\ude42"),
      { type: "RAW", event: strange, rawEvent: undefined },
    ];
    const [, state, , text, raw, ...none] = await compactEvents(events);
    assert.equal(none.length, 0);
    assert.equal(text.delta, "🙂");
    assert.deepEqual(raw, { type: "RAW", event: strange });
    assert.ok(Object.hasOwn(state.snapshot, "__proto__"));
    assert.deepEqual(Object.getOwnPropertyDescriptor(state.snapshot, "__proto__")?.value, { a: 1e-7, b: "\u{10F800}" });
    assert.deepEqual(text.metadata, strange);
  });

  it("rejects what is no JSON", async () => {
    const round = { type: "CUSTOM", name: "round" };
    round.value = round;
    await assert.rejects(compactEvents([round]), { name: "AgentError", kind: "unsupported", code: "input" });
  });

  it("takes the source of the core in slim", async () => {
    const wasm = readFileSync(new URL("full.wasm", folder));
    const opener = [start, { type: "TEXT_MESSAGE_START", messageId: "a" }];
    assert.deepEqual(await compactSlim([...opener, content("a", "x"), content("a", "y")], { wasm }), [
      ...opener,
      content("a", "xy"),
    ]);
  });

  it("weighs nothing where nobody calls it", async () => {
    const bundle = async (code) => {
      const stdin = { contents: code, resolveDir: fileURLToPath(folder) };
      const { outputFiles } = await build({ stdin, bundle: true, format: "esm", write: false, external: ["*/bytes.js"] });
      return outputFiles[0].text.includes("could not be compacted");
    };
    assert.ok(await bundle('export { compactEvents } from "./index.js";'));
    assert.ok(!(await bundle('export { createAgent } from "./index.js";')));
  });

  it("shows what the official client's shorter list shows, where that is well formed", async () => {
    const different = new Set();
    let compared = 0;
    for (const { name, events } of recordings) {
      const whole = await shown(events, { rules: "strict" });
      if (whole.error) continue;
      assert.deepEqual(await shown(await compactEvents(events), { rules: "strict" }), whole, name);
      const theirs = await shown(quietly(() => official(structuredClone(events))));
      if (!isDeepStrictEqual(theirs, whole)) different.add(name.replace(/.*\/(.*)\.sse/, "$1"));
      compared++;
    }
    assert.ok(compared > 80, `${compared} recordings`);
    assert.deepEqual(different, new Set(Object.keys(weaknesses)));
  });
});

/** Recordings that the official client's shorter list does not replay, and why. */
const weaknesses = {
  parallel_tools: "calls swap places if they end in another order",
  subagents: "what comes inside of a message or call is moved after it",
  proto_keys: "a patch of a member called __proto__ is left out",
};

/** The official client reports patches that fail. */
function quietly(work) {
  const { warn } = console;
  console.warn = () => {};
  try {
    return work();
  } finally {
    console.warn = warn;
  }
}
