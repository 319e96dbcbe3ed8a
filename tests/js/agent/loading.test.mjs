// Before the core is there, and when it cannot be loaded.

import assert from "node:assert/strict";
import { describe, it, mock } from "node:test";
import { Session } from "../fake-core.mjs";
import { load, until } from "../lib.mjs";
import { create, opened, texts, waiting } from "./over-fake.mjs";

const { AgentError } = await load("api/error");

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

  it("leaves a run that has yet to begin", async () => {
    const { agent, arrive } = waiting();
    agent.submit("1");
    await agent.disconnect();
    arrive();
    const session = await opened();
    assert.deepEqual(session.calls.map(([name]) => name), ["submit", "disconnect"]);
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

  it("stops the first that waits, and no other", async () => {
    const { agent, arrive } = waiting();
    const results = [agent.submit({ message: "1", runId: "a" }), agent.submit({ message: "2", runId: "b" }), agent.submit({ message: "3", runId: "c" })];
    await agent.stop();
    assert.equal((await results[0]).outcome, "aborted");
    assert.equal(agent.getSnapshot().isLoading, true);
    arrive();
    const session = await opened();
    session.finish();
    session.finish();
    assert.deepEqual((await Promise.all(results)).map(({ outcome }) => outcome), ["aborted", "success", "success"]);
    assert.deepEqual(session.calls.map(([name, { runId }]) => `${name} ${runId}`), ["submit b", "submit c"]);
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
    assert.equal(failed.mock.callCount(), 1);
  });

  it("is tried again by retry", async () => {
    let tries = 0;
    const agent = create({}, async () => (++tries === 1 ? Promise.reject(blocked()) : { CoreSession: Session }));
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
    const agent = create({}, async () => (++tries === 1 ? Promise.reject(blocked()) : { CoreSession: Session }));
    const again = [];
    agent.subscribe(() => agent.getSnapshot().error && !again.length && again.push(agent.retry()));
    assert.equal((await agent.submit("1")).outcome, "error");
    (await opened()).finish();
    assert.equal((await again[0]).outcome, "success");
    assert.deepEqual(texts(agent), ["1"]);
  });

  it("does not lose the answers to interrupts", async () => {
    let tries = 0;
    const agent = create({}, async () => (++tries === 1 ? Promise.reject(blocked()) : { CoreSession: Session }));
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
    const agent = create({}, async () => (++tries === 1 ? Promise.reject(new Error("offline")) : { CoreSession: Session }));
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
      const agent = create({}, async () => (++tries < 3 ? Promise.reject(blocked()) : { CoreSession: Session }));
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
