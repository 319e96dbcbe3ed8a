import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { load, real, storeOf, until } from "../lib.mjs";

const { createAgent } = await load("index");

const count = 200_000;
const frame = (event) => `data: ${JSON.stringify(event)}\n\n`;
const deltas = Array.from({ length: count }, (_, at) => `${at} `);
const frames = [
  frame({ type: "RUN_STARTED", threadId: "t", runId: "r" }),
  frame({ type: "TEXT_MESSAGE_START", messageId: "m", role: "assistant" }),
  ...deltas.map((delta) => frame({ type: "TEXT_MESSAGE_CONTENT", messageId: "m", delta })),
  frame({ type: "TEXT_MESSAGE_END", messageId: "m" }),
  frame({ type: "RUN_FINISHED", threadId: "t", runId: "r" }),
];
const text = deltas.join("");

/** An agent whose server sends `reads` at once. */
function burst(reads) {
  const body = () =>
    new ReadableStream({
      start(controller) {
        for (const read of reads) controller.enqueue(new TextEncoder().encode(read));
        controller.close();
      },
    });
  const fetch = async () => new Response(body(), { headers: { "content-type": "text/event-stream" } });
  return createAgent({ url: "http://agent.test/", fetch });
}

const said = (agent) => agent.getSnapshot().messages.find(({ role }) => role === "assistant")?.content ?? "";

/** Calls back whenever the event loop has turned, until told to stop. */
function eachTurn(callback) {
  let timer = setTimeout(function again () {
    timer = setTimeout(again);
    callback();
  });
  return () => clearTimeout(timer);
}

/** Counts how often something happens, and in how many turns of the event loop. */
function tally() {
  const counted = { times: 0, turns: 0 };
  let turn = false;
  const count = () => {
    counted.times++;
    if (turn) return;
    turn = true;
    counted.turns++;
    setImmediate(() => (turn = false));
  };
  return { counted, count };
}

const inReads = (size) => Array.from({ length: Math.ceil(frames.length / size) }, (_, at) => frames.slice(at * size, (at + 1) * size).join(""));

describe("a burst that has come at once", { skip: !real && "the core is a stand-in" }, () => {
  for (const [name, reads] of [["in one read", [frames.join("")]], ["in many reads", inReads(500)]]) {
    it(`leaves the page its turn, ${name}`, async () => {
      const agent = burst(reads);
      let turns = 0;
      agent.on("event", () => {}); // Makes each event cost what it may cost.
      const quiet = eachTurn(() => {
        const { length } = said(agent);
        if (length > 0 && length < text.length) turns++;
      });
      const { outcome } = await agent.submit("go");
      quiet();
      assert.equal(outcome, "success");
      assert.equal(said(agent), text);
      assert.ok(turns > 1, `the page had ${turns} turns while it was read`);
      agent.dispose();
    });

    it(`can be stopped in the middle, ${name}`, async () => {
      const agent = burst(reads);
      agent.on("event", () => {});
      const quiet = eachTurn(() => said(agent) && agent.stop());
      const { outcome } = await agent.submit("go");
      quiet();
      assert.equal(outcome, "aborted");
      const shown = said(agent);
      assert.ok(shown.length > 0 && shown.length < text.length, `${shown.length} of ${text.length} characters`);
      assert.ok(text.startsWith(shown));
      await new Promise((done) => setTimeout(done));
      assert.equal(said(agent), shown, "what waited is dropped");
      agent.dispose();
    });
  }
});

describe("a burst of calls of the page", { skip: !real && "the core is a stand-in" }, () => {
  const calls = 1000;
  const events = (name) => [
    { type: "RUN_STARTED", threadId: "t", runId: "r" },
    ...Array.from({ length: calls }, (_, at) => [
      { type: "TOOL_CALL_START", toolCallId: `c${at}`, toolCallName: name, parentMessageId: "m" },
      { type: "TOOL_CALL_END", toolCallId: `c${at}` },
    ]).flat(),
    { type: "RUN_FINISHED", threadId: "t", runId: "r" },
  ];
  const tools = [
    { name: "quick", description: "d", execute: () => 1, followUp: false },
    { name: "asked", description: "d", execute: () => 1, needsApproval: true },
    { name: "perhaps", description: "d", execute: () => 1, needsApproval: () => true },
  ];

  it("changes the lists, and is saved, much less often than once a call", async () => {
    for (const { name } of tools) {
      const bytes = new TextEncoder().encode(events(name).map(frame).join(""));
      const fetch = async () => new Response(bytes, { headers: { "content-type": "text/event-stream" } });
      const saves = tally();
      const changes = tally();
      const persist = storeOf({ load() {}, save: () => saves.count(), clear() {} });
      const agent = createAgent({ url: "http://agent.test/", fetch, tools, persist });
      agent.subscribe(changes.count);
      await agent.submit("go");
      const phase = name === "quick" ? "output-available" : "awaiting-approval";
      const reached = () => agent.getSnapshot().toolCalls.filter((call) => call.phase === phase).length;
      await until(() => reached() === calls, `calls of ${name} are ${phase}`);
      // A slow machine takes more turns for them; each may show and save a few times.
      for (const [what, { times, turns }] of Object.entries({ changes: changes.counted, saves: saves.counted })) {
        assert.ok(times <= 10 * turns && (times < calls / 2 || turns > calls / 10), `${times} ${what} in ${turns} turns: ${name}`);
      }
      agent.dispose();
    }
  });
});
