import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { load } from "../lib.mjs";

const { initialSnapshot } = await load("snapshot/initial");

const call = (id, args) => ({ id, type: "function", function: { name: "look", arguments: args } });

describe("the first snapshot", () => {
  it("is an empty thread at rest", () => {
    assert.deepEqual(initialSnapshot("t"), {
      threadId: "t",
      thread: { status: "ready", hasOlder: false },
      runId: undefined,
      status: "idle",
      isLoading: false,
      error: undefined,
      messages: [],
      toolCalls: [],
      state: {},
      outcome: undefined,
      interrupts: [],
      subagents: [],
      steps: [],
      usage: [],
      timing: undefined,
      queue: [],
      connection: { phase: "closed", attempt: 0 },
    });
  });

  it("says of every message how it was delivered", () => {
    const messages = [
      { id: "1", role: "user", content: "hi" },
      { id: "2", role: "assistant", content: "he", delivery: "streaming" },
      { id: "3", role: "assistant", content: "no", delivery: "error" },
    ];
    const shown = initialSnapshot("t", messages).messages;
    assert.deepEqual(shown.map(({ delivery }) => delivery), ["complete", "aborted", "error"]);
    assert.equal(shown[2], messages[2]);
    assert.ok(!("delivery" in messages[0]));
  });

  it("lists the tool calls with their results", () => {
    const { toolCalls } = initialSnapshot("t", [
      { id: "m", role: "assistant", toolCalls: [call("a", `{"q":1}`), call("b", `{"q":`)] },
      { id: "n", role: "assistant", toolCalls: [call("c", "null")], subagentRunId: "s" },
      { id: "ra", role: "tool", toolCallId: "a", content: `{"found":true}` },
      { id: "rb", role: "tool", toolCallId: "b", content: "", error: "broken" },
      { id: "ra2", role: "tool", toolCallId: "a", content: "again" },
    ]);
    assert.deepEqual(toolCalls, [
      { id: "a", name: "look", args: { q: 1 }, argsText: `{"q":1}`, status: "complete", phase: "output-available", result: { found: true }, messageId: "m" },
      { id: "b", name: "look", args: {}, argsText: `{"q":`, status: "error", phase: "output-error", result: "", error: "broken", messageId: "m" },
      { id: "c", name: "look", args: null, argsText: "null", status: "complete", phase: "input-available", messageId: "n", subagentRunId: "s" },
    ]);
  });

  it("takes a state that is null or false as none", () => {
    assert.deepEqual(initialSnapshot("t", [], null).state, {});
    assert.equal(initialSnapshot("t", [], false).state, false);
  });
});
