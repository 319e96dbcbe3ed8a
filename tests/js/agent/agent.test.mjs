import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it, mock } from "node:test";
import { Session, trap } from "../fake-core.mjs";
import { deferred, load, until } from "../lib.mjs";

const { createAgentWith } = await load("agent/agent");
const { AgentError } = await load("api/error");
const { initialSnapshot } = await load("snapshot/initial");

beforeEach(() => {
  Session.all = [];
  Session.refuse = undefined;
  Session.warns = false;
});

const core = async () => ({ Session });
const create = (options = {}, source = core) => createAgentWith(source, { url: "/agent", notify: "sync", ...options });
const texts = (agent) => agent.getSnapshot().messages.map(({ content }) => content);
/** An agent whose core comes when the test says so. */
function waiting(options) {
  const loading = deferred();
  return { agent: create(options, () => loading.promise), arrive: () => loading.resolve({ Session }), break: loading.reject };
}
/** The session of the agent, once it is there. */
async function opened(count = 1) {
  await until(() => Session.all.length >= count);
  return Session.last;
}

describe("createAgent", () => {
  it("draws no id, no randomness and no time, and the thread's id once", () => {
    const drawn = [
      mock.method(crypto, "randomUUID"),
      mock.method(crypto, "getRandomValues"),
      mock.method(Math, "random"),
      mock.method(Date, "now"),
      mock.method(performance, "now"),
    ];
    const count = () => drawn.map((method) => method.mock.callCount());
    const agent = create({ initialMessages: [{ id: "1", role: "user", content: "a" }] });
    agent.getServerSnapshot();
    const snapshot = agent.getSnapshot();
    agent.setOptions({ url: "/agent" });
    assert.deepEqual(count(), [0, 0, 0, 0, 0]);
    assert.equal(agent.getServerSnapshot().threadId, "");
    const { threadId } = snapshot;
    assert.match(threadId, /^[0-9a-f-]{36}$/);
    assert.equal(snapshot.threadId, threadId);
    agent.setState({ n: 1 });
    assert.equal(agent.getSnapshot().threadId, threadId);
    assert.equal(agent.save().threadId, threadId);
    assert.deepEqual(count(), [1, 0, 0, 0, 0]);
    for (const method of drawn) method.mock.restore();
  });

  it("works on the thread whose id was read first, or not at all", async () => {
    for (const read of [true, false]) {
      const agent = create();
      const before = read && agent.getSnapshot().threadId;
      agent.submit("1");
      const { options } = await opened(Session.all.length + 1);
      assert.equal(agent.getSnapshot().threadId, options.threadId);
      if (read) assert.equal(options.threadId, before);
    }
  });

  it("loads nothing by itself, nor when it is read or edited", async () => {
    const source = mock.fn(core);
    const agent = create({ initialState: { n: 1 } }, source);
    agent.setState({ n: 2 });
    agent.setMessages([{ id: "1", role: "user", content: "a" }]);
    agent.subscribe(() => {});
    assert.deepEqual(agent.getSnapshot().state, { n: 2 });
    assert.deepEqual(texts(agent), ["a"]);
    assert.deepEqual(agent.getServerSnapshot().state, { n: 1 });
    await null;
    assert.equal(source.mock.callCount(), 0);
  });

  it("begins to load when it is made in a browser, once", async () => {
    globalThis.document = {};
    try {
      const source = mock.fn(core);
      const agent = create({}, source);
      assert.equal(source.mock.callCount(), 1);
      agent.subscribe(() => {});
      agent.subscribe(() => {});
      agent.submit("1");
      await opened();
      assert.equal(source.mock.callCount(), 1);
    } finally {
      delete globalThis.document;
    }
  });

  it("keeps an early load that failed to itself, and tries again when it is needed", async () => {
    globalThis.document = {};
    try {
      const heard = mock.fn();
      let tries = 0;
      const agent = create({ onError: heard }, async () => (++tries === 1 ? Promise.reject(new Error("offline")) : { Session }));
      await new Promise((done) => setImmediate(done));
      assert.deepEqual([agent.getSnapshot().status, heard.mock.callCount()], ["idle", 0]);
      const run = agent.submit("1");
      (await opened()).finish();
      assert.equal((await run).outcome, "success");
      assert.equal(tries, 2);
    } finally {
      delete globalThis.document;
    }
  });

  it("mints a thread id, also in a page that is no secure context", () => {
    assert.match(create().getSnapshot().threadId, /^[0-9a-f-]{36}$/);
    assert.equal(create({ threadId: "t" }).getSnapshot().threadId, "t");
    const { randomUUID } = crypto;
    try {
      Object.defineProperty(crypto, "randomUUID", { value: undefined, configurable: true });
      assert.match(create().getSnapshot().threadId, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    } finally {
      delete crypto.randomUUID;
      assert.equal(crypto.randomUUID, randomUUID);
    }
  });

  it("gives the core its settings", async () => {
    const messages = [{ id: "1", role: "user", content: "a" }];
    create({ threadId: "t", rules: "strict", limits: { queue: 2 }, initialMessages: messages, initialState: { n: 1 } }).submit("b");
    const session = await opened();
    const { network, ...options } = session.options;
    const { seed, ...rest } = JSON.parse(network);
    assert.ok(Number.isSafeInteger(seed));
    assert.deepEqual(rest, { attempts: 5, baseMs: 500, minMs: 100, maxMs: 30_000, perMinute: 60, idleMs: 0, refusals: false, posts: false, renewHeaders: false });
    assert.deepEqual(options, {
      threadId: "t",
      rules: "strict",
      protocol: "1.0",
      dialect: undefined,
      dialectSettings: "{}",
      events: "",
      guard: undefined,
      decisions: false,
      maxFrameBytes: 10_485_760,
      maxStateBytes: 16_777_216,
      maxThreadBytes: 67_108_864,
      maxItems: 100_000,
      maxWarnings: 1000,
      maxErrorBodyBytes: 65_536,
      errorBodyMs: 5000,
      maxQueue: 2,
      maxDepth: 512,
      maxHistory: 100,
      graceMs: 1000,
      saves: false,
    });
    assert.deepEqual(session.messages, [{ ...messages[0], delivery: "complete" }]);
    assert.deepEqual(session.state, { n: 1 });
  });
});

describe("the protocol", () => {
  it("goes to the core", async () => {
    create({ protocol: "0.0.57" }).submit("b");
    assert.equal((await opened()).options.protocol, "0.0.57");
  });

  it("is refused at once where it is none", () => {
    for (const protocol of ["", "1", "1.1", "0.0.x", "0.0.07", "v1.0", 1, null]) {
      assert.throws(
        () => create({ protocol }),
        (error) => AgentError.is(error) && error.kind === "unsupported" && error.code === "input",
        `${protocol}`,
      );
    }
  });
});

describe("a run", () => {
  it("shows the message at once, streams, and resolves with its outcome", async () => {
    const finished = mock.fn();
    const agent = create({ onFinish: finished });
    const result = agent.submit("hello");
    assert.deepEqual(texts(agent), ["hello"]);
    assert.equal(agent.getSnapshot().status, "running");
    assert.equal(agent.getSnapshot().isLoading, true);
    const session = await opened();
    session.say("Hel", "lo");
    assert.deepEqual(texts(agent), ["hello", "Hello"]);
    session.finish("success", { result: 42 });
    const { runId, ...rest } = await result;
    assert.equal(runId, session.calls[0][1].runId);
    assert.deepEqual(rest, { outcome: "success", result: 42 });
    assert.equal(agent.getSnapshot().status, "idle");
    assert.equal(agent.getSnapshot().outcome, "success");
    assert.equal(agent.getSnapshot().runId, runId);
    assert.deepEqual(finished.mock.calls.map(({ arguments: [given] }) => given), [{ runId, ...rest }]);
  });

  it("has the end in the snapshot when the promise and the callbacks tell of it", async () => {
    const agent = create({ notify: "frame", onFinish: () => seen.push(agent.getSnapshot().outcome) });
    const seen = [];
    const result = agent.submit("a");
    (await opened()).finish();
    await result;
    assert.deepEqual(seen, ["success"]);
    assert.equal(agent.getSnapshot().isLoading, false);
  });

  it("that fails resolves, with the snapshot's error", async () => {
    const failed = mock.fn();
    const agent = create({ onError: failed });
    const result = agent.submit("a");
    (await opened()).finish("error", { error: { kind: "http", message: "HTTP 500", retryable: true, status: 500 } });
    const { outcome, error } = await result;
    assert.equal(outcome, "error");
    assert.ok(AgentError.is(error));
    assert.equal(error, agent.getSnapshot().error);
    assert.equal(failed.mock.calls[0].arguments[0], error);
    assert.equal(agent.getSnapshot().status, "error");
  });

  it("asks for url, headers, credentials and fetch anew before every request, for the binary framing only where it was made for it", async () => {
    let n = 0;
    const fetch = async () => {};
    const agent = create({ url: () => new URL(`http://host/${++n}`), headers: async () => ({ n: `${n}` }), credentials: "include", fetch });
    agent.submit("a");
    const { host } = await opened();
    n = 0;
    assert.deepEqual(await host.request(), { url: "http://host/1", headers: { n: "1" }, credentials: "include", fetch, binary: false });
    agent.setOptions({ url: "/other", binary: true });
    const plain = { url: "/other", headers: undefined, credentials: undefined, fetch: undefined, binary: false };
    assert.deepEqual(await host.request(), plain);
    agent.setOptions({ url: () => Promise.reject(new Error("no")) });
    await assert.rejects(host.request(), /no/);
    const other = create({ url: "/other", binary: true });
    other.submit("a");
    await until(() => Session.all.length === 2);
    assert.equal((await Session.last.host.request()).binary, true);
  });

  it("reaches callbacks and listeners, in the state they are in then", async () => {
    const heard = [];
    const agent = create({ onWarning: ({ code }) => heard.push(`old ${code}`), onEvent: ({ type }) => heard.push(type) });
    agent.submit("a");
    const { host, options } = await opened();
    assert.equal(options.events, "*");
    host.event(`{"type":"RUN_STARTED"}`);
    host.warning({ code: "w", message: "!" });
    agent.setOptions({ url: "/", onWarning: ({ code }) => heard.push(`new ${code}`) });
    assert.equal(Session.last.events, "");
    host.event(`{"type":"RUN_STARTED"}`);
    host.warning({ code: "w", message: "!" });
    const off = agent.on("event", ({ type }) => heard.push(`on ${type}`));
    assert.equal(Session.last.events, "*");
    host.event(`{"type":"RAW"}`);
    off();
    assert.equal(Session.last.events, "");
    assert.deepEqual(heard, ["RUN_STARTED", "old w", "new w", "on RAW"]);
  });
});

describe("submit", () => {
  const input = async (given, options) => {
    create(options).submit(given);
    const [name, { runId, messages, ...rest }] = (await opened()).calls[0];
    assert.equal(name, "submit");
    assert.match(runId, /./);
    return { messages: messages.map(({ id, ...message }) => (assert.match(id, /./), message)), ...rest };
  };
  const defaults = { tools: [], pageTools: [], context: [], forwardedProps: {}, ifBusy: "queue" };
  const user = (content) => ({ role: "user", content, delivery: "complete" });
  const image = { type: "image", source: { type: "url", value: "x" } };

  it("merges its state into an object, as the core does", () => {
    const shown = (initialState, state) => {
      const agent = create({ initialState });
      agent.submit({ state });
      return agent.getSnapshot().state;
    };
    assert.deepEqual(shown({ a: 1, b: 1 }, { b: 2 }), { a: 1, b: 2 });
    assert.deepEqual(shown([1], { b: 2 }), { b: 2 });
    assert.deepEqual(shown({ a: 1 }, [2]), [2]);
    assert.equal(shown({ a: 1 }, null), null);
  });

  for (const [name, given, expected] of [
    ["a text", "hi", { messages: [user("hi")] }],
    ["an empty text", "", { messages: [user("")] }],
    ["a message", { message: "hi" }, { messages: [user("hi")] }],
    ["parts", { parts: [image] }, { messages: [user([image])] }],
    ["both", { message: "hi", parts: [image] }, { messages: [user([{ type: "text", text: "hi" }, image])] }],
    ["a whole message", { message: { content: "hi", name: "Ada" } }, { messages: [{ ...user("hi"), name: "Ada" }] }],
    ["a state alone", { state: { n: 1 } }, { messages: [], state: { n: 1 } }],
    ["a state of null", { state: null }, { messages: [], state: null }],
    ["answers", { resume: [{ interruptId: "i", status: "cancelled" }] }, { messages: [], resume: [{ interruptId: "i", status: "cancelled" }] }],
    ["a policy", { message: "hi", ifBusy: "drop" }, { messages: [user("hi")], ifBusy: "drop" }],
  ]) {
    it(`takes ${name}`, async () => assert.deepEqual(await input(given), { ...defaults, ...expected }));
  }

  it("takes tools, context and properties from the options, which may be functions, unless it names them", async () => {
    const tool = { name: "t", description: "d" };
    const context = [{ description: "d", value: "v" }];
    const options = { tools: () => [tool], context, forwardedProps: () => ({ a: 1 }) };
    assert.deepEqual(await input({ state: 0 }, options), { ...defaults, messages: [], state: 0, tools: [tool], pageTools: [{ name: "t", manual: true }], context, forwardedProps: { a: 1 } });
    const given = { tools: [], context: [], forwardedProps: 5 };
    Session.all = [];
    assert.deepEqual(await input({ state: 0, ...given }, options), { ...defaults, messages: [], state: 0, ...given });
  });

  it("keeps ids that are given", async () => {
    create().submit({ message: { id: "m", content: "hi" }, runId: "r" });
    const [, { messages, runId }] = (await opened()).calls[0];
    assert.equal(messages[0].id, "m");
    assert.equal(runId, "r");
  });

  it("rejects what makes no sense", async () => {
    const agent = create();
    for (const given of [5, null, undefined, { state: { n: 1n } }]) {
      await assert.rejects(agent.submit(given), (error) => AgentError.is(error) && error.kind === "unsupported" && error.code === "input");
    }
    agent.submit("a");
    const session = await opened();
    session.throws.submit = new Error("messages[0].role is missing");
    await assert.rejects(agent.submit("b"), { name: "AgentError", code: "input", message: /role is missing/ });
    assert.equal(agent.getSnapshot().status, "running");
  });

  it("queues, drops, rejects and replaces during a run", async () => {
    const agent = create();
    const first = agent.submit("1");
    const session = await opened();
    const queued = agent.submit("2");
    assert.equal((await agent.submit({ message: "3", ifBusy: "drop" })).outcome, "dropped");
    await assert.rejects(agent.submit({ message: "4", ifBusy: "reject" }), { code: "busy", kind: "unsupported" });
    session.finish();
    assert.equal((await first).outcome, "success");
    assert.deepEqual(texts(agent), ["1", "2"]);
    const replacing = agent.submit({ message: "5", ifBusy: "replace" });
    assert.equal((await queued).outcome, "aborted");
    session.finish();
    assert.equal((await replacing).outcome, "success");
  });

  it("of a dropped submit finishes nothing", async () => {
    const finished = mock.fn();
    const agent = create({ onFinish: finished });
    agent.submit("1");
    await opened();
    await agent.submit({ message: "2", ifBusy: "drop" });
    assert.equal(finished.mock.callCount(), 0);
  });

  it("follows its signal, before, in the queue and while it runs", async () => {
    const agent = create();
    assert.equal((await agent.submit({ message: "0", signal: AbortSignal.abort() })).outcome, "aborted");
    assert.deepEqual(texts(agent), []);
    const [running, waits] = [new AbortController(), new AbortController()];
    const first = agent.submit({ message: "1", signal: running.signal });
    await opened();
    const second = agent.submit({ message: "2", signal: waits.signal });
    waits.abort();
    assert.equal((await second).outcome, "aborted");
    assert.equal(agent.getSnapshot().status, "running");
    running.abort();
    assert.equal((await first).outcome, "aborted");
    assert.deepEqual(texts(agent), ["1"]);
    assert.equal(agent.getSnapshot().error, undefined);
  });

  it("forgets its signal when it has ended", async () => {
    const agent = create();
    const { signal, ...controller } = new AbortController();
    const control = new AbortController();
    const result = agent.submit({ message: "1", signal: control.signal });
    const session = await opened();
    session.finish();
    await result;
    control.abort();
    assert.ok(!session.calls.some(([name]) => name === "cancel"));
    void [signal, controller];
  });
});

describe("the other verbs", () => {
  it("ask again under another id where that is asked for", async () => {
    const agent = create();
    const again = [() => agent.retry({ newMessageId: true }), () => agent.regenerate("m", { newMessageId: true }), () => agent.regenerate(undefined, { newMessageId: true })];
    const same = [() => agent.retry(), () => agent.retry({}), () => agent.retry({ newMessageId: false }), () => agent.regenerate("m"), () => agent.regenerate("m", {})];
    // A handler of clicks passes its event.
    same.push(() => agent.retry({ type: "click" }));
    const first = agent.retry();
    const session = await opened();
    await agent.stop();
    await first;
    const asked = async (begin) => {
      const done = begin();
      const [name, ...args] = session.calls.findLast(([name]) => name === "retry" || name === "regenerate");
      await agent.stop();
      assert.equal((await done).outcome, "aborted");
      return { name, input: args.at(-1) };
    };
    const ids = new Set();
    for (const begin of again) {
      const { input } = await asked(begin);
      assert.match(input.newMessageId, /^[0-9a-f-]{36}$/);
      assert.notEqual(input.newMessageId, input.runId);
      ids.add(input.newMessageId);
    }
    assert.equal(ids.size, again.length);
    for (const begin of same) assert.ok(!("newMessageId" in (await asked(begin)).input));
  });

  it("reach the core", async () => {
    const agent = create({ initialMessages: [{ id: "1", role: "user", content: "a" }], initialState: { n: 0 } });
    const first = agent.retry();
    const session = await opened();
    await agent.stop();
    assert.equal((await first).outcome, "aborted");
    agent.regenerate("m");
    agent.stop();
    agent.resume([{ interruptId: "i", status: "resolved", payload: true }]);
    agent.setState((state) => ({ n: state.n + 1 }));
    agent.setMessages((messages) => messages.slice(1));
    agent.reset();
    const names = session.calls.map(([name]) => name);
    assert.deepEqual(names, ["retry", "stop", "regenerate", "stop", "submit", "editState", "editMessages", "reset", "setMessages", "setState"]);
    assert.equal(session.calls[2][1], "m");
    assert.deepEqual(session.calls[4][1].resume, [{ interruptId: "i", status: "resolved", payload: true }]);
    assert.deepEqual(agent.getSnapshot().state, { n: 0 });
    assert.deepEqual(texts(agent), ["a"]);
  });

  it("reset as one change, and callbacks come after it", async () => {
    const results = [];
    const agent = create({
      initialMessages: [{ id: "1", role: "user", content: "a" }],
      onFinish: ({ outcome }) => outcome === "aborted" && results.push(texts(agent), agent.submit("3")),
    });
    agent.submit("2");
    await opened();
    const seen = [];
    agent.subscribe(() => seen.push(texts(agent)));
    agent.reset();
    assert.deepEqual(results[0], ["a"]);
    assert.deepEqual(seen, [["a"], ["a", "3"]]);
    assert.equal(agent.getSnapshot().status, "running");
  });

  it("warn of what the core cannot read, when it is there to be spoken to", async () => {
    const agent = create({ onWarning: ({ code }) => heard.push(code, agent.getSnapshot().messages.length, agent.stop()) });
    const heard = [];
    Session.warns = true;
    const result = agent.submit("1");
    await opened();
    assert.equal((await result).outcome, "aborted");
    assert.deepEqual(heard.slice(0, 2), ["message-malformed", 1]);
  });

  it("are bound", async () => {
    const { submit, stop, getSnapshot } = create();
    const result = submit("a");
    await opened();
    await stop();
    assert.equal((await result).outcome, "aborted");
    assert.equal(getSnapshot().status, "idle");
  });
});

describe("before the core is there", () => {
  it("keeps what is called, in order", async () => {
    const { agent, arrive } = waiting({ initialState: { n: 0 } });
    agent.setState({ n: 1 });
    agent.submit("1");
    agent.setState({ n: 2 });
    agent.submit("2");
    assert.deepEqual(texts(agent), ["1", "2"]);
    assert.deepEqual(agent.getSnapshot().state, { n: 2 });
    arrive();
    const session = await opened();
    assert.deepEqual(session.state, { n: 1 });
    assert.deepEqual(session.calls.map(([name]) => name), ["submit", "editState", "submit"]);
    await until(() => texts(agent).length === 1);
    assert.deepEqual(agent.getSnapshot().state, { n: 2 });
    session.finish();
    assert.deepEqual(texts(agent), ["1", "2"]);
  });

  it("publishes once when the core has come", async () => {
    const { agent, arrive } = waiting();
    agent.submit("1");
    agent.setState({ n: 1 });
    const listener = mock.fn();
    agent.subscribe(listener);
    arrive();
    await opened();
    assert.equal(listener.mock.callCount(), 1);
    assert.deepEqual(texts(agent), ["1"]);
  });

  it("drops, rejects and replaces", async () => {
    const { agent, arrive } = waiting();
    const first = agent.submit("1");
    assert.equal((await agent.submit({ message: "2", ifBusy: "drop" })).outcome, "dropped");
    await assert.rejects(agent.submit({ message: "3", ifBusy: "reject" }), { code: "busy" });
    agent.submit({ message: "4", ifBusy: "replace" });
    assert.equal((await first).outcome, "aborted");
    agent.submit("5");
    agent.submit({ message: "6", ifBusy: "replace" });
    arrive();
    const session = await opened();
    assert.deepEqual(session.messages.map(({ content }) => content), ["1", "4"]);
    assert.deepEqual(session.calls.map(([name, { messages }]) => [name, messages[0].content]), [["submit", "6"], ["submit", "5"]]);
  });

  it("stops, keeping the message", async () => {
    const { agent, arrive } = waiting();
    const result = agent.submit("1");
    await agent.stop();
    assert.equal((await result).outcome, "aborted");
    assert.deepEqual(texts(agent), ["1"]);
    const { status, outcome, error } = agent.getSnapshot();
    assert.deepEqual({ status, outcome, error }, { status: "idle", outcome: "aborted", error: undefined });
    arrive();
    await null;
    assert.equal(Session.all.length, 0);
    agent.submit("2");
    assert.deepEqual((await opened()).messages.map(({ content }) => content), ["1"]);
  });

  it("takes a waiting submit back with its signal", async () => {
    const { agent, arrive } = waiting();
    agent.submit("1");
    const control = new AbortController();
    const second = agent.submit({ message: "2", signal: control.signal });
    control.abort();
    assert.equal((await second).outcome, "aborted");
    assert.deepEqual(texts(agent), ["1"]);
    arrive();
    const session = await opened();
    assert.equal(session.calls.length, 1);
  });

  it("is disposed of", async () => {
    const { agent, arrive } = waiting();
    const result = agent.submit("1");
    agent.dispose();
    assert.equal((await result).outcome, "aborted");
    assert.equal(agent.getSnapshot().isLoading, false);
    arrive();
    await new Promise(setImmediate);
    assert.equal(Session.all.length, 0);
  });

  it("resets", async () => {
    const { agent, arrive } = waiting({ threadId: "t", initialState: { n: 0 } });
    const result = agent.submit({ message: "1", state: { n: 1 } });
    agent.reset();
    assert.equal((await result).outcome, "aborted");
    assert.equal(agent.getSnapshot(), agent.getServerSnapshot());
    arrive();
    await new Promise(setImmediate);
    assert.equal(Session.all.length, 0);
  });
});

describe("a load that fails", () => {
  const blocked = () => new AgentError({ kind: "blocked", code: "load", message: "add 'wasm-unsafe-eval'" });

  it("ends every run, and loses nothing", async () => {
    const failed = mock.fn();
    const { agent, break: fail } = waiting({ onError: failed });
    const results = [agent.submit("1"), agent.submit({ message: "2", state: { n: 1 } })];
    fail(blocked());
    for (const { outcome, error } of await Promise.all(results)) {
      assert.equal(outcome, "error");
      assert.equal(error.kind, "blocked");
    }
    const { status, isLoading, error, outcome, state } = agent.getSnapshot();
    assert.deepEqual({ status, isLoading, outcome, state }, { status: "error", isLoading: false, outcome: "error", state: { n: 1 } });
    assert.equal(error.kind, "blocked");
    assert.deepEqual(texts(agent), ["1", "2"]);
    assert.equal(failed.mock.callCount(), 2);
  });

  it("is tried again by retry", async () => {
    let tries = 0;
    const agent = create({}, async () => (++tries === 1 ? Promise.reject(blocked()) : { Session }));
    const { runId } = await agent.submit({ message: "1", runId: "r" });
    assert.equal(runId, "r");
    const again = agent.retry();
    assert.equal(agent.getSnapshot().error, undefined);
    const session = await opened();
    assert.deepEqual(session.messages.map(({ content }) => content), ["1"]);
    assert.equal(session.calls[0][0], "retry");
    assert.equal(session.calls[0][1].runId, "r");
    session.finish();
    assert.equal((await again).outcome, "success");
    assert.deepEqual(texts(agent), ["1"]);
  });

  it("may be tried again by a listener that sees it", async () => {
    let tries = 0;
    const agent = create({}, async () => (++tries === 1 ? Promise.reject(blocked()) : { Session }));
    const again = [];
    agent.subscribe(() => agent.getSnapshot().error && !again.length && again.push(agent.retry()));
    assert.equal((await agent.submit("1")).outcome, "error");
    (await opened()).finish();
    assert.equal((await again[0]).outcome, "success");
    assert.deepEqual(texts(agent), ["1"]);
  });

  it("does not lose the answers to interrupts", async () => {
    let tries = 0;
    const agent = create({}, async () => (++tries === 1 ? Promise.reject(blocked()) : { Session }));
    const resume = [{ interruptId: "i", status: "resolved", payload: 1 }];
    await agent.submit({ message: "1", resume });
    agent.retry();
    const [name, input] = (await opened()).calls[0];
    assert.equal(name, "submit");
    assert.deepEqual(input.messages, []);
    assert.deepEqual(input.resume, resume);
  });

  it("is tried again by another submit", async () => {
    let tries = 0;
    const agent = create({}, async () => (++tries === 1 ? Promise.reject(new Error("offline")) : { Session }));
    const { error } = await agent.submit("1");
    assert.equal(error.kind, "internal");
    assert.match(error.message, /could not be loaded: offline/);
    agent.submit("2");
    const session = await opened();
    assert.deepEqual(session.messages.map(({ content }) => content), ["1"]);
    assert.equal(session.calls[0][1].messages[0].content, "2");
  });

  it("is reported without a run, and then retry only loads", async () => {
    globalThis.document = {};
    try {
      let tries = 0;
      const agent = create({}, async () => (++tries < 3 ? Promise.reject(blocked()) : { Session }));
      agent.subscribe(() => {});
      await until(() => agent.getSnapshot().error);
      assert.equal(agent.getSnapshot().status, "error");
      assert.equal(agent.getSnapshot().outcome, undefined);
      assert.equal((await agent.retry()).outcome, "error");
      assert.equal((await agent.retry()).outcome, "dropped");
      assert.equal(agent.getSnapshot().status, "idle");
      assert.equal(agent.getSnapshot().error, undefined);
      assert.equal(Session.all.length, 0);
    } finally {
      delete globalThis.document;
    }
  });

  it("by messages that the core refuses is a mistake of the call", async () => {
    Session.refuse = new Error("messages[0].id is missing");
    const { outcome, error } = await create({ initialMessages: [{ role: "user", content: "a" }] }).submit("b");
    assert.equal(outcome, "error");
    assert.equal(error.code, "input");
    assert.match(error.message, /id is missing/);
  });
});

describe("a trap", () => {
  for (const [name, make] of [
    ["WebAssembly", trap],
    ["the stack", () => new RangeError("Maximum call stack size exceeded")],
  ]) {
    it(`of ${name} keeps the snapshot, and the next run gets a fresh session`, async () => {
      const agent = create();
      const first = agent.submit("1");
      const session = await opened();
      session.say("par", "tial");
      session.patch(["=", ["queue"], [{ id: "1", runId: "q", messages: [{ id: "q", role: "user", content: "queued" }] }]]);
      session.changed();
      session.throws.takePatch = make();
      session.changed(true);
      const { outcome, error } = await first;
      assert.equal(outcome, "error");
      assert.equal(error.kind, "internal");
      assert.ok(error.retryable);
      assert.equal(agent.getSnapshot().error, error);
      assert.equal(agent.getSnapshot().isLoading, false);
      assert.deepEqual(texts(agent), ["1", "partial", "queued"]);
      assert.equal(agent.getSnapshot().messages[1].delivery, "error");
      agent.setState({ n: 1 });
      const again = agent.retry();
      const fresh = await opened(2);
      assert.equal(fresh.messages.length, 3);
      assert.deepEqual(fresh.state, { n: 1 });
      fresh.say("whole");
      fresh.finish();
      assert.equal((await again).outcome, "success");
      assert.deepEqual(texts(agent), ["1", "partial", "queued", "whole"]);
      assert.equal(agent.getSnapshot().error, undefined);
      session.say("late");
      assert.deepEqual(texts(agent), ["1", "partial", "queued", "whole"]);
    });
  }

  it("leaves nothing that seems to go on", async () => {
    const agent = create();
    const first = agent.submit("1");
    const session = await opened();
    session.patch(["=", ["toolCalls"], [{ id: "c", name: "f", args: {}, argsText: "{", status: "running", phase: "input-streaming", messageId: "m" }]]);
    session.patch(["=", ["steps"], [{ name: "s", status: "running" }]]);
    const helper = { subagentRunId: "a", name: "a", status: "complete", children: [{ subagentRunId: "b", name: "b", status: "running", children: [] }] };
    session.patch(["=", ["subagents"], [helper]]);
    session.changed();
    session.throws.takePatch = trap();
    session.changed(true);
    await first;
    const { toolCalls, steps, subagents } = agent.getSnapshot();
    assert.deepEqual(toolCalls.map(({ status, phase }) => [status, phase]), [["error", "output-error"]]);
    assert.deepEqual([steps[0].status, subagents[0].status, subagents[0].children[0].status], ["error", "complete", "error"]);
  });

  it("within submit loses no message", async () => {
    const agent = create();
    agent.submit("1");
    const session = await opened();
    session.finish();
    session.throws.submit = trap();
    const { outcome } = await agent.submit("2");
    assert.equal(outcome, "error");
    assert.deepEqual(texts(agent), ["1", "2"]);
  });

  it("within an edit still makes the edit", async () => {
    const agent = create();
    agent.submit("1");
    const session = await opened();
    session.throws.editState = trap();
    agent.setState({ n: 1 });
    assert.deepEqual(agent.getSnapshot().state, { n: 1 });
    assert.equal(agent.getSnapshot().error.kind, "internal");
  });

  it("in the constructor ends the run", async () => {
    Session.refuse = trap();
    const agent = create();
    const { outcome, error } = await agent.submit("1");
    assert.equal(outcome, "error");
    assert.equal(error.kind, "internal");
    assert.deepEqual(texts(agent), ["1"]);
    const again = agent.retry();
    (await opened()).finish();
    assert.equal((await again).outcome, "success");
  });

  it("in what the platform calls ends the run", async () => {
    const agent = create();
    const result = agent.submit("1");
    (await opened()).trap();
    const { error } = await result;
    assert.deepEqual([error.kind, error.cause.name], ["internal", "RuntimeError"]);
    assert.equal(agent.getSnapshot().status, "error");
  });

  it("comes of a patch that does not fit, too", async () => {
    const agent = create();
    const result = agent.submit("1");
    const session = await opened();
    session.patch(["+", ["messages", 7, "content"], "x"]);
    session.changed();
    assert.equal((await result).error.kind, "internal");
    assert.deepEqual(texts(agent), ["1"]);
  });
});

describe("dispose", () => {
  it("ends the run, frees the session, and makes the agent useless but readable", async () => {
    const agent = create();
    const result = agent.submit("1");
    const session = await opened();
    agent.dispose();
    agent.dispose();
    agent[Symbol.dispose]?.();
    assert.equal((await result).outcome, "aborted");
    assert.ok(session.disposed);
    assert.ok(session.freed);
    assert.equal(agent.getSnapshot().isLoading, false);
    assert.equal(agent.getSnapshot().outcome, "aborted");
    assert.deepEqual(texts(agent), ["1"]);
    const disposed = (error) => AgentError.is(error) && error.kind === "unsupported" && error.code === "disposed";
    for (const late of ["submit", "retry", "regenerate", "resume"]) await assert.rejects(agent[late]("x"), disposed);
    for (const late of ["setMessages", "setState", "reset"]) assert.throws(() => agent[late]([]), disposed);
    await agent.stop();
    agent.subscribe(() => {})();
    agent.on("event", () => {})();
    session.host.changed(true);
  });

  it("does not free the session under a call of its own", async () => {
    const agent = create();
    agent.submit("1");
    const session = await opened();
    agent.subscribe(() => {
      agent.dispose();
      assert.ok(!session.freed);
    });
    session.say("x");
    await null;
    assert.ok(session.freed);
  });
});

describe("listeners", () => {
  let reported;
  beforeEach(() => {
    reported = [];
    globalThis.reportError = (error) => reported.push(error.message);
  });
  afterEach(() => delete globalThis.reportError);

  it("hear of a change once, until they leave", async () => {
    const agent = create();
    agent.submit("1");
    const session = await opened();
    const listener = mock.fn();
    const [off] = [agent.subscribe(listener), agent.subscribe(listener)];
    session.say("a", "b", "c");
    assert.equal(listener.mock.callCount(), 2);
    off();
    off();
    session.say("d");
    assert.equal(listener.mock.callCount(), 3);
    session.changed(true);
    assert.equal(listener.mock.callCount(), 3);
  });

  it("that throw are reported, and the others still run", async () => {
    const agent = create({ onFinish: () => throwing("finish") });
    const throwing = (name) => {
      throw new Error(name);
    };
    const heard = mock.fn();
    agent.subscribe(() => throwing("change"));
    agent.subscribe(heard);
    agent.on("finish", heard);
    const result = agent.submit("1");
    (await opened()).finish();
    assert.equal((await result).outcome, "success");
    assert.ok(heard.mock.callCount() > 2);
    assert.deepEqual([...new Set(reported)], ["change", "finish"]);
  });

  it("go to the console where there is no reportError", async () => {
    delete globalThis.reportError;
    const log = mock.method(console, "error", () => {});
    const agent = create();
    agent.subscribe(() => {
      throw new Error("change");
    });
    agent.setState(1);
    log.mock.restore();
    assert.equal(log.mock.calls[0].arguments[0].message, "change");
  });

  it("that are removed by another are not called", () => {
    const agent = create();
    const off = [];
    const second = mock.fn();
    agent.subscribe(() => off[0]());
    off.push(agent.subscribe(second));
    agent.setState(1);
    assert.equal(second.mock.callCount(), 0);
  });

  it("may submit, stop and dispose from inside", async () => {
    for (const notify of ["sync", "microtask", "frame"]) {
      Session.all = [];
      const agent = create({ notify });
      const results = [];
      agent.subscribe(() => {
        const { outcome, messages } = agent.getSnapshot();
        if (outcome === "success" && messages.length === 1) results.push(agent.submit("2"), agent.stop());
        if (outcome === "aborted") agent.dispose();
      });
      const first = agent.submit("1");
      (await opened()).finish();
      assert.equal((await first).outcome, "success");
      await until(() => results.length);
      assert.equal((await results[0]).outcome, "aborted");
      await until(() => Session.last.freed);
      assert.deepEqual(texts(agent), ["1", "2"]);
      assert.deepEqual(reported, []);
    }
  });

  it("may do so when the core has just come", async () => {
    const agent = create();
    let once = false;
    agent.subscribe(() => {
      if (once || !Session.last) return;
      once = true;
      agent.setState({ n: 1 });
      agent.setMessages((before) => [...before, { id: "x", role: "user", content: "x" }]);
    });
    agent.submit("1");
    await opened();
    assert.deepEqual(texts(agent), ["1", "x"]);
    assert.deepEqual(agent.getSnapshot().state, { n: 1 });
  });

  it("may do so in every callback of the core", async () => {
    const agent = create({ onFinish: ({ outcome }) => outcome === "success" && results.push(agent.submit("2")) });
    const results = [];
    agent.on("custom", () => agent.stop());
    agent.on("warning", () => agent.dispose());
    agent.submit("1");
    const session = await opened();
    session.finish();
    assert.equal(agent.getSnapshot().status, "running");
    session.host.custom("x", "1");
    assert.equal((await results[0]).outcome, "aborted");
    session.host.warning({ code: "w", message: "!" });
    await assert.rejects(agent.submit("3"), { code: "disposed" });
    assert.deepEqual(reported, []);
  });
});

describe("custom events", () => {
  it("are told apart, to listeners and to streams", async () => {
    const agent = create();
    const heard = [];
    agent.events.subscribe((event) => heard.push(event));
    agent.submit("1");
    const { host } = await opened();
    const stream = agent.events[Symbol.asyncIterator]();
    const first = stream.next();
    host.custom("state_update", `{"a":1,"__proto__":{"b":1}}`);
    host.custom("state_update", `[1]`);
    host.custom("note", `"x"`);
    host.custom("note", `null`);
    assert.equal((await first).value.type, "state_update");
    assert.deepEqual(Object.keys((await first).value.data), ["a", "__proto__"]);
    assert.deepEqual((await stream.next()).value, { type: "custom", name: "state_update", data: [1] });
    assert.deepEqual((await stream.next()).value, { type: "custom", name: "note", data: "x" });
    assert.equal(heard.length, 4);
    await stream.return();
    assert.deepEqual(await stream.next(), { value: undefined, done: true });
  });

  it("end when the agent is disposed of", async () => {
    const agent = create();
    const heard = [];
    const reading = (async () => {
      for await (const event of agent.events) heard.push(event.name);
    })();
    agent.submit("1");
    const { host } = await opened();
    host.custom("a", "1");
    host.custom("b", "1");
    agent.dispose();
    await reading;
    assert.deepEqual(heard, ["a", "b"]);
    for await (const event of agent.events) heard.push(event.name);
    assert.equal(heard.length, 2);
  });
});

describe("structural sharing", () => {
  it("holds from the first snapshot through the coming of the core", async () => {
    Session.callsOf = (messages) => initialSnapshot("", messages).toolCalls;
    const agent = create({
      threadId: "t",
      initialMessages: [{ id: "1", role: "assistant", toolCalls: [{ id: "c", type: "function", function: { name: "f", arguments: "{}" } }] }],
      initialState: { rows: [1] },
    });
    const before = agent.getSnapshot();
    agent.submit("2");
    const session = await opened();
    session.say("x");
    const after = agent.getSnapshot();
    assert.equal(after.messages[0], before.messages[0]);
    assert.equal(after.state, before.state);
    assert.equal(after.toolCalls, before.toolCalls);
    assert.equal(after.steps.length, 0);
    assert.equal(agent.getServerSnapshot(), before);
    session.say("y");
    assert.equal(agent.getSnapshot().messages[2], after.messages[2]);
  });
});

describe("what an agent holds", () => {
  it("keeps the last thousand events for a reader that does not read, and tells of the rest once", async () => {
    const warnings = [];
    const agent = create({ onWarning: ({ code }) => warnings.push(code) });
    agent.submit("1");
    const { host } = await opened();
    const slow = agent.events[Symbol.asyncIterator]();
    for (let i = 0; i < 1500; i++) host.custom("n", String(i));
    assert.deepEqual(warnings, ["events-dropped"]);
    assert.equal((await slow.next()).value.data, 500);
    for (let i = 501; i < 1500; i++) assert.equal((await slow.next()).value.data, i);
    for (let i = 0; i < 1001; i++) host.custom("n", String(i));
    assert.deepEqual(warnings, ["events-dropped", "events-dropped"]);
    assert.equal((await slow.next()).value.data, 1);
  });

  it("takes no listener after it has been disposed of", async () => {
    const agent = create();
    agent.dispose();
    const heard = mock.fn();
    agent.subscribe(heard)();
    agent.on("finish", heard)();
    agent.events.subscribe(heard)();
    agent.setOptions({ url: "/agent", onWarning: heard });
    await assert.rejects(agent.submit("1"), { code: "disposed" });
    assert.equal(heard.mock.callCount(), 0);
    assert.equal(Session.all.length, 0);
  });
});
