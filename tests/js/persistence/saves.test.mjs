// Saves: who writes them, when, and from what, over stores that fail in every way.

import assert from "node:assert/strict";
import { after, before, describe, it, mock } from "node:test";
import { Session, trap } from "../fake-core.mjs";
import { deferred, load, storeOf, until } from "../lib.mjs";
import { agents, core, create, full, gc, hide, memory, never, page, queued, texts, turn, user, waiting } from "./over-stores.mjs";

const { createAgentWith } = await load("agent/agent");
const { indexedDbStore, localStorageStore } = await load("persistence/stores");
const { forgetThreads } = await load("testing");

describe("a save without a session keeps what the last one had", () => {
  const whole = (saved) => [saved.handled, saved.interrupts.map(({ id }) => id), saved.unsent];

  it("while the core loads, with what was submitted since", async () => {
    const store = memory(full);
    const agent = create({ persist: store }, never);
    agent.submit({ message: "two", runId: "r" });
    agent.submit({ message: "three", runId: "s" });
    hide();
    agent.dispose();
    assert.deepEqual(whole(store.now), [["call"], ["i"], ["x"]]);
    assert.deepEqual(waiting(store.now), ["q", "r", "s"]);
    assert.equal(store.now.queue[1].messages[0].content, "two");
  });

  it("after a load that failed", async () => {
    const store = memory(full);
    const agent = create({ persist: store }, () => Promise.reject(new Error("offline")));
    await agent.submit("two");
    agent.setState({ n: 2 });
    hide();
    assert.deepEqual(whole(store.now), [["call"], ["i"], ["x"]]);
    assert.deepEqual([waiting(store.now), store.now.state], [["q"], { n: 2 }]);
    assert.deepEqual(store.now.messages.map(({ content }) => content), ["one", "two"]);
  });

  it("after a trap, and the next session begins with it", async () => {
    const store = memory();
    const agent = create({ persist: store });
    agent.submit({ message: "1", runId: "r" });
    await until(() => Session.last);
    agent.submit({ message: "2", runId: "s" });
    Session.last.save = () => JSON.stringify({ ...full, handled: ["kept"], queue: [queued("s")] });
    Session.last.settleAlone({ runId: "x", outcome: "success" });
    Session.last.patch(["=", ["interrupts"], [{ id: "i", reason: "ask" }]], ["=", ["toolCalls"], [{ id: "c" }]]);
    Session.last.changed(true);
    Session.last.throws.takePatch = trap();
    Session.last.changed(true);
    await turn();
    assert.equal(agent.getSnapshot().status, "error");
    agent.setState({ n: 2 });
    hide();
    assert.deepEqual([store.now.handled, store.now.interrupts.map(({ id }) => id)], [["kept", "c"], ["i"]]);
    assert.deepEqual([store.now.messages[0].content, waiting(store.now), store.now.state], ["1", ["s"], { n: 2 }]);
    void agent.submit("3");
    await until(() => Session.all.length === 2);
    assert.deepEqual([Session.last.restored.handled, waiting(Session.last.restored)], [["kept", "c"], ["s"]]);
  });

  it("when it is disposed of, once, and nothing is written after that", async () => {
    const store = memory();
    const agent = create({ persist: store });
    agent.submit("1");
    await until(() => Session.last);
    agent.submit("2");
    Session.last.save = () => JSON.stringify({ ...full, queue: [queued("q2")] });
    agent.setState({});
    agent.dispose();
    const count = store.saves.length;
    await turn();
    hide();
    assert.deepEqual([store.saves.length, waiting(store.now), store.now.handled], [count, ["q2"], ["call"]]);
    assert.equal(document.listening, 0);
  });

  it("and nothing where nothing has happened", async () => {
    const store = memory(full);
    const agent = create({ persist: store });
    hide();
    agent.dispose();
    assert.deepEqual([store.saves.length, document.listening], [0, 0]);
  });
});

describe("a request waits for the save before it", () => {
  const posts = () => {
    const sent = [];
    return { sent, fetch: async () => void sent.push(sent.length) };
  };

  it("of a store that takes its time, but not for ever", async () => {
    mock.timers.enable({ apis: ["setTimeout"] });
    const { sent, fetch } = posts();
    const warnings = [];
    const store = memory(undefined, { save: never });
    const agent = create({ persist: store, fetch, saving: { waitMs: 200 }, onWarning: ({ code }) => warnings.push(code) });
    agent.submit("1");
    await turn();
    assert.ok(Session.last);
    mock.timers.tick(199);
    await turn();
    assert.equal(sent.length, 0);
    mock.timers.tick(1);
    await turn();
    assert.equal(sent.length, 1);
    // It hangs, and nobody waits for it again.
    Session.last.finish();
    agent.submit("2");
    await turn();
    assert.equal(sent.length, 2);
    assert.deepEqual(warnings, []);
  });

  it("and not at all where it is synchronous", async () => {
    const { sent, fetch } = posts();
    const agent = create({ persist: memory(), fetch });
    agent.submit("1");
    await until(() => sent.length);
  });

  for (const [name, save] of [
    ["throws", () => { throw new Error("quota"); }],
    ["rejects", async () => { throw new Error("quota"); }],
  ]) {
    it(`and goes out if the store ${name}, which is reported once`, async () => {
      const { sent, fetch } = posts();
      const warnings = [];
      const agent = create({ persist: memory(undefined, { save }), fetch, onWarning: ({ code }) => warnings.push(code) });
      agent.submit("1");
      await until(() => sent.length);
      Session.last.finish();
      agent.submit("2");
      await until(() => sent.length === 2);
      assert.deepEqual(warnings, ["not-saved"]);
    });
  }
});

describe("a store that loads", () => {
  it("while the last save of another agent is being written: it has that one", async () => {
    const writes = [];
    const store = storeOf({ key: "slow", now: full, load: async () => store.now, save() {}, clear() {} });
    store.save = async (saved) => {
      const written = deferred();
      writes.push(written);
      await written.promise;
      store.now = saved;
    };
    const first = create({ persist: store });
    await until(() => texts(first).length);
    first.setMessages([user("b", "two")]);
    first.dispose();
    const second = create({ persist: { ...store, load: store.load } });
    await turn();
    await turn();
    assert.deepEqual(texts(second), []);
    writes.forEach(({ resolve }) => resolve());
    await until(() => texts(second).length);
    assert.deepEqual(texts(second), ["two"]);
  });

  it("slowly, and an agent before this one has ended meanwhile: it has what that one had", async () => {
    const late = deferred();
    const load = async () => (await late.promise, store.now);
    const store = storeOf({ key: "late", now: full, load, clear() {}, save: async (saved) => void (await turn(), (store.now = saved)) });
    const first = create({ persist: store });
    first.submit({ message: "two", runId: "r" });
    first.dispose();
    const second = create({ persist: { ...store, load: async () => store.now } });
    second.submit({ message: "three", runId: "s" });
    await turn();
    assert.equal(Session.last, undefined);
    late.resolve();
    await until(() => Session.last?.restored);
    assert.deepEqual(waiting(Session.last.restored), ["q", "r"]);
    assert.deepEqual(Session.last.calls.find(([name]) => name === "submit")[1].runId, "s");
  });

  it("slowly: a submit waits for it, and is saved on top of it", async () => {
    const late = deferred();
    const store = memory(undefined, { load: () => late.promise });
    const agent = create({ persist: store });
    agent.submit({ message: "two", runId: "r" });
    hide();
    assert.equal(store.saves.length, 0, "what the store has is not known");
    assert.equal(Session.last, undefined);
    late.resolve(full);
    await until(() => Session.last);
    assert.deepEqual(Session.last.restored.handled, ["call"]);
    assert.deepEqual(Session.last.calls.find(([name]) => name === "submit")[1].runId, "r");
  });

  it("slowly, and the agent is disposed of meanwhile: nothing of either is lost", async () => {
    const late = deferred();
    const store = memory(undefined, { load: () => late.promise });
    const agent = create({ persist: store });
    agent.submit({ message: "two", runId: "r" });
    agent.dispose();
    assert.equal(store.saves.length, 0);
    late.resolve(full);
    await until(() => store.saves.length);
    assert.deepEqual([waiting(store.now), store.now.handled], [["q", "r"], ["call"]]);
    assert.deepEqual(store.now.messages.map(({ content }) => content), ["one"]);
    assert.deepEqual(store.now.queue[1].messages.map(({ content }) => content), ["two"]);
  });

  it("never: the agent goes on without it after a while, and writes nothing over what it does not know", async () => {
    mock.timers.enable({ apis: ["setTimeout"] });
    const late = deferred();
    const warnings = [];
    const store = memory(undefined, { load: () => late.promise });
    const agent = create({ persist: store, saving: { loadMs: 500 }, onWarning: ({ code }) => warnings.push(code) });
    agent.submit("new");
    await turn();
    assert.equal(Session.last, undefined);
    mock.timers.tick(500);
    await turn();
    assert.deepEqual([texts(agent), warnings, store.saves.length], [["new"], ["not-restored"], 0]);
    Session.last.finish();
    assert.equal(store.saves.length, 0);
    late.resolve(full);
    await turn();
    hide();
    assert.deepEqual([store.now.handled, waiting(store.now)], [["call", "kept"], ["q"]]);
    assert.deepEqual(store.now.messages.map(({ content }) => content), ["one"]);
    agent.reset();
    assert.deepEqual(store.now.messages, [], "what was removed does not come back");
  });

  it("never: the next one waits for it as well, and does not take it for empty", async () => {
    mock.timers.enable({ apis: ["setTimeout"] });
    const late = deferred();
    const store = memory(undefined, { load: () => late.promise });
    const make = () => create({ persist: store, saving: { loadMs: 500 } });
    make().subscribe(() => {});
    mock.timers.tick(500);
    await turn();
    forgetThreads();
    const next = make();
    void next.submit("two");
    await turn();
    const working = () => Session.all.filter(({ disposed }) => !disposed);
    assert.deepEqual([working().length, store.saves.length], [0, 0]);
    late.resolve(full);
    await until(() => working().length);
    assert.deepEqual([texts(next)[0], waiting(Session.last.restored)], ["one", ["q"]]);
  });

  it("not at all: it is asked once more before anything is written over it", async () => {
    let works = false;
    const store = memory(full, { load: () => (works ? store.now : Promise.reject(new Error("closed"))) });
    const [warnings, errors] = [[], []];
    const agent = create({ persist: store, onWarning: ({ code }) => warnings.push(code), onError: ({ code }) => errors.push(code) });
    agent.submit("two");
    await until(() => Session.last);
    assert.deepEqual([errors, store.saves.length], [["restore"], 0]);
    works = true;
    Session.last.finish();
    assert.deepEqual([store.now.handled, waiting(store.now)], [["call", "kept"], ["q"]]);
  });

  for (const [name, value] of [["garbage", "what?"], ["a number", 7], ["another version", { ...full, v: 2 }], ["half a save", { v: 1, threadId: "t" }]]) {
    it(`${name}: the agent is empty and works`, async () => {
      const errors = [];
      const store = memory(value);
      const agent = create({ persist: store, onError: ({ code }) => errors.push(code) });
      const run = agent.submit("two");
      await until(() => Session.last);
      Session.last.finish();
      await run;
      assert.deepEqual([errors, texts(agent), store.now.v], [["restore"], ["two"], 1]);
    });
  }
});

describe("one thread in a page", () => {
  const submits = () => Session.all.flatMap(({ calls }) => calls).filter(([name]) => name === "submit").map(([, { runId }]) => runId);

  it("two agents with one store show the same, and one core begins with the queue", async () => {
    const store = memory(full);
    const [one, other] = [create({ persist: store }), create({ persist: store })];
    one.subscribe(() => {});
    other.subscribe(() => {});
    await turn();
    await turn();
    assert.equal(Session.all.length, 1);
    assert.deepEqual(texts(one), ["one"]);
    assert.equal(other.getSnapshot(), one.getSnapshot());
  });

  it("what either submits waits in one queue, and each promise settles", async () => {
    const store = memory();
    const [one, other] = [create({ persist: store }), create({ persist: store })];
    const results = [one.submit({ message: "1", runId: "r1" }), other.submit({ message: "2", runId: "r2" }), one.submit({ message: "3", runId: "r3" })];
    await until(() => Session.last);
    assert.deepEqual([Session.all.length, submits()], [1, ["r1", "r2", "r3"]]);
    assert.deepEqual(other.getSnapshot().queue.map(({ runId }) => runId), ["r2", "r3"]);
    for (let n = 0; n < 3; n++) Session.last.finish();
    assert.deepEqual((await Promise.all(results)).map(({ outcome }) => outcome), ["success", "success", "success"]);
  });

  it("a component that is made anew in a run has that run: one request, and it can be stopped", async () => {
    const store = memory();
    const mounted = () => create({ persist: store }, core, (source, options) => createAgentWith(source, options, true));
    const old = mounted();
    const off = old.subscribe(() => {});
    const run = old.submit({ message: "1", runId: "r1" });
    await until(() => Session.last);
    Session.last.say("so ");
    off();
    await new Promise((done) => setTimeout(done));
    const next = mounted();
    next.subscribe(() => {});
    assert.deepEqual([texts(next), next.getSnapshot().isLoading], [["1", "so "], true]);
    Session.last.say("far");
    assert.deepEqual(texts(next), ["1", "so ", "far"]);
    const waits = next.submit({ message: "2", runId: "r2" });
    await next.stop();
    assert.equal((await run).outcome, "aborted");
    Session.last.finish();
    assert.equal((await waits).outcome, "success");
    assert.deepEqual([Session.all.length, submits()], [1, ["r1", "r2"]]);
  });

  it("one that is disposed of leaves the others as they are; the last hangs up", async () => {
    const store = memory();
    const heard = [];
    const make = (name) => create({ persist: store, onFinish: ({ outcome }) => heard.push([name, outcome]) });
    const [one, other] = [make("one"), make("other")];
    const run = one.submit("1");
    await until(() => Session.last);
    one.dispose();
    assert.equal(other.getSnapshot().isLoading, true);
    Session.last.finish();
    assert.equal((await run).outcome, "success");
    assert.deepEqual(heard, [["other", "success"]]);
    const last = other.submit("2");
    other.dispose();
    assert.equal((await last).outcome, "aborted");
    assert.ok(Session.last.disposed);
  });

  it("the end of a run is told to the agent that has asked, once, and to all that listen", async () => {
    const store = memory();
    const heard = [];
    const make = (name) => {
      const agent = create({ persist: store, onFinish: () => heard.push(`${name} called`), onWarning: () => heard.push(`${name} warned`) });
      agent.on("finish", () => heard.push(`${name} hears`));
      return agent;
    };
    const [one] = [make("one"), make("other")];
    const run = one.submit("1");
    await until(() => Session.last);
    Session.last.finish();
    await run;
    assert.deepEqual(heard.sort(), ["one called", "one hears", "other hears"]);
  });

  it("a request has the options of whoever has asked, and a call finds its tool in any that is there", async () => {
    const store = memory();
    const heard = [];
    const make = (name, tools) => create({ persist: store, headers: { name }, tools, fetch: async (_, { headers }) => (heard.push(new Headers(headers).get("name")), new Response("")) });
    const tool = { name: "count", description: "", parameters: {}, execute: () => (heard.push("counted"), 1) };
    const one = make("one", [tool]);
    make("status", []);
    void one.submit("1");
    await until(() => heard.length);
    assert.deepEqual(heard, ["one"]);
    Session.last.host.execute("c", "count", "{}", false);
    await until(() => heard.length === 2);
    assert.deepEqual(heard, ["one", "counted"]);
  });

  it("a call that nobody is there for waits for whoever comes", async () => {
    const store = memory();
    const ran = [];
    const tool = { name: "count", description: "", parameters: {}, execute: () => void ran.push("counted") };
    const mounted = () => create({ persist: store, tools: [tool] }, core, (source, options) => createAgentWith(source, options, true));
    const old = mounted();
    const off = old.subscribe(() => {});
    void old.submit("1");
    await until(() => Session.last);
    off();
    // A component that is made anew is no release.
    Session.last.host.execute("b", "count", "{}", false);
    await until(() => ran.length);
    await new Promise((done) => setTimeout(done));
    Session.last.host.execute("c", "count", "{}", false);
    await turn();
    assert.deepEqual(ran, ["counted"]);
    mounted().subscribe(() => {});
    await until(() => ran.length > 1);
    assert.deepEqual(ran, ["counted", "counted"]);
  });

  it("a run goes on although no component is left", async () => {
    {
      const agent = create({ persist: memory(), saving: {} }, core, (source, options) => createAgentWith(source, options, true));
      const off = agent.subscribe(() => {});
      const count = Session.all.length;
      const run = agent.submit("1");
      await until(() => Session.all.length > count);
      let ended;
      run.then((result) => (ended = result.outcome));
      off();
      await new Promise((done) => setTimeout(done, 5));
      Session.last.finish();
      await until(() => ended);
      assert.equal(ended, "success");
      agent.subscribe(() => {});
      const again = agent.submit("2");
      await until(() => !Session.last.disposed && Session.last.calls.some(([name, input]) => name === "submit" && input.messages[0].content === "2"));
      Session.last.finish();
      assert.equal((await again).outcome, "success");
    }
  });

  it("stores with one key are two users' where there is no page", async () => {
    delete globalThis.document;
    const make = () => create({ persist: Object.assign(memory(), { key: "chat" }) });
    const [one, other] = [make(), make()];
    one.setMessages([user("a", "secret")]);
    assert.deepEqual([texts(one), texts(other)], [["secret"], []]);
  });

  it("agents of other options use the store in turn, and say so", async () => {
    const store = memory();
    const warnings = [];
    const one = create({ persist: store });
    const run = one.submit("1");
    await until(() => Session.last);
    const strict = create({ persist: store, rules: "strict", onWarning: ({ code, message }) => warnings.push([code, /rules/.test(message)]) });
    const second = strict.submit("2");
    await turn();
    assert.deepEqual(warnings, [["store-shared", true]]);
    assert.equal(Session.all.length, 1, "it waits");
    Session.last.finish();
    assert.equal((await run).outcome, "success");
    await until(() => Session.all.length === 2 && Session.last.calls.some(([name]) => name === "submit"));
    Session.last.finish();
    assert.equal((await second).outcome, "success");
  });

  for (const [name, answer] of [
    ["throws", () => { throw new Error("locked"); }],
    ["refuses", () => Promise.reject(new Error("locked"))],
    ["never answers", never],
  ]) {
    it(`a store that ${name} is not asked without end`, async () => {
      mock.timers.enable({ apis: ["setTimeout"] });
      let loads = 0;
      const load = () => (++loads > 100 ? never() : answer());
      const store = memory(undefined, { load });
      const agents = [1, 2].map(() => create({ persist: store }));
      for (const agent of [...agents, ...agents]) {
        agent.setMessages((messages) => [...messages, user(`m${messages.length}`, "edit")]);
        await turn();
      }
      for (let second = 0; second < 60; second++) {
        mock.timers.tick(1000);
        await turn();
      }
      assert.ok(loads < 12, `it was read ${loads} times`);
      assert.deepEqual(agents.map((agent) => texts(agent).length), [4, 4]);
    });
  }

  it("another store has another thread", async () => {
    const [one, other] = [memory(), memory()];
    const agents = [create({ persist: one }), create({ persist: other })];
    for (const agent of agents) agent.submit("x");
    await until(() => Session.all.length === 2);
    for (const session of Session.all) session.finish();
    assert.ok(one.saves.length && other.saves.length);
  });

  it("agents that nobody uses are collected", async () => {
    const store = memory();
    let agent = createAgentWith(core, { url: "/agent", persist: store, notify: "sync" });
    const gone = new WeakRef(agent);
    const run = agent.submit("x");
    await until(() => Session.last);
    Session.last.finish();
    await run;
    hide();
    Session.all = [];
    agent = undefined;
    await until(() => (gc(), gone.deref() === undefined));
  });
});

describe("the stores of the package", () => {
  it("name their place", () => {
    assert.notEqual(localStorageStore("a").key, localStorageStore("b").key);
    assert.equal(localStorageStore("a").key, localStorageStore("a").key);
    assert.notEqual(indexedDbStore("a", "b").key, indexedDbStore("a", "c").key);
  });
});
