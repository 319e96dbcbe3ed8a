// A core that traps at the moment that the test says: nothing that was called before is lost, whatever was shown of it. Over the built core.

import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it } from "node:test";
import { carried, load, real, storeOf, until } from "../lib.mjs";
import { localWorkers } from "../thread.mjs";

const { createAgentWith } = await load("agent/agent");
const headers = { "content-type": "text/event-stream" };
const user = (id) => ({ id, role: "user", content: id });
const ids = (agent) => agent.getSnapshot().messages.map(({ id }) => id);

describe("before it is shown, where the core traps,", { skip: !real && "the core is a stand-in" }, () => {
  let core, traps, skips, agents, asked, sent, signals;
  beforeEach(async () => {
    const loaded = await (await carried())();
    const at = (session, name) => {
      const value = session[name];
      if (typeof value !== "function") return value;
      return (...args) => {
        if (![name, `${name} ${args[0]}`].includes(traps) || skips-- > 0) return value.apply(session, args);
        traps = undefined;
        throw new WebAssembly.RuntimeError("unreachable");
      };
    };
    core = async () => ({
      CoreSession: function CoreSession (...args) {
        return new Proxy(new loaded.CoreSession(...args), { get: at });
      },
    });
    [traps, skips, agents, asked, sent, signals] = [undefined, 0, [], 0, [], []];
  });
  afterEach(() => agents.forEach((agent) => agent.dispose()));

  /** A server that begins to answer. */
  const fetch = async (_, { body, signal }) => {
    const { runId, messages } = JSON.parse(body);
    signals.push(signal);
    sent.push([asked, ...messages.map(({ id }) => id)]);
    const events = [{ type: "RUN_STARTED", threadId: "t", runId }, { type: "TEXT_MESSAGE_START", messageId: `of ${runId}`, role: "assistant" }];
    const text = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
    return new Response(new ReadableStream({ start: (controller) => controller.enqueue(new TextEncoder().encode(text)) }), { headers });
  };
  const open = (options, make = createAgentWith) => {
    const agent = make(core, { url: "http://host/", threadId: "t", notify: "sync", fetch, onError: () => {}, ...options });
    agents.push(agent);
    agent.subscribe(() => {});
    return agent;
  };
  const store = () => {
    const given = { load: () => given.now, save: (saved) => void (given.now = saved), clear() {} };
    return storeOf(given);
  };

  it("an edit stays, and is saved", async () => {
    const persist = store();
    const agent = open({ persist });
    const run = agent.submit({ message: user("1"), runId: "one" });
    await until(() => ids(agent).length === 2);
    traps = "takePatch";
    agent.setMessages((messages) => [...messages, user("edit")]);
    assert.equal((await run).outcome, "error");
    assert.deepEqual([traps, ids(agent)], [undefined, ["1", "of one", "edit"]]);
    assert.deepEqual(agent.save().messages.map(({ id }) => id), ["1", "of one", "edit"]);
  });

  it("a submit stays: in the thread, or in the queue of a store, after those that wait there", async () => {
    for (const persist of [undefined, store()]) {
      const agent = open({ persist });
      const run = agent.submit({ message: user("1"), runId: "one" });
      await until(() => ids(agent).length === 2);
      const waits = agent.submit({ message: user("2"), runId: "two" });
      traps = "takePatch";
      const late = agent.submit({ message: user("3"), runId: "three" });
      for (const result of await Promise.all([run, waits, late])) assert.equal(result.outcome, "error");
      const queue = agent.getSnapshot().queue.map(({ messages: [{ id }] }) => id);
      assert.deepEqual(queue, persist ? ["2", "3"] : []);
      assert.deepEqual([...ids(agent), ...queue].sort(), ["1", "2", "3", "of one"]);
    }
  });

  it("a submit that waits stays changed, or out of the queue", async () => {
    for (const persist of [undefined, store()]) {
      const agent = open({ persist });
      const run = agent.submit({ message: user("1"), runId: "one" });
      await until(() => ids(agent).length === 2);
      const [two, three] = [agent.submit({ message: user("2"), runId: "two" }), agent.submit({ message: user("3"), runId: "three" })];
      await until(() => agent.getSnapshot().queue.length === 2);
      // The row is looked for in what is shown by then.
      [traps, skips] = ["takePatch", 1];
      assert.equal(agent.editQueued("two", "other"), true);
      for (const result of await Promise.all([run, two, three])) assert.equal(result.outcome, "error");
      const left = ({ messages, queue }) => [...messages, ...queue.flatMap((row) => row.messages)].map(({ content }) => content);
      const expected = ["1", "", "other", "3"];
      assert.deepEqual(left(agent.getSnapshot()), expected);
      assert.deepEqual(left(agent.save()), expected);
      assert.equal(agent.getSnapshot().queue.length, persist ? 2 : 0);
      agent.dispose();
    }
    for (const at of [["takePatch", 1], ["effect", 0]]) {
      const agent = open({ persist: store() });
      const run = agent.submit({ message: user("1"), runId: "one" });
      await until(() => ids(agent).length === 2);
      const two = agent.submit({ message: user("2"), runId: "two" });
      await until(() => agent.getSnapshot().queue.length === 1);
      [traps, skips] = at;
      assert.equal(agent.cancelQueued("two"), true);
      await Promise.all([run, two]);
      assert.equal(agent.getSnapshot().status, "error");
      assert.deepEqual([agent.getSnapshot().queue, agent.save().queue], [[], []]);
      assert.deepEqual(ids(agent), ["1", "of one"]);
    }
  });

  it("a call that was begun is not begun once more, although the core traps again", async () => {
    let count = 0;
    const tools = [{ name: "count", description: "counts", execute: () => (count++, new Promise(() => {})) }];
    const call = { toolCallId: "c", parentMessageId: "m" };
    const calling = async (_, { body }) => {
      const run = { threadId: "t", runId: JSON.parse(body).runId };
      const start = { type: "TOOL_CALL_START", toolCallName: "count", ...call };
      const events = [{ type: "RUN_STARTED", ...run }, start, { type: "TOOL_CALL_END", ...call }, { type: "RUN_FINISHED", ...run }];
      return new Response(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(""), { headers });
    };
    const agent = open({ tools, fetch: calling });
    const run = agent.submit({ message: user("1"), runId: "one" });
    await until(() => count);
    traps = "takePatch";
    agent.setState({ n: 1 });
    assert.equal((await run).outcome, "error");
    traps = "head";
    assert.equal((await agent.retry()).outcome, "error");
    await agent.retry();
    assert.equal(count, 1);
  });

  it("a submit that a worker has answered for, or has shown, stays", async () => {
    const { createWorkerAgentWith } = await load("worker/agent");
    for (const [name, skipped] of [["call guardCounters", 0], ["call guardCounters", 1], ["call record", 0], ["call record", 1], ["takePatch", 0], [
      "takePatch",
      1,
    ]]) {
      const workers = await localWorkers(core);
      const agent = open({}, (...given) => createWorkerAgentWith(given[0], workers.spawn, undefined, given[1]));
      const run = agent.submit({ message: user("1"), runId: "one" });
      await until(() => sent.length);
      [traps, skips] = [name, skipped];
      const waits = agent.submit({ message: user("2"), runId: "two" });
      assert.deepEqual((await Promise.all([run, waits])).map(({ outcome }) => outcome), ["error", "error"]);
      assert.deepEqual(ids(agent).filter((id) => /^\d$/.test(id)), ["1", "2"], `${name} ${skipped}`);
      sent.length = 0;
    }
  });

  it("what was said stays where the run is joined", async () => {
    const resume = { by: "replay", url: (id) => `http://host/${id}` };
    const agent = open({ persist: store(), resume });
    const run = agent.submit({ message: user("1"), runId: "one" });
    await until(() => ids(agent).length === 2);
    traps = "takePatch";
    agent.setMessages((messages) => [...messages, user("edit")]);
    assert.equal((await run).outcome, "error");
    const { runId, running, messages } = agent.save();
    assert.deepEqual([runId, running, messages.filter(({ role }) => role === "user").map(({ id }) => id)], ["one", true, ["1", "edit"]]);
  });

  it("a submit whose turn has come waits for the run that is joined", async () => {
    for (const at of [0, 1, 2, 3, 4, 5, 6]) {
      let end;
      const answer = async (_, { body }) => {
        const run = { threadId: "t", runId: JSON.parse(body).runId };
        const lines = (...types) => new TextEncoder().encode(types.map((type) => `data: ${JSON.stringify({ type, ...run })}\n\n`).join(""));
        const start = (controller) => {
          controller.enqueue(lines("RUN_STARTED"));
          end = () => (controller.enqueue(lines("RUN_FINISHED")), controller.close());
        };
        return new Response(new ReadableStream({ start }), { headers });
      };
      const agent = open({ persist: store(), resume: { by: "replay", url: (id) => `http://host/${id}` }, fetch: answer });
      void agent.submit({ message: user("1"), runId: "one" });
      await until(() => end);
      void agent.submit({ message: user("2"), runId: "two" });
      await until(() => agent.getSnapshot().queue.length);
      [traps, skips] = ["effect", at];
      end();
      await until(() => agent.getSnapshot().status === "error");
      const { runId, queue, messages } = agent.save();
      assert.deepEqual([runId, queue.map((row) => row.runId), messages.map(({ id }) => id)], ["one", ["two"], ["1"]]);
      assert.deepEqual([ids(agent), agent.getSnapshot().queue.map(({ id }) => id)], [["1"], ["two"]]);
    }
  });

  it("a run that had ended is not joined", async () => {
    const answer = ({ runId }) => [{ type: "RUN_STARTED", threadId: "t", runId }, { type: "RUN_FINISHED", threadId: "t", runId }];
    const whole = async (_, { body }) => new Response(answer(JSON.parse(body)).map((event) => `data: ${JSON.stringify(event)}\n\n`).join(""), { headers });
    const agent = open({ persist: store(), resume: { by: "replay", url: (id) => `http://host/${id}` }, fetch: whole });
    await agent.submit({ message: user("1"), runId: "one" });
    traps = "effect";
    assert.equal((await agent.submit({ message: user("2"), runId: "two" })).outcome, "error");
    const { runId, running, messages } = agent.save();
    assert.deepEqual([runId, running, messages.map(({ id }) => id)], [undefined, true, ["1", "2"]]);
  });

  it("the session ends its run, and sends nothing that waits for that", async () => {
    const agent = open({ persist: store() });
    const runs = [agent.submit({ message: user("1"), runId: "one" })];
    await until(() => ids(agent).length === 2);
    runs.push(agent.submit({ message: user("2"), runId: "two" }));
    traps = "takePatch";
    agent.setState({ n: 1 });
    await Promise.all(runs);
    assert.deepEqual(signals.map(({ aborted }) => aborted), [true]);
  });

  it("a save has what is shown then", async () => {
    const agent = open({ persist: store() });
    const run = agent.submit({ message: user("1"), runId: "one" });
    await until(() => ids(agent).length === 2);
    traps = "effect";
    const saved = agent.save();
    assert.equal((await run).outcome, "error");
    assert.deepEqual(saved, agent.save());
    assert.deepEqual(saved.messages.map(({ delivery }) => delivery), ["complete", "error"]);
  });

  it("a thread at its server is opened by the next submit, which waits for that", async () => {
    const load = async () => (asked++, { messages: [user("stored")] });
    traps = "head";
    const agent = open({ thread: { load } });
    await assert.rejects(agent.ready);
    assert.deepEqual([asked, agent.getSnapshot().thread.status], [1, "error"]);
    void agent.submit({ message: user("1"), runId: "one" });
    await until(() => sent.length);
    assert.deepEqual(sent, [[2, "stored", "1"]]);
  });
});
