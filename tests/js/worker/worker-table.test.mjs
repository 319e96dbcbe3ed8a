// The tables of the documents that say what is shown when: docs/snapshot.md, at once or a moment later; docs/tools.md, the phases of
// a call. Each row is played, over the built core.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, beforeEach, describe, it } from "node:test";
import { carried, load, real, until } from "../lib.mjs";
import { localWorkers } from "../thread.mjs";

const { createWorkerAgentWith } = await load("worker/agent");
const { scriptedAgent, text, toolCall } = await load("testing");

/** The rows of the first table of a document whose head has this cell. */
function table(file, head) {
  const lines = readFileSync(new URL(`../../../docs/${file}`, import.meta.url), "utf8").split("\n");
  const rows = lines.slice(lines.findIndex((line) => line.startsWith(`| ${head} |`)) + 2);
  return rows.slice(0, rows.findIndex((line) => !line.startsWith("|"))).map((line) => line.split("|").slice(1, -1).map((cell) => cell.trim()));
}
const texts = (agent) => agent.getSnapshot().messages.map(({ content }) => content ?? "");
const finished = ({ input: { threadId, runId } }) => ({ type: "RUN_FINISHED", threadId, runId });
const interrupted = (...ids) => ({ input: { threadId, runId } }) => ({
  ...{ type: "RUN_FINISHED", threadId, runId },
  outcome: { type: "interrupt", interrupts: ids.map((id) => ({ id, reason: "confirmation" })) },
});

describe("documents", { skip: !real && "the core is a stand-in" }, () => {
  let core, server, agent;
  const made = [];
  before(async () => {
    core = await carried();
  });
  after(() => made.forEach((agent) => agent.dispose()));
  beforeEach(async () => {
    server = scriptedAgent();
    const { spawn } = await localWorkers(core);
    const tools = [
      { name: "asked", description: "", parameters: {}, execute: () => 1, needsApproval: true },
      { name: "slow", description: "", parameters: {}, execute: () => new Promise(() => {}) },
      { name: "quick", description: "", parameters: {}, execute: () => 1, followUp: false },
      { name: "manual", description: "", parameters: {} },
    ];
    agent = createWorkerAgentWith(core, spawn, undefined, { url: "http://host/", fetch: server.fetch, notify: "sync", tools });
    made.push(agent);
    server.reply(text("one"));
    await agent.submit("1");
    await until(() => agent.save().runId);
  });
  const now = () => agent.getSnapshot();
  const running = async () => {
    server.open(text("half"));
    const run = agent.submit("2");
    await until(() => texts(agent).at(-1) === "half");
    return run;
  };
  const queued = async () => {
    const run = running();
    await until(() => texts(agent).at(-1) === "half");
    const waits = agent.submit("3");
    await until(() => now().queue.length);
    return { run, waits };
  };

  const shown = {
    "`submit`, nothing runs": async () => {
      server.reply(text("two"));
      const run = agent.submit({ message: "2", runId: "r" });
      assert.deepEqual([texts(agent).at(-1), now().isLoading, now().runId], ["2", true, "r"]);
      await run;
      assert.equal(texts(agent).at(-1), "two");
    },
    "`submit` during a run": async () => {
      void running();
      await until(() => texts(agent).at(-1) === "half");
      const before = now();
      void agent.submit("3");
      assert.equal(now(), before);
      await until(() => now().queue.length === 1);
    },
    "`submit` that the core refuses": async () => {
      const refused = agent.submit({ message: "2", replaces: "nobody" });
      assert.deepEqual([texts(agent).at(-1), now().isLoading], ["2", true]);
      await assert.rejects(refused, { code: "nothing-to-replace" });
      assert.deepEqual([texts(agent), now().isLoading], [["1", "one"], false]);
    },
    "`retry`, `regenerate`": async () => {
      server.open(text("half").slice(0, 2));
      const first = agent.regenerate();
      assert.deepEqual([now().isLoading, texts(agent)], [true, ["1", "one"]]);
      await until(() => texts(agent).join() === "1,half");
      await agent.stop();
      await first;
      server.reply(text("again"));
      const second = agent.retry();
      assert.deepEqual([now().isLoading, texts(agent)], [true, ["1", "half"]]);
      await until(() => texts(agent).join() === "1,again");
      await second;
    },
    "`disconnect`": async () => {
      void running();
      await until(() => texts(agent).at(-1) === "half");
      const before = now();
      const left = agent.disconnect();
      assert.equal(now(), before);
      await left;
      assert.equal(now().isLoading, false);
    },
    "`fork`": async () => {
      server.reply(text("two"));
      await agent.submit("2");
      agent.fork(agent.history.find(({ kind }) => kind === "run-finished"));
      assert.deepEqual(texts(agent), ["1", "one"]);
      const before = JSON.stringify(now());
      await agent.disconnect();
      assert.equal(JSON.stringify(now()), before);
    },
    "`dispose`": async () => {
      void running();
      await until(() => texts(agent).at(-1) === "half");
      agent.dispose();
      assert.deepEqual([now().isLoading, now().outcome], [false, "aborted"]);
      const before = now();
      for (let turn = 0; turn < 12; turn++) await new Promise(setImmediate);
      assert.equal(now(), before);
    },
    "`stop`": async () => {
      void running();
      await until(() => texts(agent).at(-1) === "half");
      const stopped = agent.stop();
      assert.deepEqual([now().isLoading, now().outcome], [false, "aborted"]);
      await stopped;
      assert.deepEqual([now().isLoading, now().outcome], [false, "aborted"]);
    },
    "`stop` with a queue": async () => {
      await queued();
      server.reply(text("three"));
      const before = now();
      void agent.stop();
      assert.deepEqual([now().isLoading, now().queue, now().messages], [true, before.queue, before.messages]);
      await until(() => texts(agent).at(-1) === "three");
    },
    "`cancelQueued`": async () => {
      const { waits } = await queued();
      assert.equal(agent.cancelQueued(now().queue[0].id), true);
      assert.deepEqual(now().queue, []);
      assert.equal((await waits).outcome, "aborted");
    },
    "`editQueued`": async () => {
      await queued();
      agent.editQueued(now().queue[0].id, "other");
      const edited = now().queue;
      assert.equal(edited[0].messages[0].content, "other");
      await until(() => now().queue !== edited);
      assert.deepEqual(now().queue, edited);
    },
    "`setMessages`, `setState`": async () => {
      agent.setMessages([{ id: "x", role: "user", content: "x" }]);
      agent.setState({ n: 1 });
      assert.deepEqual([texts(agent), now().state], [["x"], { n: 1 }]);
      const deep = JSON.parse(`${"[".repeat(600)}1${"]".repeat(600)}`);
      agent.setState({ deep });
      assert.deepEqual(now().state, { deep });
      await until(() => now().state.n === 1);
      assert.deepEqual(texts(agent), ["x"]);
    },
    "`reset`": async () => {
      agent.reset();
      assert.deepEqual([texts(agent), now().state, now().outcome], [[], {}, undefined]);
      const before = JSON.stringify(now());
      await agent.disconnect();
      assert.equal(JSON.stringify(now()), before);
    },
    "`approve`, `deny`, `addToolResult`": async () => {
      for (const [name, decide] of [
        ["asked", (id) => agent.approve(id)],
        ["asked", (id) => agent.deny(id)],
        ["manual", (toolCallId) => agent.addToolResult({ toolCallId, result: 1 })],
      ]) {
        server.reply(toolCall(name));
        await agent.submit("call");
        const before = now();
        const call = before.toolCalls.at(-1);
        server.reply(text("done"));
        decide(call.id);
        assert.equal(now(), before);
        await until(() => texts(agent).at(-1) === "done");
        assert.notEqual(now().toolCalls.find(({ id }) => id === call.id).phase, call.phase);
      }
    },
    "`resume` with one of several": async () => {
      server.reply(text("?"), interrupted("a", "b"));
      await agent.submit("ask");
      const before = now().interrupts;
      void agent.resume({ id: "a", payload: 1 });
      assert.equal(now().interrupts, before);
      await until(() => now().interrupts[0].answered === true);
    },
  };
  const rows = table("snapshot.md", "call");
  it("docs/snapshot.md: each row is played", () => assert.deepEqual(rows.map(([call]) => call).sort(), Object.keys(shown).sort()));
  for (const [call, play] of Object.entries(shown)) it(`docs/snapshot.md: ${call}`, play);

  it("docs/tools.md: the phases of a call, with their status", async () => {
    const seen = new Set();
    agent.subscribe(() => {
      for (const { phase, status } of now().toolCalls) seen.add(`\`${phase}\` \`${status}\``);
    });
    const play = async (name, ...rest) => {
      server.open(...toolCall(name, { a: 1 }, name).slice(0, 2));
      const run = agent.submit("call");
      await until(() => now().toolCalls.some(({ id }) => id === name));
      server.send(toolCall(name, {}, name)[2], ...rest);
      server.end();
      return run;
    };
    await play("server", { type: "TOOL_CALL_RESULT", messageId: "result", toolCallId: "server", content: "1" }, finished);
    await play("asked", finished);
    await play("manual", finished);
    await play("unanswered", finished);
    const slow = play("slow", finished);
    await until(() => [...seen].some((pair) => pair.includes("executing")));
    await agent.stop();
    await slow;
    await play("quick", finished);
    const documented = table("tools.md", "`phase`").map(([phase, status]) => `${phase} ${status}`);
    assert.deepEqual([...seen].sort(), documented.sort());
  });
});
