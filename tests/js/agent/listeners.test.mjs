// Events for listeners, and the parts of a snapshot that stay the same object.

import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it, mock } from "node:test";
import { Session } from "../fake-core.mjs";
import { load, until } from "../lib.mjs";
import { create, opened, texts } from "./over-fake.mjs";

const { initialSnapshot } = await load("snapshot/initial");

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
