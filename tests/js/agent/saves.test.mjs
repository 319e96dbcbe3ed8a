// Saves: who writes them, when, and from what; over a core that does what the test says, and stores that fail in every way.

import assert from "node:assert/strict";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { after, afterEach, before, beforeEach, describe, it, mock } from "node:test";
import { Session, trap } from "../fake-core.mjs";
import { deferred, folder, load, real, until } from "../lib.mjs";
import { localWorkers } from "../thread.mjs";

const { createAgentWith } = await load("agent/agent");
const { indexedDbStore, localStorageStore } = await load("agent/stores");

setFlagsFromString("--expose_gc");
const gc = runInNewContext("gc");

const core = async () => ({ Session });
const never = () => new Promise(() => {});
const user = (id, content) => ({ id, role: "user", content });
const turn = () => new Promise(setImmediate);
const texts = (agent) => agent.getSnapshot().messages.map(({ content }) => content);
const waiting = (saved) => saved.queue.map(({ runId }) => runId);

const queued = (runId) => ({ start: "submit", runId, messages: [user(`m-${runId}`, runId)], tools: [], context: [], forwardedProps: {}, pageTools: [] });
/** A save with all that may be lost. */
const full = {
  ...{ v: 1, threadId: "t", messages: [user("a", "one")], state: { n: 1 }, unsent: ["x"], handled: ["call"], queue: [queued("q")] },
  interrupts: [{ id: "i", reason: "ask" }],
};

let agents = [];
const create = (options, source = core, make = createAgentWith) => {
  const agent = make(source, { url: "/agent", notify: "sync", threadId: "t", ...options });
  agents.push(agent);
  return agent;
};

/** A store that remembers all that it was given. */
function memory(now, more = {}) {
  const store = { saves: [], now, load: () => store.now, save: (saved) => void store.saves.push((store.now = saved)), clear: () => void (store.now = undefined), ...more };
  return store;
}

const page = () => {
  const document = Object.assign(new EventTarget(), { visibilityState: "visible", listening: 0 });
  for (const [name, step] of [["addEventListener", 1], ["removeEventListener", -1]]) {
    const method = document[name].bind(document);
    document[name] = (...args) => ((document.listening += step), method(...args));
  }
  return document;
};
const hide = () => {
  document.visibilityState = "hidden";
  document.dispatchEvent(new Event("visibilitychange"));
};

beforeEach(() => {
  Session.all = [];
  Session.refuse = Session.refuseSave = undefined;
  globalThis.document = page();
});
afterEach(() => {
  mock.timers.reset();
  for (const agent of agents.splice(0)) agent.dispose();
  delete globalThis.document;
});

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
    assert.deepEqual(store.now.messages, [], "what was taken away does not come back");
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

describe("one owner in a page", () => {
  const restored = () => Session.all.filter((session) => session.restored);

  it("of two that are mounted with the same queue, one begins with it", async () => {
    const store = memory(full);
    const [one, other] = [create({ persist: store }), create({ persist: store })];
    one.subscribe(() => {});
    other.subscribe(() => {});
    await turn();
    await turn();
    const working = restored().filter(({ disposed }) => !disposed);
    assert.equal(working.length, 1);
    assert.deepEqual(texts(one), ["one"]);
    assert.deepEqual(texts(other), ["one"]);
  });

  it("an older one that still runs does not write over the newer one's save, and begins nothing", async () => {
    const store = memory();
    const old = create({ persist: store });
    const first = old.submit({ message: "1", runId: "r1" });
    await until(() => Session.last);
    const second = old.submit({ message: "2", runId: "r2" });
    const [session] = Session.all;
    session.save = () => JSON.stringify({ ...full, runId: "r1", messages: [user("a", "1")], queue: [queued("r2")] });
    const next = create({ persist: store });
    void next.submit({ message: "3", runId: "r3" });
    await until(() => Session.all.length === 2);
    const mine = Session.last;
    assert.deepEqual(waiting(mine.restored), ["r2"], "what waited there waits here");
    mine.save = () => JSON.stringify({ ...full, messages: [user("b", "3")] });
    mine.finish();
    const { now } = store;
    assert.equal((await second).outcome, "aborted");
    session.save = () => JSON.stringify({ ...full, messages: [] });
    session.finish();
    assert.equal((await first).outcome, "success", "its own result is told");
    await turn();
    hide();
    old.dispose();
    assert.deepEqual(store.now, now);
    assert.equal(session.calls.filter(([name]) => name === "submit").length, 2);
  });

  it("one that is no longer used finishes what it does, then hands over", async () => {
    const store = memory();
    const old = create({ persist: store });
    const off = old.subscribe(() => {});
    const first = old.submit("1");
    await until(() => Session.last);
    off();
    const next = create({ persist: store });
    next.subscribe(() => {});
    await turn();
    assert.equal(Session.all.length, 1, "it waits");
    Session.last.save = () => JSON.stringify({ ...full, queue: [], messages: [user("a", "1"), { id: "b", role: "assistant", content: "said" }] });
    Session.last.say("said");
    Session.last.finish();
    assert.equal((await first).outcome, "success");
    await until(() => texts(next).includes("said"));
    assert.deepEqual(texts(next), ["1", "said"]);
    assert.ok(store.now.messages.length === 2, "and its result is saved");
    // And back.
    const again = next.submit("2");
    await until(() => Session.all.length === 2);
    Session.last.finish();
    await again;
    old.submit("3");
    await until(() => Session.all.length === 3);
    assert.deepEqual(Session.all[2].restored.handled, ["kept"], "it begins with what the other had");
  });

  it("whose page has another store is not asked", async () => {
    const [one, other] = [memory(), memory()];
    const agents = [create({ persist: one }), create({ persist: other })];
    for (const agent of agents) agent.submit("x");
    await until(() => Session.all.length === 2);
    for (const session of Session.all) session.finish();
    assert.ok(one.saves.length && other.saves.length);
  });

  it("keeps no agent that nobody uses", async () => {
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

/** Locks as a browser has them, for all pages of the test. */
function fakeLocks() {
  const held = new Map();
  const take = async (name, callback) => {
    try {
      return await callback({ name });
    } finally {
      const line = held.get(name);
      if (line.length) line.shift()();
      else held.delete(name);
    }
  };
  return {
    request: async (name, options, callback = options) => {
      if (!held.has(name)) {
        held.set(name, []);
        return take(name, callback);
      }
      if (options.ifAvailable) return callback(null);
      await new Promise((resolve) => held.get(name).push(resolve));
      return take(name, callback);
    },
  };
}

describe("one owner of all tabs", () => {
  const place = mkdtempSync(join(tmpdir(), "ag-ui-tabs-"));
  let tabs;
  before(async () => {
    // Modules of their own are what tells one tab from another.
    for (const name of ["one", "two"]) {
      cpSync(fileURLToPath(folder), join(place, name), { recursive: true, filter: (path) => !/\.wasm$|bytes\.js$/.test(path) });
    }
    tabs = await Promise.all(["one", "two"].map((name) => import(pathToFileURL(join(place, name, "agent/agent.js")))));
  });
  after(() => rmSync(place, { recursive: true, force: true }));

  let navigators;
  beforeEach(() => {
    navigators = Object.getOwnPropertyDescriptor(globalThis, "navigator");
    Object.defineProperty(globalThis, "navigator", { value: { locks: fakeLocks() }, configurable: true, writable: true });
  });
  afterEach(() => {
    for (const agent of agents.splice(0)) agent.dispose();
    if (navigators) Object.defineProperty(globalThis, "navigator", navigators);
    else delete globalThis.navigator;
  });

  const open = (tab, options) => {
    const agent = create(options, core, tabs[tab].createAgentWith);
    agent.subscribe(() => {});
    return agent;
  };
  let keys = 0;
  const shared = (now) => {
    const key = `shared ${++keys}`;
    const all = { now, saves: [] };
    const store = () => ({ key, load: () => all.now, save: (saved) => void all.saves.push((all.now = saved)), clear() {} });
    return { all, store };
  };
  const working = () => Session.all.filter(({ disposed }) => !disposed);

  it("the second one shows what was saved, and begins nothing while the first is at work; then it takes over", async () => {
    const { all, store } = shared(full);
    const one = open(0, { persist: store() });
    await until(() => working().length === 1);
    Session.last.save = () => JSON.stringify(full);
    void one.submit("mine");
    const warnings = [];
    const two = open(1, { persist: store(), onWarning: ({ code }) => warnings.push(code) });
    await turn();
    assert.deepEqual(texts(two), ["one"]);
    await until(() => warnings.length);
    assert.deepEqual([warnings, working().length], [["not-owner"], 1]);
    const saves = all.saves.length;
    hide();
    two.dispose();
    assert.ok(all.saves.length <= saves + 1);
    working()[0].finish();
  });

  it("the first one lets go when it is idle, and the second reads the store again", async () => {
    const { all, store } = shared();
    const one = open(0, { persist: store() });
    const run = one.submit("1");
    await until(() => working().length === 1);
    const two = open(1, { persist: store() });
    const second = two.submit("2");
    await turn();
    assert.equal(Session.all.length, 1);
    const [session] = Session.all;
    session.save = () => JSON.stringify({ ...full, queue: [], messages: [user("a", "1")] });
    session.finish();
    await run;
    await until(() => Session.all.length === 2 && Session.last.calls.length);
    assert.ok(session.disposed, "nothing goes on in the first");
    assert.deepEqual(Session.last.restored.messages.map(({ content }) => content), ["1"]);
    assert.deepEqual(texts(two), ["1", "2"]);
    Session.last.save = () => JSON.stringify({ ...full, queue: [], messages: [user("a", "1"), user("b", "2")] });
    Session.last.finish();
    assert.equal((await second).outcome, "success");
    // The first is used again, and knows what happened.
    void one.submit("3");
    await until(() => Session.all.length === 3);
    assert.deepEqual(Session.last.restored.messages.map(({ content }) => content), ["1", "2"]);
    assert.equal(all.now.threadId, "t");
  });

  it("the first one lets go while its core is on the way, and begins with what it gets back", async () => {
    const { store } = shared({ ...full, queue: [] });
    const late = deferred();
    const one = create({ persist: store() }, () => late.promise, tabs[0].createAgentWith);
    one.subscribe(() => {});
    await turn();
    const two = open(1, { persist: store() });
    await until(() => Session.last?.restored);
    late.resolve({ Session });
    await turn();
    await turn();
    assert.equal(Session.all.length, 1);
    two.dispose();
    await until(() => Session.all.length === 2);
    assert.deepEqual(Session.last.restored.handled, ["kept"]);
  });

  it("the second one goes on when the first has gone", async () => {
    const { store } = shared(full);
    const one = open(0, { persist: store() });
    await until(() => working().length === 1);
    void one.submit("mine");
    const two = open(1, { persist: store() });
    await turn();
    assert.equal(Session.all.length, 1);
    one.dispose();
    await until(() => working().length === 1 && Session.all.length === 2);
    assert.deepEqual(Session.last.restored.handled, ["kept"]);
    two.dispose();
  });

  describe("in workers", () => {
    /** Tells all tabs at once, in the call. */
    class Channel {
      static all = new Set();
      constructor(name) {
        this.name = name;
        Channel.all.add(this);
      }
      postMessage(data) {
        for (const other of Channel.all) if (other !== this && other.name === this.name) other.onmessage?.({ data });
      }
      close() {
        Channel.all.delete(this);
      }
    }
    const { BroadcastChannel } = globalThis;
    let spawn, makers;
    before(async () => {
      makers = await Promise.all(["one", "two"].map((name) => import(pathToFileURL(join(place, name, "worker/agent.js")))));
    });
    beforeEach(async () => {
      globalThis.BroadcastChannel = Channel;
      ({ spawn } = await localWorkers(core));
    });
    afterEach(() => {
      Channel.all.clear();
      globalThis.BroadcastChannel = BroadcastChannel;
    });
    const openIn = (tab, options) => {
      const agent = create(options, core, (source, given) => makers[tab].createWorkerAgentWith(source, spawn, undefined, given));
      agent.subscribe(() => {});
      return agent;
    };
    /** An agent that has run once, and the channel over which another tab asks for its store. */
    const used = async (options) => {
      const { all, store } = shared();
      const agent = openIn(0, { persist: store(), ...options });
      const run = agent.submit("1");
      await until(() => Session.last?.calls.length);
      Session.last.finish();
      await run;
      await until(() => all.saves.length);
      const other = new Channel(`ag-ui-wasm:${store().key}`);
      return { agent, all, store, want: () => other.postMessage("want") };
    };

    it("a run that its worker has not answered for yet is finished before the store goes to another tab", async () => {
      const { agent, store, want } = await used();
      const [session] = Session.all;
      const run = agent.submit("2");
      const two = openIn(1, { persist: store() });
      want();
      await turn();
      await until(() => session.calls.filter(([name]) => name === "submit").length === 2);
      session.finish();
      assert.equal((await run).outcome, "success");
      const second = two.submit("3");
      await until(() => Session.all.length === 2 && Session.last.calls.some(([name]) => name === "submit"));
      Session.last.finish();
      assert.equal((await second).outcome, "success");
    });

    it("a decision that its worker has not heard of is not lost when another tab asks for the store", async () => {
      const { agent, store, want } = await used();
      const [session] = Session.all;
      agent.addToolResult({ toolCallId: "c", result: 1 });
      want();
      await until(() => session.calls.some(([name]) => name === "settleCall"));
      // Nothing came of it: then the other tab has its turn.
      const two = openIn(1, { persist: store() });
      void two.submit("2");
      await until(() => Session.all.length === 2 && Session.last.calls.some(([name]) => name === "submit"));
    });

    it("the run of an older agent of the same page goes on, without a save, while a newer one works", async () => {
      const { store } = shared();
      const old = openIn(0, { persist: store() });
      const first = old.submit({ message: "1", runId: "r1" });
      await until(() => old.getSnapshot().runId === "r1" && Session.last?.calls.length);
      await turn();
      const [session] = Session.all;
      const waits = old.submit({ message: "2", runId: "r2" });
      await turn();
      const next = openIn(0, { persist: store() });
      void next.submit({ message: "3", runId: "r3" });
      await until(() => Session.all.length === 2);
      assert.equal((await waits).outcome, "aborted");
      assert.deepEqual(waiting(Session.last.restored), ["r2"]);
      session.finish();
      assert.equal((await first).outcome, "success");
    });
  });
});

describe("with the core itself", { skip: !real }, () => {
  /** A server that says what it is told to, one answer a request. */
  async function talking(options) {
    const { createAgent } = await load("index");
    const sent = [];
    const fetch = (_, { body, signal }) => {
      sent.push(JSON.parse(body));
      let controller;
      const stream = new ReadableStream({ start: (made) => void (controller = made) });
      signal?.addEventListener("abort", () => controller.error(new Error("aborted")));
      const say = (...events) => {
        for (const event of events) controller.enqueue(new TextEncoder().encode(`data: ${JSON.stringify(event)}\n\n`));
      };
      Object.defineProperty(sent.at(-1), "say", { value: say });
      Object.defineProperty(sent.at(-1), "end", { value: () => controller.close() });
      return Promise.resolve(new Response(stream, { headers: { "content-type": "text/event-stream" } }));
    };
    const agent = createAgent({ url: "http://agent/", threadId: "t", notify: "sync", fetch, ...options });
    agents.push(agent);
    return { agent, sent };
  }
  const started = ({ runId }) => ({ type: "RUN_STARTED", threadId: "t", runId });
  const finished = ({ runId }) => ({ type: "RUN_FINISHED", threadId: "t", runId });
  const call = [{ type: "TOOL_CALL_START", toolCallId: "c", toolCallName: "f" }, { type: "TOOL_CALL_END", toolCallId: "c" }];

  it("a page that is left while a tool works and a submit waits: neither is done again, nor lost", async () => {
    const store = memory();
    const execute = mock.fn(never);
    const tools = [{ name: "f", description: "d", execute }];
    const one = await talking({ persist: store, tools });
    void one.agent.submit("1");
    await until(() => one.sent.length);
    void one.agent.submit({ message: "2", runId: "second" });
    one.sent[0].say(started(one.sent[0]), ...call);
    await until(() => execute.mock.callCount());
    assert.ok(store.saves.find(({ handled }) => handled.includes("c")));
    one.agent.dispose();
    assert.deepEqual([store.now.handled, waiting(store.now)], [["c"], ["second"]]);
    const two = await talking({ persist: store, tools });
    two.agent.subscribe(() => {});
    void two.agent.retry();
    await until(() => two.sent.length);
    two.sent[0].say(started(two.sent[0]), ...call, finished(two.sent[0]));
    two.sent[0].end();
    await until(() => two.sent.length === 2);
    // What waited before goes first.
    assert.deepEqual(two.sent.map(({ runId }) => runId === "second"), [true, false]);
    assert.deepEqual(two.sent[0].messages.filter(({ role }) => role === "user").map(({ content }) => content), ["1", "2"]);
    assert.equal(execute.mock.callCount(), 1);
  });

  it("a store that is late holds back the request and the call, each until the save that knows of it", async () => {
    const steps = [];
    const store = memory(undefined, {
      save: async (saved) => {
        await turn();
        steps.push(saved.handled.includes("c") ? "call saved" : saved.running ? "run saved" : "saved");
      },
    });
    const execute = mock.fn(() => void steps.push("executed"));
    const { agent, sent } = await talking({ persist: store, tools: [{ name: "f", description: "d", execute, followUp: false }], saving: { waitMs: 9999 } });
    void agent.submit("1");
    await until(() => sent.length);
    steps.push("sent");
    sent[0].say(started(sent[0]), ...call);
    await until(() => steps.includes("executed"));
    assert.ok(steps.indexOf("run saved") < steps.indexOf("sent"), steps.join());
    assert.ok(steps.indexOf("call saved") < steps.indexOf("executed"), steps.join());
  });

  it("joins a run by itself after a reload", async () => {
    const store = memory();
    const resume = { by: "replay", url: () => "http://agent/join" };
    const one = await talking({ persist: store, resume });
    void one.agent.submit({ message: "1", runId: "r" });
    await until(() => one.sent.length);
    one.sent[0].say(started(one.sent[0]));
    await until(() => one.agent.getSnapshot().connection.phase === "open");
    const left = structuredClone(store.now);
    const asked = [];
    const fetch = async (url) => {
      asked.push(url);
      const events = [started({ runId: "r" }), { type: "TEXT_MESSAGE_START", messageId: "m" }, { type: "TEXT_MESSAGE_CONTENT", messageId: "m", delta: "yes" }, { type: "TEXT_MESSAGE_END", messageId: "m" }, finished({ runId: "r" })];
      return new Response(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(""), { headers: { "content-type": "text/event-stream" } });
    };
    const two = await talking({ persist: memory(left), resume, fetch });
    two.agent.subscribe(() => {});
    // Who does it by hand, as one had to, joins the same one.
    assert.equal((await two.agent.attach()).outcome, "success");
    assert.deepEqual([texts(two.agent), asked], [["1", "yes"], ["http://agent/join"]]);
    // Nor has anybody to.
    const own = await talking({ persist: memory(left), resume, fetch });
    own.agent.subscribe(() => {});
    await until(() => texts(own.agent).at(-1) === "yes");
    asked.length = 1;
    const three = await talking({ persist: memory(left), resume, fetch, autoAttach: false });
    three.agent.subscribe(() => {});
    await until(() => three.agent.getSnapshot().outcome === "truncated");
    assert.equal(asked.length, 1);
  });
});

describe("the stores of the package", () => {
  it("name their place", () => {
    assert.notEqual(localStorageStore("a").key, localStorageStore("b").key);
    assert.equal(localStorageStore("a").key, localStorageStore("a").key);
    assert.notEqual(indexedDbStore("a", "b").key, indexedDbStore("a", "c").key);
  });
});
