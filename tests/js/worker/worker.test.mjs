// Agents in a worker: runs, their ends, the queue, edits and tools.

import assert from "node:assert/strict";
import { describe, it, mock } from "node:test";
import { Session } from "../fake-core.mjs";
import { load, until } from "../lib.mjs";
import { create, published, running, settled, texts, user } from "./over-fake.mjs";

const { AgentError } = await load("api/error");

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

  it("is in each save from the first moment on, also before the worker has said anything", async () => {
    const agent = create();
    agent.submit("1");
    const lacking = [];
    await until(() => {
      const { messages, queue } = agent.save();
      if (![...messages, ...queue.flatMap((row) => row.messages)].some(({ content }) => content === "1")) lacking.push(agent.getSnapshot().status);
      return Session.last;
    });
    assert.deepEqual(lacking, []);
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
    const deep = (
      value,
    ) => (typeof value === "object" && value ? Object.freeze(Object.fromEntries(Object.entries(value).map(([key, part]) => [key, deep(part)]))) : value);
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
    const { agent, session, called } = await running({ onWarning: ({ code }) => warned.push(code) });
    agent.submit("2");
    await until(() => agent.getSnapshot().queue.length);
    const [{ id }] = agent.getSnapshot().queue;
    assert.equal(agent.editQueued(id, "two"), true);
    assert.equal(agent.getSnapshot().queue[0]?.messages[0].content, "two");
    await until(() => called("editQueued").length);
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
    session.approved = ({ toolCallId }) => session.host.execute(toolCallId, "t", "{}", true);
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
