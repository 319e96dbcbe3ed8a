// The results of a submit, and the verbs beside it.

import assert from "node:assert/strict";
import { describe, it, mock } from "node:test";
import { Session } from "../fake-core.mjs";
import { load } from "../lib.mjs";
import { create, opened, texts } from "./over-fake.mjs";

const { AgentError } = await load("api/error");

describe("submit", () => {
  const input = async (given, options) => {
    create(options).submit(given);
    const [name, { runId, messages, ...rest }] = (await opened()).calls[0];
    assert.equal(name, "submit");
    assert.match(runId, /./);
    return { messages: messages.map(({ id, ...message }) => (assert.match(id, /./), message)), ...rest };
  };
  const defaults = { tools: [], pageTools: [], context: [], forwardedProps: {} };
  const user = (content) => ({ role: "user", content, delivery: "complete" });
  const image = { type: "image", source: { type: "url", value: "x" } };

  it("merges its state into an object, as the core does", () => {
    const shown = (initialState, state) => {
      const agent = create({ initialState });
      agent.submit({ state });
      const { state: merged } = agent.getSnapshot();
      agent.dispose();
      return merged;
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
    assert.deepEqual(await input({ state: 0 }, options), {
      ...defaults,
      messages: [],
      state: 0,
      tools: [tool],
      pageTools: [{ name: "t", manual: true }],
      context,
      forwardedProps: { a: 1 },
    });
    const given = { tools: [], context: [], forwardedProps: 5 };
    Session.all = [];
    const own = ["tools", "context", "forwardedProps"];
    assert.deepEqual(await input({ state: 0, ...given }, options), { ...defaults, messages: [], state: 0, ...given, own });
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
    const again = [
      () => agent.retry({ newMessageId: true }),
      () => agent.regenerate("m", { newMessageId: true }),
      () => agent.regenerate(undefined, { newMessageId: true }),
    ];
    const same = [
      () => agent.retry(),
      () => agent.retry({}),
      () => agent.retry({ newMessageId: false }),
      () => agent.regenerate("m"),
      () => agent.regenerate("m", {}),
    ];
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
    assert.deepEqual(names, ["retry", "stop", "regenerate", "stop", "submit", "editState", "editMessages", "reset"]);
    assert.equal(session.calls[2][1].of, "m");
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
