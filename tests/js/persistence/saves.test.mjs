// Saves: who writes them, when, and from what, over stores that fail in every way.

import assert from "node:assert/strict";
import { after, before, describe, it, mock } from "node:test";
import { Session, trap } from "../fake-core.mjs";
import { deferred, load, storeOf, until } from "../lib.mjs";
import { core, create, full, hide, memory, never, queued, texts, turn, user, waiting } from "./over-stores.mjs";

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
    Session.last.patch(["=", ["interrupts"], [{ id: "i", reason: "ask" }]], ["=", ["toolCalls"], [{ id: "c", status: "running" }]]);
    Session.last.changed(true);
    Session.last.throws.takePatch = trap();
    Session.last.changed(true);
    await turn();
    assert.equal(agent.getSnapshot().status, "error");
    agent.setState({ n: 2 });
    hide();
    assert.deepEqual([store.now.handled, store.now.failed, store.now.interrupts.map(({ id }) => id)], [["kept"], ["c"], ["i"]]);
    assert.deepEqual([store.now.messages[0].content, waiting(store.now), store.now.state], ["1", ["s"], { n: 2 }]);
    void agent.submit("3");
    await until(() => Session.all.length === 2);
    assert.deepEqual([Session.last.restored.handled, waiting(Session.last.restored)], [["kept"], ["s"]]);
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

  it("of a store that has answered after all, as before", async () => {
    mock.timers.enable({ apis: ["setTimeout"] });
    const { sent, fetch } = posts();
    const writes = [];
    const save = () => {
      writes.push(deferred());
      return writes.at(-1).promise;
    };
    const agent = create({ persist: memory(undefined, { save }), fetch, saving: { waitMs: 200 } });
    agent.submit("1");
    await turn();
    mock.timers.tick(200);
    await turn();
    assert.equal(sent.length, 1);
    writes[0].resolve();
    await turn();
    Session.last.finish();
    agent.submit("2");
    for (let written = 1; written < 3; written++) {
      await turn();
      assert.deepEqual([sent.length, writes.length], [1, written + 1]);
      writes[written].resolve();
    }
    await turn();
    assert.equal(sent.length, 2);
  });

  it("and not at all where it is synchronous", async () => {
    const { sent, fetch } = posts();
    const agent = create({ persist: memory(), fetch });
    agent.submit("1");
    await until(() => sent.length);
  });

  for (const [name, save] of [
    ["throws", () => {
      throw new Error("quota");
    }],
    ["rejects", async () => {
      throw new Error("quota");
    }],
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

  it("after the thread has begun anew: what it has does not come back, and what is said then is kept", async () => {
    const late = deferred();
    const store = memory(undefined, { load: () => late.promise });
    const agent = create({ persist: store });
    agent.subscribe(() => {});
    await turn();
    agent.reset();
    void agent.submit({ message: user("n", "new") });
    await turn();
    assert.deepEqual([texts(agent), Session.last], [["new"], undefined], "the submit waits for the store");
    late.resolve(full);
    await until(() => Session.last?.calls.length);
    const { messages, queue, interrupts } = Session.last.restored;
    assert.deepEqual([texts(agent), messages, queue, interrupts], [["new"], [], [], []]);
    assert.deepEqual(agent.getSnapshot().state, {});
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
    it(`${name}: it is put aside, and the agent is empty and works`, async () => {
      const [errors, put] = [[], []];
      const store = memory(value, { quarantine: (saved) => void put.push(structuredClone(saved), store.saves.length) });
      const agent = create({ persist: store, onError: ({ code }) => errors.push(code) });
      const run = agent.submit("two");
      await until(() => Session.last);
      Session.last.finish();
      await run;
      assert.deepEqual([errors, texts(agent), store.now.v], [["restore"], ["two"], 1]);
      assert.deepEqual(put, [value, 0]);
    });
  }
});

describe("the stores of the package", () => {
  it("name their place", () => {
    assert.notEqual(localStorageStore("a").key, localStorageStore("b").key);
    assert.equal(localStorageStore("a").key, localStorageStore("a").key);
    assert.notEqual(indexedDbStore("a", "b").key, indexedDbStore("a", "c").key);
  });
});
