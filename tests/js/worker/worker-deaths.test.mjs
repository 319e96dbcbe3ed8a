// Workers that end: with an error, without a word, or before they have said anything. Over the built core; the worker's script
// runs in this thread.

import assert from "node:assert/strict";
import { createElement } from "react";
import { renderToString } from "react-dom/server";
import { afterEach, beforeEach, describe, it, mock } from "node:test";
import { carried, deferred, load, real, storeOf, until } from "../lib.mjs";
import { localWorkers } from "../thread.mjs";

const { createWorkerAgentWith } = await load("worker/agent");
const { scriptedAgent, text, toolCall } = await load("testing");

const texts = (agent) => agent.getSnapshot().messages.filter(({ role }) => role !== "tool").map(({ content }) => content ?? "");
const phase = (agent) => agent.getSnapshot().toolCalls[0]?.phase;

describe("a worker that ends", { skip: !real && "the core is a stand-in" }, () => {
  let core, workers, server, agents;
  beforeEach(async () => {
    core = await carried();
    workers = await localWorkers(core);
    server = scriptedAgent();
    agents = [];
  });
  afterEach(() => {
    mock.timers.reset();
    for (const agent of agents) agent.dispose();
  });
  const create = (options = {}, spawn = workers.spawn) => {
    const agent = createWorkerAgentWith(core, spawn, undefined, { url: "http://host/agent", fetch: server.fetch, notify: "sync", ...options });
    agents.push(agent);
    return agent;
  };
  const die = (number = workers.all.length - 1) => workers.all[number].crash("out of memory");
  /** An agent that has run once, and whose worker has nothing more to say. */
  const used = async (options, ...steps) => {
    const agent = create(options);
    server.reply(...steps);
    const { outcome } = await agent.submit("1");
    await until(() => agent.save().runId);
    return { agent, outcome };
  };
  const adding = (execute = mock.fn(({ a }) => a + 1)) => ({ name: "add", description: "adds", parameters: {}, execute, needsApproval: true });

  it("while an agent is idle is no error, and the next run has another one", async () => {
    const failed = mock.fn();
    const { agent } = await used({ onError: failed }, text("one"));
    const before = agent.getSnapshot();
    die();
    assert.equal(agent.getSnapshot(), before);
    server.reply(text("two"));
    assert.equal((await agent.submit("2")).outcome, "success");
    assert.deepEqual(texts(agent), ["1", "one", "2", "two"]);
    assert.deepEqual([failed.mock.callCount(), workers.all.length], [0, 2]);
  });

  it("is an error only for the agent that has a run", async () => {
    const { agent: idle } = await used({}, text("one"));
    const busy = create();
    server.open(text("half"));
    const run = busy.submit("2");
    await until(() => texts(busy).at(-1) === "half");
    assert.equal(workers.all.length, 1);
    die();
    const { outcome, error } = await run;
    assert.deepEqual([outcome, error.kind, error.retryable], ["error", "internal", true]);
    assert.deepEqual([busy, idle].map((agent) => agent.getSnapshot().status), ["error", "idle"]);
    assert.deepEqual(texts(busy), ["2", "half"]);
  });

  it("does not take a call away that waits for approval", async () => {
    const tool = adding();
    const { agent } = await used({ tools: [tool] }, toolCall("add", { a: 1 }, "c"));
    assert.equal(phase(agent), "awaiting-approval");
    die();
    assert.equal(phase(agent), "awaiting-approval");
    server.reply(text("done"));
    agent.approve("c");
    await until(() => texts(agent).at(-1) === "done");
    assert.deepEqual([tool.execute.mock.callCount(), agent.getSnapshot().toolCalls[0].result], [1, 2]);
    assert.equal(server.requests.at(-1).input.messages.at(-1).content, "2");
  });

  it("does not take a decision away that it has not heard of, nor executes it twice", async () => {
    const tool = adding();
    const { agent } = await used({ tools: [tool] }, toolCall("add", { a: 1 }, "c"));
    server.reply(text("done"));
    agent.approve("c");
    die();
    await until(() => texts(agent).at(-1) === "done");
    assert.equal(tool.execute.mock.callCount(), 1);
    assert.equal(agent.getSnapshot().status, "idle");
  });

  it("does not take interrupts away: they are saved, and answered", async () => {
    const finished = ({ input: { threadId, runId } }) => ({
      type: "RUN_FINISHED",
      threadId,
      runId,
      outcome: { type: "interrupt", interrupts: [{ id: "i", reason: "confirmation" }] },
    });
    const { agent, outcome } = await used({}, text("sure?"), finished);
    assert.equal(outcome, "interrupted");
    die();
    assert.deepEqual(agent.save().interrupts.map(({ id }) => id), ["i"]);
    assert.deepEqual(agent.getSnapshot().interrupts.map(({ id }) => id), ["i"]);
    server.reply(text("done"));
    assert.equal((await agent.resume({ id: "i", payload: true })).outcome, "success");
    assert.deepEqual(server.requests.at(-1).input.resume, [{ interruptId: "i", status: "resolved", payload: true }]);
  });

  it("while a tool is executed: retry sends an answer to its call, and the tool does not run again", async () => {
    const execute = mock.fn(() => new Promise(() => {}));
    const agent = create({ tools: [{ ...adding(execute), needsApproval: false }] });
    server.reply(toolCall("add", { a: 1 }, "c"));
    const run = agent.submit("1");
    await until(() => execute.mock.callCount());
    await until(() => agent.save().handled?.includes("c"));
    die();
    assert.equal((await run).outcome, "error");
    server.reply(text("done"));
    assert.equal((await agent.retry()).outcome, "success");
    const { messages } = server.requests.at(-1).input;
    assert.deepEqual(messages.map(({ role }) => role), ["user", "assistant", "tool"]);
    assert.match(messages[2].error, /left before the tool had finished/);
    assert.equal(execute.mock.callCount(), 1);
  });

  for (const persist of [undefined, storeOf({ load: () => undefined, save() {}, clear() {} })])
    it(`keeps what was submitted after the run, ${persist ? "in the queue" : "in the thread"}`, async () => {
      const agent = create({ persist });
      server.open(text("half"));
      const run = agent.submit("1");
      await until(() => texts(agent).at(-1) === "half");
      const waits = agent.submit("2");
      await until(() => agent.getSnapshot().queue.length);
      await until(() => agent.save().queue.length);
      const late = agent.submit({ message: "3", runId: "late" });
      die();
      for (const promise of [run, waits, late]) assert.equal((await promise).outcome, "error");
      assert.deepEqual(texts(agent), persist ? ["1", "half"] : ["1", "half", "2", "3"]);
      server.reply(text("two"));
      if (persist) {
        assert.deepEqual(agent.getSnapshot().queue.map(({ messages }) => messages[0].content), ["2", "3"]);
        assert.deepEqual(agent.save().queue.map(({ messages }) => messages[0].content), ["2", "3"]);
      } else {
        assert.equal((await agent.retry()).outcome, "success");
        assert.deepEqual(server.requests.at(-1).input.messages.map(({ content }) => content), ["1", "half", "2", "3"]);
      }
    });

  it("with the body of a run open that has said its end: nothing more comes from there", async () => {
    const agent = create();
    server.open(text("half"));
    const run = agent.submit("1");
    await until(() => texts(agent).at(-1) === "half");
    server.send(({ input: { threadId, runId } }) => ({ type: "RUN_FINISHED", threadId, runId }));
    await until(() => !agent.getSnapshot().isLoading);
    die();
    assert.equal((await run).outcome, "disconnected");
    assert.deepEqual([texts(agent), agent.getSnapshot().connection.phase], [["1", "half"], "closed"]);
  });

  it("does not take what waits for interrupts away: it is edited, cancelled, and settles", async () => {
    const ask = ({ input: { threadId, runId } }) => ({
      type: "RUN_FINISHED",
      threadId,
      runId,
      outcome: { type: "interrupt", interrupts: ["i", "j"].map((id) => ({ id, reason: "confirmation" })) },
    });
    const agent = create();
    server.open(text("sure?"));
    const first = agent.submit("1");
    await until(() => texts(agent).at(-1) === "sure?");
    const runs = ["2", "3", "4"].map((content) => agent.submit(content));
    await until(() => agent.getSnapshot().queue.length === 3);
    server.send(ask);
    server.end();
    assert.equal((await first).outcome, "interrupted");
    const reply = agent.resume({ id: "i", payload: 1 });
    await until(() => agent.getSnapshot().interrupts[0].answered);
    die();
    const [, three, four] = agent.getSnapshot().queue;
    assert.equal(agent.editQueued(three.id, "three"), true);
    assert.equal(agent.cancelQueued(four.id), true);
    assert.deepEqual(agent.getSnapshot().queue.map(({ messages }) => messages[0].content), ["2", "three"]);
    assert.equal((await runs[2]).outcome, "aborted");
    for (const answer of ["resumed", "two", "three!"]) server.reply(text(answer));
    const last = agent.resume({ id: "j", payload: 2 });
    assert.deepEqual((await Promise.all([reply, last, ...runs.slice(0, 2)])).map(({ outcome }) => outcome), Array(4).fill("success"));
    assert.deepEqual(server.requests[1].input.resume.map(({ payload }) => payload), [1, 2]);
    assert.deepEqual(texts(agent), ["1", "sure?", "resumed", "2", "two", "three", "three!"]);
  });

  for (const persist of [undefined, storeOf({ load: () => undefined, save() {}, clear() {} })])
    it(`does not show what waits without a message, ${persist ? "with a store" : "without one"}`, async () => {
      const agent = create({ persist });
      server.open(text("half"));
      const run = agent.submit("1");
      await until(() => texts(agent).at(-1) === "half");
      const again = [agent.regenerate(), agent.retry()];
      die();
      for (const promise of [run, ...again]) assert.equal((await promise).outcome, "error");
      assert.deepEqual(texts(agent), ["1", "half"]);
      assert.ok(agent.getSnapshot().queue.every(({ messages }) => Array.isArray(messages)));
      for (const answer of ["two", "three", "four"]) server.reply(text(answer));
      assert.equal((await agent.submit("2")).outcome, "success");
    });

  for (const persist of [undefined, storeOf({ load: () => undefined, save() {}, clear() {} })])
    it(`when the next run has just begun, which is then not begun again, ${persist ? "with a store" : "without one"}`, async () => {
      const agent = create({ persist });
      server.open(text("half"));
      const run = agent.submit("1");
      await until(() => texts(agent).at(-1) === "half");
      server.reply(text("two"));
      const off = agent.subscribe(() => {
        if (texts(agent).at(-1) !== "2") return;
        off();
        die();
      });
      const next = agent.submit({ message: "2", ifBusy: "replace" });
      for (const promise of [run, next]) assert.ok(["aborted", "error"].includes((await promise).outcome));
      assert.deepEqual(texts(agent), ["1", "half", "2"]);
      assert.deepEqual(agent.save().queue, []);
    });

  it("while arguments arrive: the next submit brings a result for that call", async () => {
    const agent = create({ tools: [adding()] });
    server.open({ type: "TOOL_CALL_START", toolCallId: "c", toolCallName: "add" }, { type: "TOOL_CALL_ARGS", toolCallId: "c", delta: "{" });
    const run = agent.submit("1");
    await until(() => agent.getSnapshot().toolCalls.length);
    die();
    assert.equal((await run).outcome, "error");
    server.reply(text("two"));
    assert.equal((await agent.submit("2")).outcome, "success");
    assert.deepEqual(server.requests.at(-1).input.messages.map(({ role, toolCallId }) => toolCallId ?? role), ["user", "assistant", "c", "user"]);
  });

  it("and no other one begins: the agent works in the page", async () => {
    const warned = [];
    let refused = false;
    const spawn = () => {
      if (refused) throw new Error("refused");
      return workers.spawn();
    };
    const agent = create({ onWarning: ({ code }) => warned.push(code) }, spawn);
    server.reply(text("one"));
    await agent.submit("1");
    await until(() => agent.save().runId);
    die();
    refused = true;
    server.reply(text("two"));
    assert.equal((await agent.submit("2")).outcome, "success");
    assert.deepEqual([texts(agent), warned], [["1", "one", "2", "two"], ["worker-unavailable"]]);
  });

  it("while a stop is on its way: the run is aborted", async () => {
    const failed = mock.fn();
    const agent = create({ onError: failed });
    server.open(text("half"));
    const run = agent.submit("1");
    await until(() => texts(agent).at(-1) === "half");
    const stopped = agent.stop();
    die();
    await stopped;
    assert.equal((await run).outcome, "aborted");
    assert.deepEqual([agent.getSnapshot().status, agent.getSnapshot().outcome, failed.mock.callCount()], ["idle", "aborted", 0]);
  });

  it("after disconnect() is no error, and attach() joins the run that was left", async () => {
    const failed = mock.fn();
    const agent = create({ onError: failed, resume: { by: "replay", url: "http://host/join" } });
    server.open(text("half"));
    const run = agent.submit({ message: "1", runId: "r" });
    await until(() => texts(agent).at(-1) === "half");
    await agent.disconnect();
    assert.equal((await run).outcome, "disconnected");
    await until(() => agent.save().runId);
    const before = agent.getSnapshot();
    die();
    assert.equal(agent.getSnapshot(), before);
    server.reply(text("whole"));
    assert.equal((await agent.attach()).outcome, "success");
    assert.match(server.requests[1].url, /join/);
    assert.equal(texts(agent).at(-1), "whole");
    assert.deepEqual([agent.getSnapshot().status, failed.mock.callCount()], ["idle", 0]);
  });

  it("again and again over the same decision does not begin others for ever", async () => {
    const tool = adding();
    const { agent } = await used({ tools: [tool] }, toolCall("add", { a: 1 }, "c"));
    agent.approve("c");
    for (const number of [0, 1]) {
      await until(() => workers.all[number]?.ports.length);
      die(number);
    }
    for (let i = 0; i < 20; i++) await new Promise(setImmediate);
    assert.deepEqual([workers.all.length, phase(agent), agent.getSnapshot().status], [2, "awaiting-approval", "idle"]);
    server.reply(text("done"));
    agent.approve("c");
    await until(() => texts(agent).at(-1) === "done");
    assert.equal(tool.execute.mock.callCount(), 1);
  });

  describe("without a word", () => {
    /** Ends the last worker as `terminate()` and `close()` do. */
    const vanish = () => workers.all.at(-1).terminate();

    it("is noticed at once, by the lock that it held", async () => {
      const { navigator } = globalThis;
      // The worker's request comes first, and is held until the test lets it go; the page's waits for it.
      const held = [];
      const locks = {
        request: async (name, granted) => {
          const before = held.findLast((other) => other.name === name);
          const end = deferred();
          held.push({ name, end });
          await before?.end.promise;
          return granted({ name });
        },
      };
      Object.defineProperty(globalThis, "navigator", { value: { locks }, configurable: true, writable: true });
      globalThis.WorkerGlobalScope = class {};
      try {
        const agent = create();
        server.open(text("half"));
        const run = agent.submit("1");
        await until(() => texts(agent).at(-1) === "half");
        assert.equal(new Set(held.map(({ name }) => name)).size, 1);
        assert.equal(held.length, 2);
        vanish();
        held[0].end.resolve();
        assert.equal((await run).outcome, "error");
        server.reply(text("two"));
        assert.equal((await agent.retry()).outcome, "success");
      } finally {
        Object.defineProperty(globalThis, "navigator", { value: navigator, configurable: true, writable: true });
        delete globalThis.WorkerGlobalScope;
      }
    });

    it("is noticed by its silence where there are no locks, and only where something is waited for", async () => {
      mock.timers.enable({ apis: ["setInterval"] });
      const failed = mock.fn();
      const { agent } = await used({ onError: failed }, text("one"));
      vanish();
      for (let n = 0; n < 20; n++) mock.timers.tick(5000);
      assert.deepEqual([agent.getSnapshot().status, workers.all.length], ["idle", 1]);
      const run = agent.submit("2");
      const stopped = agent.submit("3");
      for (let n = 0; n < 6; n++) mock.timers.tick(5000);
      assert.deepEqual((await Promise.all([run, stopped])).map(({ outcome }) => outcome), ["error", "error"]);
      server.reply(text("two"));
      assert.equal((await agent.retry()).outcome, "success");
      assert.deepEqual(texts(agent).slice(0, 3), ["1", "one", "2"]);
    });

    it("without a word: what was said after a stop that it has not heard of stays in the thread", async () => {
      mock.timers.enable({ apis: ["setInterval"] });
      const agent = create({ resume: { by: "run-url", url: (id) => `/runs/${id}` } });
      server.open(text("half"));
      const runs = [agent.submit("1")];
      await until(() => texts(agent).at(-1) === "half");
      vanish();
      runs.push(agent.submit("2"), agent.stop(), agent.submit("3"), agent.attach());
      agent.setMessages((messages) => [...messages, { id: "e", role: "user", content: "5" }]);
      for (let n = 0; n < 6; n++) mock.timers.tick(5000);
      await Promise.all(runs);
      const said = () => texts(agent).filter((text) => /^\d$/.test(text));
      assert.deepEqual(said(), ["1", "3", "5", "2"]);
      server.reply(text("four"));
      assert.equal((await agent.submit("4")).outcome, "success");
      assert.deepEqual(said(), ["1", "3", "5", "2", "4"]);
    });

    it("while stop() waits: that settles too", async () => {
      mock.timers.enable({ apis: ["setInterval"] });
      const agent = create();
      server.open(text("half"));
      const run = agent.submit("1");
      await until(() => texts(agent).at(-1) === "half");
      vanish();
      const stopped = agent.stop();
      for (let n = 0; n < 6; n++) mock.timers.tick(5000);
      await stopped;
      assert.equal((await run).outcome, "aborted");
    });

    it("is not taken for one that is at work for long and answers", async () => {
      mock.timers.enable({ apis: ["setInterval"] });
      const agent = create();
      server.open(text("half"));
      const run = agent.submit("1");
      await until(() => texts(agent).at(-1) === "half");
      for (let n = 0; n < 20; n++) {
        mock.timers.tick(5000);
        for (let i = 0; i < 5; i++) await new Promise(setImmediate);
      }
      assert.equal(agent.getSnapshot().isLoading, true);
      server.send(text("rest"), ({ input: { threadId, runId } }) => ({ type: "RUN_FINISHED", threadId, runId }));
      server.end();
      assert.equal((await run).outcome, "success");
    });
  });

  it("is what only the entry for it takes: the others say so", async () => {
    const { AgentError } = await load("api/error");
    const [{ createAgent }, { useAgent }] = await Promise.all(["index", "react"].map(load));
    for (const make of [createAgent, (options) => renderToString(createElement(() => (useAgent(options), null)))]) {
      assert.throws(
        () => make({ url: "/", worker: true }),
        (error) => AgentError.is(error) && error.code === "worker" && error.message.includes("ag-ui-wasm/worker"),
      );
      make({ url: "/", worker: false });
    }
  });

  it("that says nothing at first is given up in time; the agent works in the page", async () => {
    mock.timers.enable({ apis: ["setTimeout"] });
    const warned = [];
    const silent = { postMessage() {}, terminate: mock.fn() };
    const agent = create({ workerStartMs: 2000, onWarning: (warning) => warned.push(warning) }, () => silent);
    server.reply(text("one"));
    const run = agent.submit("1");
    await new Promise(setImmediate);
    // A script that is not ours says something else.
    silent.onmessage({ data: "hello" });
    silent.onmessage({ data: undefined });
    mock.timers.tick(1999);
    assert.equal(silent.terminate.mock.callCount(), 0);
    mock.timers.tick(1);
    mock.timers.reset();
    assert.equal((await run).outcome, "success");
    assert.deepEqual([warned.map(({ code }) => code), silent.terminate.mock.callCount()], [["worker-unavailable"], 1]);
    assert.match(warned[0].message, /nothing for 2000 ms/);
  });

  it("is one for all agents, also where each has a function of its own", async () => {
    const spawn = mock.fn(workers.spawn);
    const never = () => assert.fail("an entry's own script is not asked for");
    const many = Array.from({ length: 5 }, () => create({ worker: () => spawn() }, never));
    for (const agent of many) server.reply(text("one"));
    await Promise.all(many.map((agent) => agent.submit("1")));
    assert.equal(spawn.mock.callCount(), 1);
  });

  it("of a function that fails does not keep another agent from its own", async () => {
    const entry = () => workers.spawn();
    const warned = mock.fn();
    const broken = () => {
      const worker = workers.spawn();
      worker.terminate();
      setImmediate(() => worker.onerror({}));
      return worker;
    };
    const one = create({ worker: broken, onWarning: warned }, entry);
    const two = create({ onWarning: () => assert.fail("it has a worker") }, entry);
    for (let n = 0; n < 2; n++) server.reply(text("one"));
    const runs = [one.submit("1"), two.submit("1")];
    assert.deepEqual((await Promise.all(runs)).map(({ outcome }) => outcome), ["success", "success"]);
  });
});
