// A core that traps, and an agent that is disposed.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Session, trap } from "../fake-core.mjs";
import { load } from "../lib.mjs";
import { create, opened, texts } from "./over-fake.mjs";

const { AgentError } = await load("api/error");

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
    Session.refuse = undefined;
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
