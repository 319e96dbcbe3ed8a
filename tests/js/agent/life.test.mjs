// Answers one by one, what waits in the queue, edits of what was said, and saves, over a core that does what the test says.

import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it, mock } from "node:test";
import { Session } from "../fake-core.mjs";
import { deferred, load, storeOf, until } from "../lib.mjs";
import { fakeIndexedDb, fakeStorage } from "../persistence/fake-storages.mjs";

const { createAgentWith } = await load("agent/agent");
const { AgentError } = await load("api/error");
const { localStorageStore, indexedDbStore } = await load("persistence/stores");
const { forgetThreads } = await load("testing");

beforeEach(() => {
  Session.all = [];
  Session.refuse = Session.refuseSave = undefined;
});

const core = async () => ({ CoreSession: Session });
const create = (options, source = core) => createAgentWith(source, { url: "/agent", notify: "sync", ...options });
const texts = (agent) => agent.getSnapshot().messages.map(({ content }) => content);
const turn = () => new Promise(setImmediate);
const user = (id, content) => ({ id, role: "user", content });

/** An agent whose first run is in progress, and its session. */
async function running(options) {
  const agent = create(options);
  const first = agent.submit("1");
  await until(() => Session.last);
  return { agent, first, session: Session.last, called: (name) => Session.last.calls.filter(([called]) => called === name) };
}

describe("resume one by one", () => {
  it("runs after the last answer; all settle with that run, of which the callbacks hear once", async () => {
    const finished = mock.fn();
    const { agent, session, called } = await running({ onFinish: finished });
    session.finish("interrupted");
    finished.mock.resetCalls();
    session.interrupts = 3;
    const results = [
      agent.resume({ id: "a", payload: { yes: true } }),
      agent.resume({ id: "b", status: "cancelled", payload: "nothing to say" }),
    ];
    assert.equal(agent.getSnapshot().status, "idle");
    results.push(agent.resume({ id: "c", status: "resolved", metadata: { by: "me" } }));
    await turn();
    assert.equal(agent.getSnapshot().status, "running");
    assert.deepEqual(session.answers, [
      { interruptId: "a", status: "resolved", payload: { yes: true } },
      { interruptId: "b", status: "cancelled" },
      { interruptId: "c", status: "resolved", metadata: { by: "me" } },
    ]);
    assert.deepEqual(called("answer")[0][1].run.pageTools, []);
    session.finish();
    const outcomes = (await Promise.all(results)).map(({ outcome }) => outcome);
    assert.deepEqual(outcomes, ["success", "success", "success"]);
    assert.equal(finished.mock.callCount(), 1);
  });

  it("takes the old forms as well, and rejects what the core refuses", async () => {
    const { agent, session, called } = await running();
    session.finish("interrupted");
    agent.resume({ id: { status: "resolved", payload: 1 } });
    await turn();
    assert.deepEqual(called("submit")[1][1].resume, [{ status: "resolved", payload: 1, interruptId: "id" }]);
    session.throws.answer = Object.assign(new Error("not open"), { code: "interrupt-unknown" });
    await assert.rejects(agent.resume({ id: "x" }), { name: "AgentError", code: "interrupt-unknown" });
  });
});

describe("the queue", () => {
  it("is edited: the row keeps its ids, and what is sent is new", async () => {
    const { agent, session, called } = await running({ tools: [{ name: "t", description: "d" }] });
    const second = agent.submit({ message: { id: "m", content: "2" }, runId: "r" });
    const [{ id }] = agent.getSnapshot().queue;
    assert.equal(agent.editQueued(id, "two"), true);
    const [waiting] = agent.getSnapshot().queue;
    assert.deepEqual([waiting.id, waiting.runId, waiting.messages[0].id, waiting.messages[0].content], [id, "r", "m", "two"]);
    assert.equal(agent.editQueued(id, { message: { id: "n", content: "zwei" }, state: { n: 2 } }), true);
    const [, input] = called("editQueued")[1];
    assert.deepEqual([input.runId, input.messages[0].id, input.state], [id, "n", { n: 2 }]);
    assert.equal(input.tools, undefined, "what is not given stays as it was submitted");
    session.finish();
    assert.deepEqual(texts(agent), ["1", "zwei"]);
    assert.equal(agent.editQueued(id, "late"), false);
    assert.equal(agent.cancelQueued(id), false);
    session.finish();
    assert.equal((await second).outcome, "success");
  });

  it("gives a submit back", async () => {
    const { agent, session } = await running();
    const second = agent.submit("2");
    const [{ id }] = agent.getSnapshot().queue;
    assert.equal(agent.cancelQueued(id), true);
    assert.equal((await second).outcome, "aborted");
    assert.deepEqual(agent.getSnapshot().queue, []);
    assert.equal(agent.getSnapshot().status, "running");
    session.finish();
    assert.deepEqual(texts(agent), ["1"]);
  });

  it("is looked at as it is, not as it was shown", async () => {
    const { agent, session } = await running({ notify: { throttleMs: 10_000 } });
    agent.submit("2");
    const [{ id }] = agent.getSnapshot().queue;
    // Begins to run, and nobody has been told.
    session.patch(["=", ["queue"], []]);
    session.changed();
    assert.equal(agent.cancelQueued(id), false);
    agent.dispose();
  });

  it("is empty where there is no session", () => {
    const agent = create();
    assert.equal(agent.cancelQueued("1"), false);
    assert.equal(agent.editQueued("1", "x"), false);
  });
});

describe("an edited message", () => {
  const thread = [user("a", "one"), { id: "b", role: "assistant", content: "two" }, user("c", "three")];

  it("replaces the old one and all after it, at once", async () => {
    const loading = deferred();
    const agent = create({ initialMessages: thread }, () => loading.promise);
    agent.submit({ message: "uno", replaces: "a" });
    assert.deepEqual(texts(agent), ["uno"]);
    loading.resolve({ CoreSession: Session });
    await until(() => Session.last);
    assert.equal(Session.last.calls[0][1].replaces, "a");
  });

  it("needs a message", async () => {
    await assert.rejects(create({ initialMessages: thread }).submit({ replaces: "a" }), { name: "AgentError", code: "input" });
  });
});

describe("a save", () => {
  const messages = [user("a", "one")];
  const saved = { v: 1, threadId: "t", messages, state: { n: 1 }, interrupts: [], handled: ["call"], queue: [] };

  it("is the thread where no core is there, and the core's own where it is", async () => {
    const agent = create({ threadId: "t", initialMessages: messages, initialState: { n: 1 } });
    const plain = JSON.parse(JSON.stringify(agent.save()));
    assert.deepEqual(plain, { ...saved, messages: [{ ...messages[0], delivery: "complete" }], handled: [], unsent: [] });
    agent.submit("two");
    await until(() => Session.last);
    assert.deepEqual(agent.save(), { v: 1, threadId: "t", messages: [], state: {}, handled: ["kept"] });
  });

  it("is shown at once, and costs no core", async () => {
    const source = mock.fn(core);
    const agent = create({ restore: saved }, source);
    assert.deepEqual([agent.getSnapshot().threadId, texts(agent), agent.getSnapshot().state], ["t", ["one"], { n: 1 }]);
    assert.deepEqual(agent.getServerSnapshot().messages, []);
    assert.deepEqual(agent.save(), saved);
    assert.equal(source.mock.callCount(), 0);
    agent.reset();
    assert.deepEqual([agent.getSnapshot().threadId, texts(agent)], ["t", []]);
    agent.submit("two");
    await until(() => Session.last);
    assert.equal(Session.last.options.threadId, "t");
    assert.equal(Session.last.restored, undefined);
  });

  it("goes to the core, with what happens meanwhile after it", async () => {
    const agent = create({ restore: saved });
    agent.setState({ n: 2 });
    const stopped = agent.submit("two");
    agent.stop();
    assert.equal((await stopped).outcome, "aborted");
    assert.deepEqual(texts(agent), ["one", "two"]);
    agent.submit("three");
    await until(() => Session.last?.calls.length);
    const session = Session.last;
    assert.deepEqual(session.restored, saved);
    assert.equal(session.messages, undefined);
    await turn();
    assert.deepEqual(session.calls.map(([name]) => name), ["editState", "submit", "cancel", "submit"]);
    assert.deepEqual(session.calls.filter(([name]) => name === "submit").map(([, { messages }]) => messages[0].content), ["two", "three"]);
    assert.deepEqual(agent.getSnapshot().state, { n: 2 });
  });

  it("wakes the core where somebody looks", async () => {
    globalThis.document = {};
    try {
      const agent = create({ restore: saved });
      agent.subscribe(() => {});
      await until(() => Session.last);
      assert.deepEqual(Session.last.restored, saved);
      assert.equal(agent.getSnapshot().status, "idle");
    } finally {
      delete globalThis.document;
    }
  });

  it("is not lost over a core that did not come", async () => {
    let tries = 0;
    const agent = create({ restore: saved }, async () => (++tries === 1 ? Promise.reject(new Error("offline")) : { CoreSession: Session }));
    assert.equal((await agent.submit("two")).outcome, "error");
    assert.deepEqual(texts(agent), ["one", "two"]);
    agent.retry();
    await until(() => Session.last);
    assert.ok(Session.last.restored);
    assert.deepEqual(Session.last.calls.map(([name]) => name), ["submit", "cancel", "retry"]);
  });

  it("that comes after a core that did not is not lost either", async () => {
    const late = deferred();
    let tries = 0;
    const agent = create({ restore: late.promise }, async () => (++tries === 1 ? Promise.reject(new Error("offline")) : { CoreSession: Session }));
    const result = agent.submit("two");
    await turn();
    late.resolve(saved);
    assert.equal((await result).outcome, "error");
    assert.deepEqual(texts(agent), ["one", "two"]);
    agent.retry();
    await until(() => Session.last);
    assert.deepEqual(Session.last.restored, saved);
  });

  it("may come late: what was called before waits for it", async () => {
    const late = deferred();
    const agent = create({ restore: late.promise });
    agent.setState((state) => ({ ...state, edited: true }));
    const result = agent.submit("two");
    assert.deepEqual(texts(agent), ["two"]);
    await turn();
    assert.equal(Session.all.length, 0);
    late.resolve(saved);
    await until(() => Session.last);
    assert.deepEqual(Session.last.restored, saved);
    assert.equal(Session.last.options.threadId, "t");
    Session.last.finish();
    assert.equal((await result).outcome, "success");
    assert.deepEqual(texts(agent), ["one", "two"]);
  });

  it("that comes late keeps edits that nobody ran", async () => {
    const late = deferred();
    const agent = create({ restore: late.promise });
    agent.setState({ mine: true });
    late.resolve({ ...saved, threadId: "u" });
    await turn();
    const { threadId, state, status } = agent.getSnapshot();
    assert.deepEqual([threadId, texts(agent), state, status], ["u", ["one"], { ...saved.state, mine: true }, "idle"]);
  });

  it("that comes after a reset is ignored", async () => {
    const late = deferred();
    const agent = create({ restore: late.promise });
    agent.reset();
    late.resolve(saved);
    await turn();
    assert.deepEqual(texts(agent), []);
  });

  for (const [name, given, why] of [
    ["no object", "text", /version undefined/],
    ["another version", { ...saved, v: 2 }, /version 2/],
    ["another thread", { ...saved, threadId: "other" }, /other/],
    ["no thread", { v: 1, messages }, /of thread undefined/],
    ["no messages", { ...saved, messages: undefined }, /damaged/],
    ["damaged messages", { ...saved, messages: [{ role: "user" }] }, /damaged/],
    ["a queue that is none", { ...saved, queue: { length: 1 } }, /damaged/],
    ["a damaged queue", { ...saved, queue: [null] }, /damaged/],
    ["a promise that fails", () => Promise.reject(new Error("disk")), /disk/],
  ]) {
    it(`that is ${name} is refused, and the agent is empty`, async () => {
      const errors = [];
      const restore = typeof given === "function" ? given() : given;
      const agent = create({ threadId: "t", restore, onError: (error) => errors.push(error) });
      await turn();
      assert.deepEqual(errors.map(({ kind, code }) => [kind, code]), [["unsupported", "restore"]]);
      assert.match(errors[0].message, why);
      assert.ok(AgentError.is(errors[0]));
      assert.deepEqual([texts(agent), agent.getSnapshot().status, agent.getSnapshot().threadId], [[], "idle", "t"]);
      agent.submit("1");
      await until(() => Session.last);
    });
  }

  it("that the core refuses is reported, and what waits continues without it", async () => {
    const errors = [];
    Session.refuseSave = new Error("unknown ledger");
    const agent = create({ restore: saved, initialMessages: [user("i", "first")], onError: (error) => errors.push(error) });
    const result = agent.submit("two");
    await until(() => errors.length);
    assert.deepEqual(errors.map(({ code }) => code), ["restore"]);
    assert.match(errors[0].message, /unknown ledger/);
    Session.last.finish();
    assert.equal((await result).outcome, "success");
    assert.deepEqual(texts(agent), ["first", "two"]);
  });
});

describe("persist", () => {
  /** A store that remembers. */
  function memory(first) {
    const store = { saves: [], now: first, load: mock.fn(() => store.now), save: (saved) => void store.saves.push(store.now = saved), clear() {} };
    return storeOf(store);
  }
  const page = () => Object.assign(new EventTarget(), { visibilityState: "visible" });
  const hide = () => {
    document.visibilityState = "hidden";
    document.dispatchEvent(new Event("visibilitychange"));
  };
  beforeEach(() => void (globalThis.document = page()));
  afterEach(() => {
    delete globalThis.document;
    delete globalThis.localStorage;
    delete globalThis.indexedDB;
  });

  it("restores, and saves what is accepted, after every run and when the page is hidden", async () => {
    const store = memory({ v: 1, threadId: "t", messages: [user("a", "one")], state: {} });
    const agent = create({ persist: store });
    const saved = () => store.saves.splice(0).length;
    assert.deepEqual(texts(agent), ["one"]);
    hide();
    assert.equal(saved(), 0);
    const result = agent.submit({ message: "two", runId: "r" });
    // There is no core yet that could say so.
    assert.deepEqual([saved(), store.now.queue[0].runId, store.now.queue[0].messages[0].content], [1, "r", "two"]);
    await until(() => Session.last);
    assert.ok(saved());
    Session.last.finish();
    await result;
    assert.equal(saved(), 1);
    assert.deepEqual(store.now.handled, ["kept"]);
    hide();
    agent.setState({ n: 1 });
    await turn();
    saved();
    hide();
    assert.equal(saved(), 1);
    hide();
    assert.equal(saved(), 0);
    agent.reset();
    assert.equal(saved(), 1);
    await turn();
    agent.setState({ n: 3 });
    agent.dispose();
    assert.equal(saved(), 1);
    hide();
    assert.equal(saved(), 0);
  });

  it("asks the store only where there is no `restore`", () => {
    const store = memory();
    create({ persist: store, restore: { v: 1, threadId: "t", messages: [], state: 5 } });
    assert.equal(store.load.mock.callCount(), 0);
  });

  it("saves one at a time, and the newest last", async () => {
    const [first, done] = [deferred(), []];
    const store = storeOf({ load() {}, save: async ({ state }) => (state.n === 1 && (await first.promise), done.push(state.n)), clear() {} });
    const agent = create({ persist: store });
    for (const n of [1, 2, 3]) {
      agent.setState({ n });
      hide();
    }
    first.resolve();
    await turn();
    assert.deepEqual(done, [1, 3]);
  });

  it("warns when the store refuses, and lives on when it cannot be read", async () => {
    const warnings = [];
    const errors = [];
    const full = () => {
      throw new Error("quota exceeded");
    };
    const agent = create({
      persist: storeOf({ load: full, save: full, clear() {} }),
      onWarning: (warning) => warnings.push(warning),
      onError: ({ code }) => errors.push(code),
    });
    await turn();
    assert.deepEqual(errors, ["restore"]);
    agent.setState(1);
    hide();
    await turn();
    assert.deepEqual(warnings.map(({ code }) => code), ["not-saved"]);
    assert.match(warnings[0].message, /quota/);
  });

  it("in localStorage", async () => {
    const items = fakeStorage();
    const store = localStorageStore("chat");
    const agent = create({ threadId: "t", persist: store });
    agent.setMessages([user("a", "kept")]);
    hide();
    assert.deepEqual(texts(create({ persist: localStorageStore("chat") })), ["kept"]);
    forgetThreads();
    assert.deepEqual(texts(create({ persist: localStorageStore("chat") })), ["kept"]);
    forgetThreads();
    items.set("chat", "{broken");
    const errors = [];
    create({ persist: store, onError: ({ code }) => errors.push(code) });
    await turn();
    assert.deepEqual(errors, ["restore"]);
    store.clear();
    assert.equal(store.load(), undefined);
    delete globalThis.document;
    assert.equal(localStorageStore("chat").load(), undefined);
  });

  it("in IndexedDB", async () => {
    globalThis.indexedDB = fakeIndexedDb();
    const agent = create({ threadId: "t", persist: indexedDbStore("app", "chat") });
    await turn();
    agent.setMessages([user("a", "kept")]);
    hide();
    await turn();
    const next = create({ persist: indexedDbStore("app", "chat") });
    await until(() => texts(next).length);
    assert.deepEqual(texts(next), ["kept"]);
    const store = indexedDbStore("app", "chat");
    await store.clear();
    assert.equal(await store.load(), undefined);
    delete globalThis.indexedDB;
    assert.equal(await store.load(), undefined);
    await store.save({});
  });

  it("in IndexedDB, over one connection, which is opened again when it was closed", async () => {
    const fake = fakeIndexedDb();
    const opened = [];
    const open = (name) => {
      const request = fake.open(name);
      opened.push(request.result);
      return request;
    };
    globalThis.indexedDB = { open };
    const store = indexedDbStore("other", "chat");
    await store.save({ n: 1 });
    // Nothing is waited for: the second takes effect after the first, and the removal after both.
    await Promise.all([store.save({ n: 2 }), store.save({ n: 3 })]);
    assert.deepEqual([await store.load(), opened.length], [{ n: 3 }, 1]);
    const gone = store.save({ n: 4 });
    await store.clear();
    await gone;
    assert.equal(await store.load(), undefined);
    opened[0].onversionchange();
    await store.save({ n: 5 });
    assert.equal(opened.length, 2);
    opened[1].close();
    await store.save({ n: 6 });
    assert.deepEqual([await store.load(), opened.length], [{ n: 6 }, 3]);
  });
});
