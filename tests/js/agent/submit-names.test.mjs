// The names of submits: the ids of their runs, which outlive a page, a worker and a core.

import assert from "node:assert/strict";
import { after, beforeEach, describe, it } from "node:test";
import { carried, deferred, load, real, storeOf, until } from "../lib.mjs";
import { localWorkers } from "../thread.mjs";

const { createAgentWith } = await load("agent/agent");
const { createWorkerAgentWith } = await load("worker/agent");
const { scriptedAgent, text, toolCall } = await load("testing");

const rows = (agent) => agent.getSnapshot().queue.map(({ messages: [{ content }] }) => content);
const said = (agent) => agent.getSnapshot().messages.map(({ content }) => content);
const same = ({ id, runId }) => id === runId;

describe("a submit is called by its run", { skip: !real && "the core is a stand-in" }, () => {
  let core, workers, server, store;
  const agents = [];
  beforeEach(async () => {
    core = await carried();
    workers = await localWorkers(core);
    server = scriptedAgent();
    store = storeOf({ load: () => store.now, save: (saved) => void (store.now = saved), clear: () => void (store.now = undefined) });
  });
  after(() => agents.forEach((agent) => agent.dispose()));
  const made = (agent) => {
    agents.push(agent);
    agent.subscribe(() => {});
    return agent;
  };
  const optionsOf = (more) => ({ url: "http://host/agent", fetch: server.fetch, notify: "sync", threadId: "t", ...more });
  const places = {
    "in a page": (options) => made(createAgentWith(core, optionsOf(options))),
    "in a worker": (options) => made(createWorkerAgentWith(core, workers.spawn, undefined, optionsOf(options))),
  };
  /** The run in progress ends. */
  const finish = (more) => {
    server.send(({ input: { threadId, runId } }) => ({ type: "RUN_FINISHED", threadId, runId, ...more }));
    server.end();
  };
  /** A run is in progress, and these wait. Their promises come with them. */
  const queued = async (agent, ...contents) => {
    server.open(text("half"));
    const run = agent.submit("1");
    await until(() => said(agent).at(-1) === "half");
    const promises = contents.map((content) => agent.submit(content));
    await until(() => agent.getSnapshot().queue.length === contents.length);
    const { queue } = agent.getSnapshot();
    assert.ok(queue.every(same));
    return { ids: queue.map(({ id }) => id), promises, run };
  };

  for (const [place, create] of Object.entries(places)) {
    it(`${place}: what was shown before a reload takes out that submit, and no other one`, async () => {
      const before = create({ persist: store });
      // The next page would give its numbers to other ones.
      const gone = await queued(before, "0", "2", "3", "4");
      before.cancelQueued(gone.ids[0]);
      await until(() => store.now?.queue.length === 3);
      const ids = before.getSnapshot().queue.map(({ id }) => id);
      assert.deepEqual(ids, gone.ids.slice(1));
      before.dispose();
      const agent = create({ persist: store });
      await until(() => agent.getSnapshot().queue.length === 3);
      assert.deepEqual(agent.getSnapshot().queue.map(({ id }) => id), ids);
      assert.equal(agent.cancelQueued(gone.ids[0]), false, "it is gone");
      assert.equal(agent.cancelQueued("1"), false);
      assert.equal(agent.editQueued(ids[2], "four"), true);
      assert.equal(agent.cancelQueued(ids[1]), true);
      assert.deepEqual(rows(agent), ["2", "four"]);
      await until(() => store.now.queue.length === 2);
      for (const answer of ["one", "two", "four!"]) server.reply(text(answer));
      await agent.retry();
      await until(() => said(agent).at(-1) === "four!");
      assert.deepEqual(said(agent).filter((content) => content !== "half"), ["1", "one", "2", "two", "four", "four!"]);
      assert.equal(agent.cancelQueued(ids[0]), false, "it has begun, and ended");
    });

    for (const kind of ["a store", "a slow store", "a save of the application's"])
      it(`${place}: a submit that stands in ${kind} alone is changed and taken out before the core is there`, async () => {
        const before = create({ persist: store });
        const { ids } = await queued(before, "2", "3", "4");
        await until(() => store.now?.queue.length === 3);
        before.dispose();
        const save = async (saved) => void (store.now = saved);
        const slow = storeOf({ load: async () => store.now, save, clear: async () => {} });
        // The core comes late.
        const come = deferred();
        const late = async (inflate) => (await come.promise, core(inflate));
        const { spawn } = await localWorkers(late);
        const options = optionsOf(kind === "a store" ? { persist: store } : kind === "a slow store" ? { persist: slow } : { restore: store.now });
        const agent = made(place === "in a page" ? createAgentWith(late, options) : createWorkerAgentWith(late, spawn, undefined, options));
        const left = ({ queue }) => queue.map(({ runId, messages: [{ content }] }) => [runId, content]);
        await until(() => said(agent).length);
        for (let turn = 0; turn < 12; turn++) await new Promise(setImmediate);
        const shown = () => left(agent.getSnapshot());
        assert.deepEqual(shown(), [[ids[0], "2"], [ids[1], "3"], [ids[2], "4"]], "what was said is shown at once");
        assert.equal(agent.cancelQueued(ids[0]), true);
        assert.equal(agent.cancelQueued(ids[0]), false, "it is gone");
        assert.equal(agent.editQueued(ids[2], "four"), true);
        const expected = [[ids[1], "3"], [ids[2], "four"]];
        assert.deepEqual(shown(), expected);
        assert.deepEqual(left(agent.save()), expected);
        for (let turn = 0; turn < 12; turn++) await new Promise(setImmediate);
        if (options.persist) assert.deepEqual(left(store.now), expected);
        come.resolve();
        if (options.persist) await until(() => rows(agent).length === 2);
        assert.deepEqual(left(agent.save()), expected);
      });

    it(`${place}: a submit in a save that is on its way can be changed and taken out, also for the next page`, async () => {
      const before = create({ persist: store });
      const { ids } = await queued(before, "2", "3", "4");
      await until(() => store.now?.queue.length === 3);
      before.dispose();
      // The head of this queue begins with the session.
      store.now = { ...store.now, running: false };
      const answer = deferred();
      const persist = storeOf({ load: async () => (await answer.promise, store.now), save: async (saved) => void (store.now = saved), clear: async () => {} });
      const agent = create({ persist, initialMessages: [] });
      assert.equal(agent.cancelQueued(ids[0]), true);
      assert.equal(agent.editQueued(ids[2], "four"), true);
      assert.equal(agent.cancelQueued("unknown"), true, "the save may have it");
      for (const events of ["three", "four!"]) server.reply(text(events));
      answer.resolve();
      await until(() => said(agent).at(-1) === "four!");
      assert.deepEqual(said(agent).filter((content) => content !== "half"), ["1", "3", "three", "four", "four!"]);
      assert.equal(agent.cancelQueued(ids[0]), false, "the save was read");
      await until(() => store.now.messages.at(-1).content === "four!");
      assert.deepEqual(store.now.queue, []);
    });

    it(`${place}: a submit that has begun stays, and one whose name is taken is refused`, async () => {
      const agent = create();
      const { run } = await queued(agent);
      const { runId } = agent.getSnapshot();
      assert.equal(agent.cancelQueued(runId), false);
      assert.equal(agent.editQueued(runId, "other"), false);
      assert.equal(agent.getSnapshot().isLoading, true);
      const first = agent.submit({ message: "2", runId: "mine" });
      await assert.rejects(agent.submit({ message: "3", runId: "mine" }), { code: "busy" });
      await assert.rejects(agent.submit({ message: "3", runId }), { code: "busy" });
      await until(() => rows(agent).length === 1);
      server.reply(text("two"));
      finish();
      assert.deepEqual([(await run).outcome, (await first).outcome], ["success", "success"]);
      server.reply(text("again"));
      assert.equal((await agent.submit({ message: "3", runId: "mine" })).outcome, "success", "its name is free");
      assert.deepEqual(said(agent), ["1", "half", "2", "two", "3", "again"]);
    });

    it(`${place}: a submit that is refused leaves its name free`, async () => {
      const agent = create();
      const { run } = await queued(agent);
      await assert.rejects(agent.submit({ message: "2", runId: "mine", ifBusy: "reject" }), { code: "busy" });
      const waits = agent.submit({ message: "3", runId: "mine" });
      await until(() => rows(agent).length === 1);
      server.reply(text("three"));
      finish();
      assert.deepEqual([(await run).outcome, (await waits).outcome], ["success", "success"]);
      assert.deepEqual(said(agent), ["1", "half", "3", "three"]);
    });

    it(`${place}: attach() has the name of the submit that waits for the same run, and both settle`, async () => {
      const work = deferred();
      const tools = [{ name: "work", description: "works", execute: () => work.promise }];
      const agent = create({ tools, resume: { by: "replay", url: "http://host/join" } });
      const called = toolCall("work", {}, "c");
      server.reply(called);
      const run = agent.submit("1");
      await until(() => agent.getSnapshot().toolCalls[0]?.phase === "executing");
      // The call may be begun before the rest of its run has come.
      await until(() => agent.getSnapshot().connection.phase === "closed");
      server.reply(called);
      const joined = agent.attach();
      await until(() => server.requests.length === 2);
      server.reply(text("done"));
      work.resolve(1);
      assert.deepEqual([(await run).outcome, (await joined).outcome], ["success", "success"]);
      assert.equal(said(agent).at(-1), "done");
    });

    it(`${place}: a submit that waits is taken out by its signal`, async () => {
      const agent = create();
      const { run } = await queued(agent, "2");
      const abort = new AbortController();
      const promise = agent.submit({ message: "3", signal: abort.signal });
      await until(() => rows(agent).length === 2);
      abort.abort();
      assert.equal((await promise).outcome, "aborted");
      await until(() => rows(agent).length === 1);
      server.reply(text("two"));
      finish();
      await run;
      await until(() => said(agent).at(-1) === "two");
    });
  }

  for (const persist of [true, false]) {
    it(`a worker that ends ${persist ? "with a store" : "without one"}: the signal of a submit that waits takes it out at once`, async () => {
      const agent = places["in a worker"](persist ? { persist: store } : {});
      const { run } = await queued(agent, "2");
      const abort = new AbortController();
      const promise = agent.submit({ message: "3", signal: abort.signal });
      await until(() => rows(agent).length === 2);
      finish({ outcome: { type: "interrupt", interrupts: [{ id: "i", reason: "confirmation" }] } });
      assert.equal((await run).outcome, "interrupted");
      workers.all.at(-1).crash("out of memory");
      const spawned = workers.all.length;
      abort.abort();
      assert.deepEqual(rows(agent), ["2"]);
      assert.equal((await promise).outcome, "aborted");
      assert.deepEqual(agent.save().queue.map(({ messages }) => messages[0].content), ["2"]);
      assert.equal(workers.all.length, spawned, "no worker is needed for it");
    });

    it(`a worker that ends ${persist ? "with a store" : "without one"}: what was shown before takes out that submit, and promises still settle`, async () => {
      const agent = places["in a worker"](persist ? { persist: store } : {});
      const { ids, promises, run } = await queued(agent, "2", "3", "4");
      finish({ outcome: { type: "interrupt", interrupts: [{ id: "i", reason: "confirmation" }] } });
      assert.equal((await run).outcome, "interrupted");
      workers.all.at(-1).crash("out of memory");
      assert.ok(agent.getSnapshot().queue.every(same));
      assert.deepEqual(agent.getSnapshot().queue.map(({ id }) => id), ids);
      // No worker is there.
      assert.equal(agent.cancelQueued(ids[1]), true);
      assert.equal((await promises[1]).outcome, "aborted");
      for (const answer of ["resumed", "two", "four"]) server.reply(text(answer));
      assert.equal((await agent.resume({ id: "i", payload: 1 })).outcome, "success");
      assert.deepEqual((await Promise.all([promises[0], promises[2]])).map(({ outcome }) => outcome), ["success", "success"]);
      assert.deepEqual(said(agent), ["1", "half", "resumed", "2", "two", "4", "four"]);
    });
  }
});
