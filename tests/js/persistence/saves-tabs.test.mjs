// Saves of several tabs: one of them owns the store.

import assert from "node:assert/strict";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { after, afterEach, before, beforeEach, describe, it } from "node:test";
import { follow, Session } from "../fake-core.mjs";
import { carried, deferred, folder, load, real, until } from "../lib.mjs";
import { localWorkers } from "../thread.mjs";
import { agents, core, create, full, hide, never, page, queued, texts, turn, user, waiting } from "./over-stores.mjs";

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
    const modules = (name) =>
      Promise.all(
        ["agent/agent.js", "persistence/open.js", "thread/registry.js", "core/driver.js"].map((file) => import(pathToFileURL(join(place, name, file)))),
      );
    tabs = (await Promise.all(["one", "two"].map(modules))).map((all) => Object.assign({}, ...all));
    tabs.forEach(follow);
    await Promise.all(tabs.map(({ loadSaves }) => loadSaves()));
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

  // A store brings what its tab has for it.
  const inTab = (tab, { persist, ...options }) => ({ ...options, persist: { ...persist, open: tabs[tab].openStored, share: tabs[tab].shareThread } });
  const open = (tab, options) => {
    const agent = create(inTab(tab, options), core, tabs[tab].createAgentWith);
    agent.subscribe(() => {});
    return agent;
  };
  let keys = 0;
  const shared = (now) => {
    const key = `shared ${++keys}`;
    const all = { now, saves: [] };
    const store = () => ({ key, load: () => all.now, save: (saved) => void all.saves.push(all.now = saved), clear() {} });
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

  it("a second one that begins anew takes away what it has shown, and nothing that was said since", async () => {
    const now = { ...full, queue: [], interrupts: [] };
    const { store } = shared(now);
    const one = open(0, { persist: store() });
    const run = one.submit("1");
    await until(() => working().length === 1);
    Session.last.save = () => JSON.stringify(now);
    const two = open(1, { persist: store() });
    await until(() => texts(two).length);
    two.reset();
    const second = two.submit("2");
    assert.deepEqual(texts(two), ["2"]);
    const [session] = Session.all;
    session.save = () => JSON.stringify({ ...full, queue: [], interrupts: [], messages: [user("a", "one"), user("b", "1")] });
    session.finish();
    await run;
    await until(() => Session.all.length === 2 && Session.last.calls.length);
    assert.deepEqual(Session.last.restored.messages.map(({ content }) => content), ["1"]);
    assert.deepEqual(texts(two), ["1", "2"]);
    // So does the first one, which waits now.
    one.reset();
    void one.submit("3");
    for (let turns = 0; turns < 20; turns++) await turn();
    assert.deepEqual([texts(one), working().length], [["3"], 1]);
    Session.last.finish();
    assert.equal((await second).outcome, "success");
  });

  it("the first one asks for the store again where it has let go before what was said could begin", async () => {
    const { store } = shared({ ...full, queue: [], interrupts: [] });
    const one = open(0, { persist: store(), fetch: never, thread: { send: "new" } });
    const run = one.submit("1");
    await until(() => working().length === 1 && Session.last.calls.length);
    Session.last.save = () => JSON.stringify({ ...full, queue: [], interrupts: [] });
    const two = open(1, { persist: store() });
    void two.submit("2");
    await turn();
    one.reset();
    const third = one.submit("3");
    assert.equal((await run).outcome, "aborted");
    await until(() => Session.all.length === 2 && Session.last.calls.length);
    Session.last.save = () => JSON.stringify({ ...full, queue: [], interrupts: [] });
    Session.last.finish();
    await until(() => Session.all.length === 3 && Session.last.calls.length);
    Session.last.finish();
    assert.equal((await third).outcome, "success");
  });

  it("a submit that is taken out in the second one does not begin there, nor stays in the save", async () => {
    const { all, store } = shared(full);
    const one = open(0, { persist: store() });
    await until(() => working().length === 1);
    const save = { ...full, queue: [...full.queue, queued("r")] };
    Session.last.save = () => JSON.stringify(save);
    const run = one.submit("mine");
    const two = open(1, { persist: store() });
    await until(() => texts(two).length);
    assert.deepEqual([two.cancelQueued("q"), two.editQueued("r", "edited")], [true, true]);
    await turn();
    assert.deepEqual(waiting(Session.last.restored), ["q"], "the first one goes on");
    working()[0].finish();
    await run;
    await until(() => Session.all.length === 2 && Session.last.restored);
    const left = ({ queue }) => queue.map(({ runId, messages: [{ content }] }) => [runId, content]);
    assert.deepEqual([left(Session.last.restored), left(all.now)], [[["r", "edited"]], [["r", "edited"]]]);
  });

  it("a tab whose agent has ended, and has yet to write, keeps the others waiting", async () => {
    const { store } = shared();
    const late = deferred();
    const one = open(0, { persist: { ...store(), load: () => late.promise } });
    await turn();
    one.setMessages([user("a", "mine")]);
    one.dispose();
    const two = open(1, { persist: store() });
    await turn();
    late.resolve(undefined);
    await until(() => texts(two).includes("mine"));
  });

  it("the first one lets go while its core is on the way, and begins with what it gets back", async () => {
    const { store } = shared({ ...full, queue: [] });
    const late = deferred();
    const one = create(inTab(0, { persist: store() }), () => late.promise, tabs[0].createAgentWith);
    one.subscribe(() => {});
    await turn();
    const two = open(1, { persist: store() });
    await until(() => Session.last?.restored);
    late.resolve({ CoreSession: Session });
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

  it("what a tab could not write, as its store gave no answer, is there when it has the store again", async () => {
    const { all, store } = shared(full);
    let answers = false;
    const codes = [];
    const load = () => (answers ? all.now : never());
    const one = open(0, { persist: { ...store(), load }, saving: { loadMs: 5 }, onWarning: ({ code }) => codes.push(code) });
    await until(() => codes.includes("not-restored"));
    one.setMessages([user("b", "mine")]);
    const two = open(1, { persist: store() });
    await until(() => texts(two).includes("one"));
    answers = true;
    two.dispose();
    await until(() => texts(one).length === 2);
    assert.deepEqual(texts(one), ["one", "mine"]);
  });

  it("an edit that waits for another tab keeps its place before an agent of other options", async () => {
    const { all, store } = shared({ ...full, queue: [] });
    const one = open(0, { persist: store() });
    await until(() => working().length === 1);
    Session.last.save = () => JSON.stringify(all.now);
    void one.submit("1");
    const two = open(1, { persist: store() });
    await until(() => texts(two).length);
    two.setMessages((messages) => [...messages, user("e", "edited")]);
    const three = open(1, { persist: store(), rules: "strict" });
    await turn();
    one.dispose();
    await until(() => all.now.messages.some(({ id }) => id === "e"));
    await until(() => texts(three).includes("edited"));
  });

  for (const ms of [0, 50])
    it(`a call that nobody is there for keeps no other tab waiting; a save takes ${ms} ms`, { skip: !real }, async () => {
      const { all, store: quick } = shared();
      // A call is begun once it is saved: while its run goes on, or after that.
      const save = (saved) => void (all.now = saved);
      const slow = (saved) => new Promise((done) => setTimeout(done, ms)).then(() => save(saved));
      const store = () => ({ ...quick(), save: ms ? slow : save });
      const source = await carried();
      const said = [];
      /** A component in that tab; its server's answers are the test's. */
      const component = (tab) => {
        const fetch = async (_, { body }) => {
          const given = JSON.parse(body);
          const stream = new ReadableStream({ start: (controller) => void (given.controller = controller) });
          said.push(given);
          return new Response(stream, { headers: { "content-type": "text/event-stream" } });
        };
        const tools = [{ name: "f", description: "d", execute: never }];
        const agent = create(inTab(tab, { persist: store(), tools, fetch }), source, (from, given) => tabs[tab].createAgentWith(from, given, true));
        return { agent, unmount: agent.subscribe(() => {}) };
      };
      const one = component(0);
      let result;
      one.agent.submit("1").then(({ outcome }) => (result = outcome));
      await until(() => said.length);
      one.unmount();
      await new Promise((done) => setTimeout(done));
      const two = component(1);
      await turn();
      const [{ controller, runId }] = said;
      const call = [{ type: "TOOL_CALL_START", toolCallId: "c", toolCallName: "f" }, { type: "TOOL_CALL_END", toolCallId: "c" }];
      for (const event of [{ type: "RUN_STARTED", threadId: "t", runId }, ...call, { type: "RUN_FINISHED", threadId: "t", runId }]) {
        controller.enqueue(new TextEncoder().encode(`data: ${JSON.stringify(event)}\n\n`));
      }
      controller.close();
      await until(() => said.length === 2);
      assert.match(said[1].messages.at(-1).content, /page was left/);
      assert.equal(result, "disconnected");
      assert.equal(two.agent.getSnapshot().isLoading, true);
    });

  it("a thread that could not be opened keeps no other tab waiting", { skip: !real }, async () => {
    const { store } = shared();
    const source = await carried();
    const sent = [];
    const fetch = async (_, { body }) => {
      const { runId, messages } = JSON.parse(body);
      sent.push(messages.map(({ content }) => content));
      const events = ["RUN_STARTED", "RUN_FINISHED"].map((type) => `data: ${JSON.stringify({ type, threadId: "t", runId })}\n\n`);
      return new Response(events.join(""), { headers: { "content-type": "text/event-stream" } });
    };
    const inThat = (tab, load) => {
      const agent = create(inTab(tab, { persist: store(), thread: { load }, fetch }), source, tabs[tab].createAgentWith);
      agent.subscribe(() => {});
      return agent;
    };
    let fails = true;
    const one = inThat(0, async () => (fails ? Promise.reject(new Error("no network")) : { messages: [user("a", "stored")] }));
    let outcome;
    void one.submit("mine").then((result) => (outcome = result.outcome));
    await until(() => one.getSnapshot().thread.status === "error");
    assert.deepEqual([sent, outcome], [[], undefined], "it waits");
    const two = inThat(1, async () => ({ messages: [user("a", "stored")] }));
    await until(() => sent.length);
    assert.deepEqual([sent, outcome], [[["stored", "mine"]], "disconnected"]);
    await until(() => !two.getSnapshot().isLoading);
    fails = false;
    const next = one.submit("more");
    await until(() => sent.length === 2);
    assert.deepEqual([sent[1], (await next).outcome], [["stored", "mine", "more"], "success"]);
  });

  it("a tab pages back in a thread that another tab has opened once more, and not so far back", { skip: !real }, async () => {
    const { store } = shared();
    const source = await carried();
    const thread = ["1", "2", "3", "4"].map((id) => user(id, id));
    const load = async ({ before }) => {
      const at = before === undefined ? thread.length : thread.findIndex(({ id }) => id === before);
      return { messages: thread.slice(at - 2, at), older: at > 2 };
    };
    const [one, two] = [0, 1].map((tab) => create(inTab(tab, { persist: store(), thread: { load } }), source, tabs[tab].createAgentWith));
    const hasOlder = (agent) => agent.getSnapshot().thread.hasOlder;
    one.subscribe(() => {});
    await one.ready;
    await one.loadOlder();
    assert.deepEqual([texts(one), hasOlder(one)], [["1", "2", "3", "4"], false]);
    two.subscribe(() => {});
    // A channel between tabs does not keep Node running.
    await Promise.all([two.load(), until(() => texts(one).length === 2)]);
    assert.deepEqual([texts(one), hasOlder(one)], [["3", "4"], true]);
    const [hasMore] = await Promise.all([one.loadOlder(), until(() => texts(one).length === 4)]);
    assert.equal(hasMore, true);
    assert.deepEqual([texts(one), hasOlder(one)], [["1", "2", "3", "4"], false]);
    await until(() => texts(two).length === 4);
  });

  it("a tab whose decision waits because the core could not be loaded shows all that another tab saves", async () => {
    const { AgentError } = await load("api/error");
    const failure = new AgentError({ kind: "internal", code: "load", message: "no network", retryable: true });
    const turn = { calls: [{ id: "c", name: "f", args: "{}", stage: "waiting" }] };
    const { store } = shared({ ...full, queue: [], messages: [user("a", "1")], turn });
    const one = create(inTab(0, { persist: store() }), async () => Promise.reject(failure), tabs[0].createAgentWith);
    one.subscribe(() => {});
    await until(() => texts(one).length);
    one.addToolResult({ toolCallId: "c", result: "done" });
    await until(() => one.getSnapshot().status === "error");
    const two = open(1, { persist: store() });
    const said = ["2", "3"];
    for (const [at, text] of said.entries()) {
      const result = two.submit(text);
      await until(() => working().length && Session.last.calls.length > at);
      Session.last.save = () => JSON.stringify({ ...full, queue: [], messages: ["1", ...said.slice(0, at + 1)].map((content) => user(content, content)) });
      Session.last.finish();
      await result;
      await until(() => texts(one).includes(text));
    }
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
      const agent = create(inTab(tab, options), core, (source, given) => makers[tab].createWorkerAgentWith(source, spawn, undefined, given));
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
  });
});
