// The snapshot of a save before the core has read it: as the agent showed it.

import assert from "node:assert/strict";
import { afterEach, describe, it } from "node:test";
import { load, real, until } from "../lib.mjs";

const { savedSnapshot } = await load("snapshot/save");

const events = {
  approval: (runId) => [
    { type: "TOOL_CALL_START", toolCallId: `${runId}-call`, toolCallName: "ask" },
    { type: "TOOL_CALL_ARGS", toolCallId: `${runId}-call`, delta: '{"n":1}' },
    { type: "TOOL_CALL_END", toolCallId: `${runId}-call` },
  ],
  text: (runId) => [{ type: "TEXT_MESSAGE_CHUNK", messageId: runId, role: "assistant", delta: "x" }],
};
const tools = {
  approved: { needsApproval: true, execute: () => "done" },
  manual: {},
  executing: { execute: () => new Promise(() => {}) },
};
const ends = {
  success: { type: "RUN_FINISHED" },
  interrupted: { type: "RUN_FINISHED", outcome: { type: "interrupt", interrupts: [{ id: "i", reason: "ask" }] } },
  failed: { type: "RUN_ERROR", message: "no" },
};

/** A fetch whose run has these events. */
const server = (list, end) => async (_, { body }) => {
  const { threadId, runId } = JSON.parse(body);
  const all = [{ type: "RUN_STARTED", threadId, runId }, ...list(runId), { threadId, runId, ...end }];
  return new Response(all.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(""), { headers: { "content-type": "text/event-stream" } });
};

describe("a save is shown as what was saved", { skip: !real && "needs the real core" }, () => {
  const agents = [];
  afterEach(() => agents.splice(0).forEach((agent) => agent.dispose()));
  for (const [what, list, tool, end] of [
    ["a call that awaits approval", events.approval, tools.approved, ends.success],
    ["a call that the page answers by hand", events.approval, tools.manual, ends.success],
    ["a call that is being executed", events.approval, tools.executing, ends.success],
    ["an interrupt", events.text, tools.manual, ends.interrupted],
    ["a call of the server's that was left open", events.approval, undefined, ends.failed],
  ]) {
    it(what, async () => {
      const { createAgent } = await load("index");
      const options = {
        url: "http://agent/",
        notify: "sync",
        threadId: "t",
        fetch: server(list, end),
        tools: tool && [{ name: "ask", description: "d", ...tool }],
      };
      const agent = createAgent(options);
      agents.push(agent);
      void agent.submit("go");
      const waits = () => agent.getSnapshot().toolCalls.some(({ phase }) => /awaiting|executing/.test(phase));
      await until(() => (tool?.execute ? waits() : agent.getSnapshot().outcome));
      const shown = agent.getSnapshot();
      const other = createAgent({ ...options, restore: agent.save() });
      agents.push(other);
      const { toolCalls, interrupts, messages } = other.getSnapshot();
      assert.deepEqual(toolCalls, shown.toolCalls);
      assert.deepEqual(interrupts, shown.interrupts);
      assert.deepEqual(messages.map(({ id }) => id), shown.messages.map(({ id }) => id));
      assert.ok(toolCalls.length + interrupts.length > 0);
    });
  }
});

it("a submit that waits stands in the queue, with its messages alone", () => {
  const messages = [{ id: "u", role: "user", content: "next" }];
  const { queue } = savedSnapshot({ v: 1, threadId: "t", messages: [], state: {}, queue: [{ start: "submit", runId: "r", messages, context: [] }] });
  assert.deepEqual(queue, [{ id: "r", runId: "r", messages }]);
});

it("what was answered meanwhile stays answered, whatever the save says of its call", () => {
  const call = { id: "c", type: "function", function: { name: "ask", arguments: "{}" } };
  const messages = [{ id: "a", role: "assistant", toolCalls: [call] }, { id: "r", role: "tool", toolCallId: "c", content: "yes" }];
  const { toolCalls } = savedSnapshot({ v: 1, threadId: "t", messages, state: {}, failed: ["c"], turn: { calls: [{ id: "c", stage: "waiting" }] } });
  assert.deepEqual(toolCalls.map(({ phase, result }) => [phase, result]), [["output-available", "yes"]]);
});
