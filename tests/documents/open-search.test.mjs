// The document "AG-UI (Agent-User Interaction) Protocol" of OpenSearch, one test a line that a client can honor.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { load, real } from "../js/lib.mjs";
import { answering } from "../js/systems/systems.mjs";

const { createAgent } = await load("index");

const sse = (...events) => events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
const started = { type: "RUN_STARTED", threadId: "t", runId: "r" };
const finished = { type: "RUN_FINISHED", threadId: "t", runId: "r" };
const call = (toolCallId, toolCallName, delta = "{}") => [
  { type: "TOOL_CALL_START", toolCallId, toolCallName },
  { type: "TOOL_CALL_ARGS", toolCallId, delta },
  { type: "TOOL_CALL_END", toolCallId },
];
const make = (bodies, given = {}) => {
  const { fetch, requests } = answering(...bodies);
  return { agent: createAgent({ url: "http://host/stream", threadId: "t", fetch, dialect: "open-search", rules: "strict", ...given }), requests };
};

describe("OpenSearch", { skip: !real && "needs the built core" }, () => {
  describe("Request Format", () => {
    it("rows 1 to 7: a request has these seven members and no others", async () => {
      const { agent, requests } = make([sse(started, finished)]);
      await agent.submit("hi");
      assert.deepEqual(Object.keys(requests[0]).sort(), ["context", "forwardedProps", "messages", "runId", "state", "threadId", "tools"]);
      const { threadId, runId, messages, tools, context, state, forwardedProps } = requests[0];
      assert.deepEqual([threadId, typeof runId, messages.length, tools, context, state, forwardedProps], ["t", "string", 1, [], [], {}, {}]);
    });

    it("others are sent where a setting asks for them", async () => {
      const { agent, requests } = make([sse(started, finished)], { dialect: { name: "open-search", members: "all" } });
      await agent.submit("hi");
      assert.equal(requests[0].protocolVersion, "1.0");
    });

    it("row 3: with history new, a question that was answered without text is not sent again", async () => {
      const { agent, requests } = make([sse(started, finished), sse(started, finished), sse(started, finished)], {
        dialect: { name: "open-search", history: "new" },
      });
      await agent.submit("one");
      await agent.submit("two");
      assert.deepEqual(requests[1].messages.map(({ content }) => content), ["two"]);
      await agent.retry();
      assert.deepEqual(requests[2].messages.map(({ content }) => content), ["two"], "asked for again, it is sent again");
    });

    it("row 5: context items and tools go as they are given", async () => {
      const context = [{ description: "page", value: "explore" }];
      const tools = [{ name: "f", description: "d", parameters: { type: "object" } }];
      const { agent, requests } = make([sse(started, finished)], { context, tools });
      await agent.submit("hi");
      assert.deepEqual([requests[0].context, requests[0].tools], [context, tools]);
    });
  });

  describe("Event Types", () => {
    it("rows 1 to 4 and 9: a text answer", async () => {
      const events = [{ type: "TEXT_MESSAGE_START", messageId: "m", role: "assistant" }, { type: "TEXT_MESSAGE_CONTENT", messageId: "m", delta: "Hi" }, {
        type: "TEXT_MESSAGE_END",
        messageId: "m",
      }];
      const { agent } = make([sse(started, ...events, finished)]);
      assert.equal((await agent.submit("hi")).outcome, "success");
      assert.equal(agent.getSnapshot().messages.at(-1).content, "Hi");
    });

    it("rows 5 to 8: a backend tool with its result", async () => {
      const result = { type: "TOOL_CALL_RESULT", messageId: "x", toolCallId: "c", content: "green", role: "tool" };
      const { agent } = make([sse(started, ...call("c", "ListIndexTool"), result, finished)]);
      await agent.submit("hi");
      const [{ name, status, result: found }] = agent.getSnapshot().toolCalls;
      assert.deepEqual([name, status, found], ["ListIndexTool", "complete", "green"]);
    });

    it("row 10: RUN_ERROR", async () => {
      const { agent } = make([sse(started, { type: "RUN_ERROR", message: "no model" })]);
      const { outcome, error } = await agent.submit("hi");
      assert.deepEqual([outcome, error.message], ["error", "no model"]);
    });

    it("row 11: MESSAGES_SNAPSHOT", async () => {
      const messages = [{ id: "s", role: "user", content: "before" }];
      const { agent } = make([sse(started, { type: "MESSAGES_SNAPSHOT", messages }, finished)]);
      await agent.submit({});
      assert.deepEqual(agent.getSnapshot().messages.map(({ content }) => content), ["before"]);
    });
  });

  describe("Hybrid Tool Execution", () => {
    it("line 2: a frontend tool runs in the page, and its result goes in a follow-up request", async () => {
      const tools = [{ name: "update_query", description: "d", parameters: {}, execute: ({ q }) => ({ set: q }) }];
      const { agent, requests } = make([sse(started, ...call("c", "update_query", '{"q":1}'), finished), sse(started, finished)], { tools });
      assert.equal((await agent.submit("hi")).outcome, "success");
      const last = requests[1].messages.at(-1);
      assert.deepEqual([last.role, last.toolCallId, last.content], ["tool", "c", '{"set":1}']);
    });
  });
});
