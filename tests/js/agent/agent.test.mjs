// The parts of an agent, a run, and the objects that an agent references.

import assert from "node:assert/strict";
import { describe, it, mock } from "node:test";
import { Session } from "../fake-core.mjs";
import { load, until } from "../lib.mjs";
import { core, create, opened, texts } from "./over-fake.mjs";

const { AgentError } = await load("api/error");

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
      const agent = create({ onError: heard }, async () => (++tries === 1 ? Promise.reject(new Error("offline")) : { CoreSession: Session }));
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
    const { seed, ...rest } = network;
    assert.ok(Number.isSafeInteger(seed));
    assert.deepEqual(rest, {
      attempts: 5,
      baseMs: 500,
      minMs: 100,
      maxMs: 30_000,
      perMinute: 60,
      perRun: 1000,
      queueMs: 1000,
      idleMs: 0,
      refusals: false,
      posts: false,
      renewHeaders: false,
    });
    assert.deepEqual(options, {
      threadId: "t",
      rules: "strict",
      binary: false,
      protocol: "1.0",
      dialectSettings: "{}",
      events: "",
      decisions: false,
      queue: 2,
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
    const input = JSON.stringify({ tools: [], pageTools: [], context: [], forwardedProps: {} });
    assert.deepEqual(await host.request(), { url: "http://host/1", headers: { n: "1" }, credentials: "include", fetch, binary: false, input });
    agent.setOptions({ url: "/other", binary: true });
    const plain = { url: "/other", headers: undefined, credentials: undefined, fetch: undefined, binary: false, input };
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
