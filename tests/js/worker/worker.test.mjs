// Agents in a worker, over a core that does what the test says. The worker's script runs in this thread, and what passes
// between it and the page is cloned.

import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it, mock } from "node:test";
import { Session, trap } from "../fake-core.mjs";
import { deferred, load, until } from "../lib.mjs";
import { localWorkers } from "../thread.mjs";

const { createWorkerAgentWith } = await load("worker/agent");
const { AgentError } = await load("api/error");

let workers;
let agents;
beforeEach(async () => {
  Session.all = [];
  Session.refuse = Session.refuseSave = undefined;
  workers = await localWorkers(async () => ({ Session }));
  agents = [];
});
afterEach(() => {
  for (const agent of agents) agent.dispose();
});

const inPage = async () => ({ Session });
function create(options = {}, spawn = workers.spawn, load = inPage) {
  const agent = createWorkerAgentWith(load, spawn, undefined, { url: "http://host/agent", notify: "sync", ...options });
  agents.push(agent);
  return agent;
}
const texts = (agent) => agent.getSnapshot().messages.map(({ content }) => content);
const user = (id, content) => ({ id, role: "user", content });
/** The worker has done what it was told, and the page has heard. */
const settled = async () => {
  for (let i = 0; i < 20; i++) await new Promise(setImmediate);
};
/** What is published from now on, by what `select` takes of it. */
function published(agent, select = (snapshot) => snapshot) {
  const seen = [];
  agent.subscribe(() => seen.push(select(agent.getSnapshot())));
  return seen;
}
/** An agent whose first run is in progress, and its session in the worker. */
async function running(options) {
  const agent = create(options);
  const first = agent.submit("1");
  await until(() => Session.last?.calls.length && agent.getSnapshot().runId);
  await settled();
  const session = Session.last;
  return { agent, first, session, called: (name) => session.calls.filter(([called]) => called === name).map(([, ...given]) => given) };
}

describe("events by type", () => {
  it("the worker hears which types are asked for, once for each change", async () => {
    const { agent, session } = await running({ onEvent: () => {}, eventTypes: ["RUN_FINISHED"] });
    assert.equal(session.events, "RUN_FINISHED");
    const off = agent.on("event", () => {}, { types: ["CUSTOM", "RUN_FINISHED"] });
    await settled();
    assert.equal(session.events, "CUSTOM,RUN_FINISHED");
    agent.on("event", () => {});
    await settled();
    assert.equal(session.events, "*");
    off();
    agent.setOptions({ url: "http://host/agent" });
    await settled();
    assert.equal(session.events, "*");
  });
});

describe("a run", () => {
  it("shows the message at once, streams, and has its end in the snapshot when it is told", async () => {
    const ends = [];
    const agent = create({ onFinish: ({ outcome }) => ends.push([outcome, agent.getSnapshot().outcome]) });
    const result = agent.submit("hello");
    assert.deepEqual([texts(agent), agent.getSnapshot().isLoading], [["hello"], true]);
    await until(() => Session.last);
    Session.last.say("Hel", "lo");
    await until(() => texts(agent).at(-1) === "Hello");
    Session.last.finish("success", { result: 42 });
    const { runId, ...rest } = await result;
    assert.deepEqual(rest, { outcome: "success", result: 42 });
    assert.deepEqual(ends, [["success", "success"]]);
    assert.deepEqual([agent.getSnapshot().status, agent.getSnapshot().runId], ["idle", runId]);
  });

  it("after another one shows its message at once, which stays the same object", async () => {
    const { agent, session } = await running();
    session.finish();
    await settled();
    const seen = published(agent, ({ messages, isLoading }) => [messages.map(({ content }) => content).join(), isLoading]);
    agent.submit("2");
    const [, message] = agent.getSnapshot().messages;
    assert.deepEqual(seen, [["1,2", true]]);
    await settled();
    assert.equal(agent.getSnapshot().messages[1], message);
    assert.deepEqual(new Set(seen.map(String)), new Set(["1,2,true"]));
  });

  it("is never shown without what was shown already, while the core begins", async () => {
    const agent = create({ initialMessages: [user("a", "0")], initialState: { n: 1 } });
    const seen = published(agent, ({ messages, state }) => [messages.length, state.n]);
    agent.submit("1");
    await settled();
    assert.ok(seen.length > 0);
    assert.deepEqual(new Set(seen.map(String)), new Set(["2,1"]));
  });

  it("that the core refuses rejects, and nothing of it stays", async () => {
    const { agent } = await running();
    const failed = mock.fn();
    agent.on("error", failed);
    const refused = agent.submit({ message: "2", ifBusy: "reject" });
    await assert.rejects(refused, (error) => AgentError.is(error) && error.kind === "unsupported" && error.code === "busy");
    assert.deepEqual([texts(agent), failed.mock.callCount()], [["1"], 0]);
    assert.equal((await agent.submit({ message: "3", ifBusy: "drop" })).outcome, "dropped");
  });

  it("that is over when it is refused does not stay loading", async () => {
    const { agent, session } = await running();
    session.finish();
    await settled();
    session.throws.submit = Object.assign(new Error("open"), { code: "interrupts-open" });
    await assert.rejects(agent.submit("2"), { code: "interrupts-open" });
    assert.deepEqual([texts(agent), agent.getSnapshot().isLoading], [["1"], false]);
  });

  it("sends one patch a notification, however much has changed", async () => {
    mock.timers.enable({ apis: ["setTimeout", "Date"] });
    try {
      const { agent, session } = await running({ notify: { throttleMs: 50 } });
      mock.timers.tick(50);
      await settled();
      const seen = published(agent, () => texts(agent).at(-1));
      const take = mock.method(session, "takePatch");
      for (let i = 0; i < 30; i++) {
        session.say(`${i}`);
        await settled();
      }
      assert.deepEqual([seen, take.mock.callCount()], [[], 0]);
      mock.timers.tick(50);
      await settled();
      assert.deepEqual([seen, take.mock.callCount()], [["29"], 1]);
    } finally {
      mock.timers.reset();
    }
  });
});

describe("the end of a run", () => {
  it("by stop is there at once, and once; what is on the way is not shown as a run", async () => {
    const finished = mock.fn();
    const { agent, first, session } = await running({ onFinish: finished });
    session.say("a");
    await until(() => texts(agent).length === 2);
    const seen = published(agent, ({ status, outcome, messages }) => [status, outcome, messages.at(-1).delivery]);
    session.say("late");
    const stopped = agent.stop();
    assert.deepEqual(seen, [["idle", "aborted", "aborted"]]);
    assert.equal(finished.mock.callCount(), 0);
    await stopped;
    assert.equal((await first).outcome, "aborted");
    assert.deepEqual(seen.map(([status, outcome]) => `${status} ${outcome}`).filter((shown) => shown !== "idle aborted"), []);
    assert.equal(finished.mock.callCount(), 1);
  });

  it("by stop, with a queue, goes on with the next", async () => {
    const { agent, first } = await running();
    const second = agent.submit("2");
    await until(() => agent.getSnapshot().queue.length);
    await agent.stop();
    assert.equal((await first).outcome, "aborted");
    assert.deepEqual([agent.getSnapshot().status, texts(agent)], ["running", ["1", "2"]]);
    Session.last.finish();
    assert.equal((await second).outcome, "success");
  });

  it("by its signal is there at once", async () => {
    const agent = create();
    const controller = new AbortController();
    const result = agent.submit({ message: "1", signal: controller.signal });
    await until(() => Session.last);
    await settled();
    controller.abort();
    assert.equal(agent.getSnapshot().status, "idle");
    assert.equal((await result).outcome, "aborted");
  });

  it("of an agent that nothing runs in changes nothing", async () => {
    const { agent, session } = await running();
    session.finish();
    await settled();
    const before = agent.getSnapshot();
    await agent.stop();
    assert.equal(agent.getSnapshot(), before);
  });
});

describe("edits", () => {
  it("are there at once, one on the other, and reach the core in order", async () => {
    const { agent, called } = await running({ initialState: { n: 0 } });
    agent.setState({ n: 1 });
    agent.setState(({ n }) => ({ n: n + 1 }));
    agent.setMessages((messages) => [...messages, { ...user("x", "2"), delivery: "complete" }]);
    assert.deepEqual([agent.getSnapshot().state, texts(agent)], [{ n: 2 }, ["1", "2"]]);
    const { state, messages } = agent.getSnapshot();
    await settled();
    assert.deepEqual(called("editState"), [[{ n: 0 }, { n: 1 }], [{ n: 1 }, { n: 2 }]]);
    const [[before, after]] = called("editMessages");
    assert.deepEqual(before.map(({ content }) => content), [undefined], "what is left as it was is only named");
    assert.deepEqual(after, [0, { ...user("x", "2"), delivery: "complete" }]);
    assert.equal(agent.getSnapshot().state, state);
    assert.equal(agent.getSnapshot().messages[1], messages[1]);
  });

  it("that the core refuses are taken back, and onError hears", async () => {
    const failed = mock.fn();
    const { agent, session } = await running({ onError: failed, initialState: { n: 0 } });
    session.throws.editState = Object.assign(new Error("no"), { code: "input" });
    agent.setState({ n: 1 });
    assert.equal(agent.getSnapshot().state.n, 1);
    await settled();
    assert.equal(agent.getSnapshot().state.n, 0);
    const [{ arguments: [error] }] = failed.mock.calls;
    assert.deepEqual([error.kind, error.code], ["unsupported", "input"]);
  });

  it("do not touch what the application gave", async () => {
    const deep = (value) => (typeof value === "object" && value ? Object.freeze(Object.fromEntries(Object.entries(value).map(([key, part]) => [key, deep(part)]))) : value);
    const { agent } = await running();
    for (const state of [{ a: { b: { c: 1 }, d: 1 } }, { a: { b: { c: 1 }, d: 2 } }, { a: { b: { c: 2 }, d: 2 } }]) {
      agent.setState(deep(state));
      await settled();
      assert.deepEqual(agent.getSnapshot().state, state);
    }
  });

  it("reset as one change", async () => {
    const { agent, first, called } = await running({ initialMessages: [user("a", "0")] });
    const seen = published(agent, () => texts(agent).join());
    agent.reset();
    assert.equal((await first).outcome, "aborted");
    await settled();
    assert.deepEqual(new Set(seen), new Set(["0"]));
    assert.equal(called("reset").length, 1);
  });
});

describe("the queue", () => {
  it("gives a submit back at once", async () => {
    const { agent, called } = await running();
    const second = agent.submit("2");
    await until(() => agent.getSnapshot().queue.length);
    const [{ id }] = agent.getSnapshot().queue;
    assert.equal(agent.cancelQueued(id), true);
    assert.deepEqual(agent.getSnapshot().queue, []);
    assert.equal(agent.cancelQueued(id), false);
    assert.equal((await second).outcome, "aborted");
    assert.equal(called("cancel").length, 1);
  });

  it("is edited; a change that comes too late is a warning", async () => {
    const warned = [];
    const { agent, session } = await running({ onWarning: ({ code }) => warned.push(code) });
    agent.submit("2");
    await until(() => agent.getSnapshot().queue.length);
    const [{ id }] = agent.getSnapshot().queue;
    assert.equal(agent.editQueued(id, "two"), true);
    await until(() => agent.getSnapshot().queue[0]?.messages[0].content === "two");
    session.finish();
    agent.editQueued(id, "too late");
    await until(() => warned.length);
    assert.deepEqual(warned, ["edit-late"]);
    assert.deepEqual(texts(agent), ["1", "two"]);
  });
});

describe("tools", () => {
  const named = (name, more) => ({ name, description: "d", ...more });

  it("run in the page, and their results reach the core", async () => {
    const execute = mock.fn(async ({ n }, { signal, toolCallId, agent: given }) => ({ n, toolCallId, same: given === agent, aborted: signal.aborted }));
    const { agent, session, called } = await running({ tools: [named("t", { execute })] });
    session.host.execute("c", "t", '{"n":1}');
    await until(() => called("settleCall").length);
    assert.deepEqual(called("settleCall"), [[{ toolCallId: "c", result: { n: 1, toolCallId: "c", same: true, aborted: false } }]]);
  });

  it("that a function wants approved are asked about once", async () => {
    const needsApproval = mock.fn(() => true);
    const { agent, session, called } = await running({ tools: [named("t", { execute: () => "done", needsApproval })] });
    session.approved = ({ toolCallId }) => session.host.execute(toolCallId, "t", "{}");
    session.host.execute("c", "t", "{}");
    await until(() => called("hold").length);
    agent.approve("c");
    await until(() => called("settleCall").length);
    assert.deepEqual([called("hold"), called("settleCall"), needsApproval.mock.callCount()], [[["c"]], [[{ toolCallId: "c", result: "done" }]], 1]);
  });

  it("are aborted when nobody wants them, and answered by hand", async () => {
    const signals = [];
    const execute = (_, { signal }) => new Promise(() => signals.push(signal));
    const { agent, session, called } = await running({ tools: [named("t", { execute })] });
    session.host.execute("c", "t", "{}");
    await until(() => signals.length);
    session.host.abandon("c");
    await until(() => signals[0].aborted);
    agent.addToolResult({ toolCallId: "d", result: 1 });
    agent.deny("e", "no");
    await settled();
    assert.deepEqual([called("settleCall"), called("deny")], [[[{ toolCallId: "d", result: 1 }]], [[{ toolCallId: "e", reason: "no" }]]]);
  });
});

describe("what happens", () => {
  it("comes in order: custom events, warnings, errors, ends", async () => {
    const heard = [];
    const { agent, first, session } = await running({ onWarning: ({ code }) => heard.push(code), onFinish: ({ outcome }) => heard.push(outcome) });
    agent.on("custom", ({ name, data }) => heard.push(`${name} ${data}`));
    session.host.custom("c", "1");
    session.host.warning({ code: "w", message: "!" });
    session.host.custom("c", "2");
    session.finish();
    await first;
    assert.deepEqual(heard, ["c 1", "w", "c 2", "success"]);
  });

  it("passes as events only while somebody listens", async () => {
    const { agent, session } = await running();
    assert.equal(session.events, "");
    const heard = [];
    const off = agent.on("event", ({ type }) => heard.push(type));
    await until(() => session.events);
    session.host.event('{"type":"RAW"}');
    await until(() => heard.length);
    off();
    await until(() => !session.events);
    agent.setOptions({ url: "/other" });
    agent.setOptions({ url: "/other", onEvent: () => {} });
    await until(() => session.events);
  });

  it("is in the page's words: the address is the page's own", async () => {
    const { document } = globalThis;
    globalThis.document = { baseURI: "http://page.test/app/chat", addEventListener() {}, removeEventListener() {} };
    try {
      let token = 0;
      const { agent, session } = await running({ url: "agent", headers: async () => ({ token: `${++token}` }), credentials: "include" });
      token = 0;
      const { url, headers, credentials } = await session.host.request(false, "r");
      assert.deepEqual([url, headers, credentials], ["http://page.test/app/agent", [["token", "1"]], "include"]);
      agent.setOptions({ url: () => Promise.reject(Object.assign(new Error("no"), { status: 401 })) });
      await assert.rejects(session.host.request(false, "r"), { message: "no", status: 401 });
    } finally {
      globalThis.document = document;
      if (!document) delete globalThis.document;
    }
  });
});

describe("a request that the page makes", () => {
  /** A session of an agent with this fetch, which is asked once more. */
  async function fetching(fetch) {
    const { session } = await running({ fetch: (url, init) => (init.method ? fetch(url, init) : new Response("")) });
    const target = await session.host.request(false, "r");
    return (init = {}) => target.fetch("http://host/x", { method: "POST", headers: new Headers({ a: "b" }), body: "{}", ...init });
  }
  const bytes = (text) => new TextEncoder().encode(text);

  it("gives its status, headers and bytes", async () => {
    const asked = [];
    const whole = bytes("abcdef");
    const send = await fetching(async (url, { method, headers, body }) => {
      asked.push([url, method, headers.get("a"), body]);
      const start = (to) => {
        for (const part of [whole.subarray(0, 2), whole.subarray(2)]) to.enqueue(part);
        to.close();
      };
      const stream = new ReadableStream({ start });
      return new Response(stream, { status: 418, headers: { "x-y": "z" } });
    });
    const { status, headers, body } = await send();
    assert.deepEqual([status, headers.get("x-y"), asked], [418, "z", [["http://host/x", "POST", "b", "{}"]]]);
    let text = "";
    for await (const piece of body) text += new TextDecoder().decode(piece);
    assert.equal(text, "abcdef");
    // What the page holds has not been given away.
    assert.equal(new TextDecoder().decode(whole), "abcdef");
  });

  it("is not read far ahead of the worker, nor asked for piece by piece", async () => {
    let given = 0;
    const piece = new Uint8Array(1000);
    const send = await fetching(async () => {
      const pull = (to) => (given++ < 200 ? to.enqueue(piece) : to.close());
      return new Response(new ReadableStream({ pull }, { highWaterMark: 0 }));
    });
    const { body } = await send();
    await settled();
    const ahead = given;
    assert.ok(ahead < 150, `${ahead} pieces`);
    const lengths = [];
    for await (const { length } of body) lengths.push(length);
    assert.equal(lengths.reduce((sum, length) => sum + length), 200_000);
    assert.ok(lengths.length < 50, `${lengths.length} answers`);
  });

  it("is let go of", async () => {
    const cancelled = mock.fn();
    let signal;
    const send = await fetching(async (_, init) => {
      signal = init.signal;
      return new Response(new ReadableStream({ cancel: cancelled }));
    });
    const { body } = await send();
    await body.cancel();
    await until(() => signal.aborted && cancelled.mock.callCount());
  });

  it("is aborted before its answer", async () => {
    const came = deferred();
    const send = await fetching((_, { signal }) => {
      came.resolve();
      return new Promise((_, reject) => signal.addEventListener("abort", () => reject(new Error("aborted"))));
    });
    const controller = new AbortController();
    const answer = send({ signal: controller.signal });
    await came.promise;
    controller.abort();
    await assert.rejects(answer, /aborted/);
  });

  it("fails as it fails in the page", async () => {
    for (const [fetch, message] of [
      [async () => Promise.reject(new TypeError("Failed to fetch")), /Failed to fetch/],
      [async () => undefined, /no response/],
    ]) {
      const send = await fetching(fetch);
      await assert.rejects(send(), message);
    }
    const send = await fetching(async () => new Response(new ReadableStream({ start: (to) => to.error(Object.assign(new Error("cut"), { status: 401 })) })));
    const { body } = await send();
    await assert.rejects(body.getReader().read(), { message: "cut", status: 401 });
  });
});

describe("a save", () => {
  it("is the core's, with the thread as it is shown", async () => {
    const { agent, session } = await running({ threadId: "t" });
    session.finish();
    await settled();
    agent.setState({ n: 1 });
    const { v, threadId, handled, messages, state } = agent.save();
    assert.deepEqual([v, threadId, handled, messages.length, state], [1, "t", ["kept"], 1, { n: 1 }]);
  });

  it("has the thread that belongs to it, also during a run of which little is shown", async () => {
    const { agent, session } = await running({ notify: { throttleMs: 60_000 } });
    session.say("said");
    await settled();
    assert.deepEqual(texts(agent), ["1"]);
    agent.addToolResult({ toolCallId: "c", result: 1 });
    await settled();
    assert.deepEqual(agent.save().messages.map(({ content }) => content), ["1", "said"]);
  });

  it("is put into the store after a run, and before the agent goes", async () => {
    const saves = [];
    const { agent, first, session } = await running({ persist: { load() {}, save: (saved) => void saves.push(saved), clear() {} } });
    // Before the worker has heard of it.
    assert.deepEqual(saves[0].queue.map(({ messages }) => messages[0].content), ["1"]);
    session.finish();
    await first;
    await until(() => saves.at(-1).handled.length);
    agent.setState({ n: 1 });
    agent.dispose();
    const { handled, state } = saves.at(-1);
    assert.deepEqual([handled, state], [["kept"], { n: 1 }]);
  });

  it("is restored in the worker, and what the core cannot read is told", async () => {
    const saved = { v: 1, threadId: "t", messages: [user("a", "old")], state: { n: 1 }, handled: ["kept"] };
    const agent = create({ restore: Promise.resolve(saved) });
    agent.submit("new");
    await until(() => Session.last?.restored);
    await settled();
    assert.deepEqual([texts(agent), agent.getSnapshot().state, Session.last.restored], [["old", "new"], { n: 1 }, saved]);

    Session.refuseSave = Object.assign(new Error("damaged"), { code: "restore" });
    const failed = mock.fn();
    const other = create({ restore: saved, onError: failed });
    other.submit("new");
    await until(() => failed.mock.callCount());
    await settled();
    assert.deepEqual([failed.mock.calls[0].arguments[0].code, texts(other)], ["restore", ["new"]]);
  });
});

describe("leaving", () => {
  it("a run is done when the promise says so", async () => {
    const { agent, session } = await running();
    session.disconnect = () => {
      session.patch(["=", ["isLoading"], false]);
      session.changed(true);
    };
    await agent.disconnect();
    assert.equal(agent.getSnapshot().isLoading, false);
  });

  it("the agent ends its run and frees the session", async () => {
    const { agent, first, session } = await running();
    agent.dispose();
    assert.equal(agent.getSnapshot().outcome, "aborted");
    assert.equal((await first).outcome, "aborted");
    await until(() => session.freed);
    assert.deepEqual(texts(agent), ["1"]);
    await assert.rejects(agent.submit("2"), { code: "disposed" });
  });
});

describe("workers", () => {
  it("are shared by all agents, end with the last one, and begin again", async () => {
    const many = Array.from({ length: 50 }, () => create());
    const runs = many.map((agent, at) => agent.submit(`${at}`));
    await until(() => Session.all.length === 50);
    assert.equal(workers.all.length, 1);
    for (const session of Session.all) session.finish();
    await Promise.all(runs);
    const [last, ...others] = many;
    for (const agent of others) agent.dispose();
    await until(() => Session.all.filter(({ freed }) => freed).length === 49);
    assert.equal(workers.all[0].dead, false);
    last.dispose();
    await until(() => workers.all[0].dead);
    const run = create().submit("again");
    await until(() => Session.all.length === 51);
    Session.last.finish();
    assert.equal((await run).outcome, "success");
    assert.equal(workers.all.length, 2);
  });

  it("are kept for who waits for one, when the last session ends meanwhile", async () => {
    const { agent } = await running();
    workers.all[0].crash("gone");
    // The next one is on its way when the session that asked for it goes.
    agent.submit("2");
    agent.dispose();
    const run = create().submit("3");
    await until(() => Session.all.some(({ calls }) => calls.some(([name, input]) => name === "submit" && input.messages[0].content === "3")));
    await settled();
    Session.last.finish();
    assert.equal((await run).outcome, "success");
  });

  it("are not made before they are needed, nor without the option", async () => {
    const spawn = mock.fn(workers.spawn);
    const idle = create({}, spawn);
    idle.setState({ n: 1 });
    await settled();
    const page = createWorkerAgentWith(inPage, spawn, undefined, { url: "/", worker: false });
    agents.push(page);
    const run = page.submit("1");
    await until(() => Session.last);
    Session.last.finish();
    assert.equal((await run).outcome, "success");
    assert.equal(spawn.mock.callCount(), 0);
    idle.submit("1");
    await until(() => spawn.mock.callCount() === 1);
  });

  for (const [what, die] of [
    ["that dies", () => workers.all[0].crash("out of memory")],
    ["whose core traps", async (agent, session) => {
      session.throws.stop = trap();
      await agent.stop();
    }],
    ["whose core traps in a callback", (agent, session) => session.trap()],
  ]) {
    it(`${what} ends its runs with an error, the snapshot stays, and the next run has another`, async () => {
      const failed = mock.fn();
      const { agent, first, session } = await running({ onError: failed, initialState: { n: 1 } });
      session.say("half");
      await until(() => texts(agent).length === 2);
      await die(agent, session);
      const { outcome, error } = await first;
      assert.deepEqual([outcome, error.kind, error.retryable], ["error", "internal", true]);
      const { status, messages, state } = agent.getSnapshot();
      assert.deepEqual([status, messages.map(({ content }) => content), state], ["error", ["1", "half"], { n: 1 }]);
      assert.equal(failed.mock.callCount(), 1);
      const next = agent.submit("2");
      await until(() => Session.all.length === 2);
      await settled();
      Session.last.finish();
      assert.equal((await next).outcome, "success");
      assert.deepEqual(texts(agent), ["1", "half", "2"]);
      assert.equal(workers.all.length, 2);
    });
  }

  it("that die while the core begins lose nothing", async () => {
    const agent = create({ initialMessages: [user("a", "0")] });
    const run = agent.submit("1");
    await until(() => workers.all[0]?.ports.length);
    workers.all[0].crash("gone");
    assert.equal((await run).outcome, "error");
    assert.deepEqual(texts(agent), ["0", "1"]);
  });

  it("that die leave no promise open", async () => {
    const { agent } = await running();
    const stopped = agent.stop();
    const left = agent.disconnect();
    workers.all[0].crash("gone");
    await Promise.all([stopped, left]);
  });
});

describe("where no worker can be had", () => {
  const cases = {
    "because the constructor throws": () => {
      throw new Error("refused by policy");
    },
    "because its script is refused": () => {
      const worker = workers.spawn();
      worker.terminate();
      setImmediate(() => worker.onerror({}));
      return worker;
    },
  };
  for (const [what, spawn] of Object.entries(cases)) {
    it(`${what}, the agent works in the page and says why; nothing is lost`, async () => {
      const warned = [];
      const agent = create({ onWarning: (warning) => warned.push(warning) }, spawn);
      const run = agent.submit("1");
      agent.setState({ n: 1 });
      await until(() => Session.last);
      Session.last.say("a");
      assert.deepEqual(texts(agent), ["1", "a"]);
      Session.last.finish();
      assert.equal((await run).outcome, "success");
      assert.deepEqual(warned.map(({ code }) => code), ["worker-unavailable"]);
      assert.match(warned[0].message, /refused/);
      assert.deepEqual(agent.getSnapshot().state, { n: 1 });
    });
  }

  it("because the core cannot be loaded there, the page tries", async () => {
    const { spawn } = await localWorkers(() => Promise.reject(new Error("forbids WebAssembly")));
    const warned = [];
    const agent = create({ onWarning: ({ message }) => warned.push(message) }, spawn);
    agent.submit("1");
    await until(() => Session.last);
    assert.match(warned[0], /forbids WebAssembly/);
  });

  it("the second script is tried, once for all", async () => {
    const first = mock.fn(cases["because its script is refused"]);
    const warned = mock.fn();
    const both = Array.from({ length: 3 }, () => createWorkerAgentWith(inPage, first, workers.spawn, { url: "/", onWarning: warned }));
    agents.push(...both);
    for (const agent of both) agent.submit("1");
    await until(() => Session.all.length === 3);
    assert.deepEqual([first.mock.callCount(), workers.all.length, warned.mock.callCount()], [1, 2, 0]);
  });

  it("and the page cannot either, it can be tried again", async () => {
    let refuse = true;
    const load = async () => (refuse ? Promise.reject(new Error("no core")) : { Session });
    const agent = create({}, cases["because the constructor throws"], load);
    assert.equal((await agent.submit("1")).outcome, "error");
    refuse = false;
    const again = agent.retry();
    await until(() => Session.last);
    Session.last.finish();
    assert.equal((await again).outcome, "success");
  });
});

it("Vite's folder of prepared packages is left for the script", async () => {
  const { beyondVite } = await load("worker/pool");
  const { Worker } = globalThis;
  const asked = [];
  globalThis.Worker = class {
    constructor(...given) {
      asked.push(given);
    }
  };
  try {
    beyondVite("http://localhost:5173/@fs/app/node_modules/.vite/deps/ag-ui-wasm_worker.js?v=1", "worker-main.js")();
    assert.deepEqual(asked, [["http://localhost:5173/@fs/app/node_modules/ag-ui-wasm/worker-main.js", { type: "module" }]]);
    for (const other of ["http://localhost/assets/index.js", undefined]) assert.equal(beyondVite(other, "worker-main.js"), undefined);
  } finally {
    globalThis.Worker = Worker;
    if (!Worker) delete globalThis.Worker;
  }
});
