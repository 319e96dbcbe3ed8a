// The document "AG-UI Metadata Schema" of Hector, one test a line that a client can honor. Each names the line's place.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { load, real } from "../js/lib.mjs";

const hector = await load("systems/hector/index");
const { createAgent } = await load("index");
const skip = !real && "needs the built core";

const text = {
  text: "Hello! How can I help you today?",
  metadata: { agui_event_type: "content_block", agui_block_type: "text", agui_block_id: "block-1234", agui_block_index: 0 },
};
const thinking = {
  text: "[Thinking: Analyzing the user's request...]\n",
  metadata: { agui_event_type: "thinking", agui_block_type: "thinking", agui_block_id: "think-5678", agui_block_index: 1 },
};
const call = {
  data: { data: { id: "call-9abc", name: "search_code", arguments: { query: "authentication logic" } } },
  metadata: { agui_event_type: "tool_call", agui_tool_call_id: "call-9abc", agui_tool_name: "search_code" },
};
const result = {
  data: { data: { tool_call_id: "call-9abc", content: "Found 5 files matching 'authentication'...", error: "" } },
  metadata: { agui_event_type: "tool_call", agui_tool_call_id: "call-9abc", agui_is_error: false },
};
const all = [text, thinking, call, result];

/** The snapshot after a stream. */
async function snapshotOf(body, settings = {}) {
  const asked = [];
  const fetch = async (_, { headers }) => {
    asked.push(new Headers(headers).get("accept"));
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  };
  const { headers, ...rest } = settings;
  const agent = createAgent({ url: "http://host/v1/agents/a/message:stream", fetch, dialect: { name: "hector", ...rest }, ...(headers && { headers }) });
  const warnings = [];
  agent.on("warning", ({ code }) => warnings.push(code));
  await agent.submit("hi");
  const { messages, toolCalls, outcome } = agent.getSnapshot();
  agent.dispose();
  return { answers: messages.filter(({ role }) => role !== "user"), toolCalls, outcome, asked, warnings };
}
const native = (...parts) =>
  parts.map((part) => `event: message\ndata: ${JSON.stringify({ message: { contextId: "c", taskId: "k", role: "ROLE_AGENT", parts: [part] } })}\n\n`).join("") +
  "event: done\ndata: {}\n\n";

describe("AG-UI Metadata Fields", () => {
  it("core fields, row 1: agui_event_type", () => {
    assert.deepEqual(all.map(hector.getEventType), ["content_block", "thinking", "tool_call", "tool_call"]);
  });
  it("core fields, row 2: agui_block_type", () => assert.deepEqual(all.map(hector.getBlockType), ["text", "thinking", "", ""]));
  it("core fields, row 3: agui_block_id", () => assert.deepEqual(all.map(hector.getBlockId), ["block-1234", "think-5678", "", ""]));
  it("core fields, row 4: agui_block_index", () => assert.deepEqual(all.map(hector.getBlockIndex), [0, 1, undefined, undefined]));
  it("tool call fields, row 1: agui_tool_call_id", () => assert.deepEqual(all.map(hector.getToolCallId), ["", "", "call-9abc", "call-9abc"]));
  it("tool call fields, row 2: agui_tool_name", () => assert.deepEqual(all.map(hector.getToolName), ["", "", "search_code", ""]));
  it("tool call fields, row 3: agui_is_error", () => assert.deepEqual(all.map(hector.getIsError), [undefined, undefined, undefined, false]));

  it("members of another type say nothing, and nothing throws", () => {
    const odd = {
      text: 1,
      metadata: {
        agui_event_type: 5,
        agui_block_id: {},
        agui_block_type: null,
        agui_block_index: "1",
        agui_tool_call_id: [],
        agui_tool_name: 7,
        agui_is_error: "no",
      },
    };
    for (const part of [odd, null, undefined, {}, { metadata: null }, { metadata: "x" }, 7]) {
      for (const name of ["getEventType", "getBlockId", "getBlockType", "getToolCallId", "getToolName"]) assert.equal(hector[name](part), "", name);
      assert.deepEqual([hector.getBlockIndex(part), hector.getIsError(part), hector.isThinkingPart(part)], [undefined, undefined, false]);
    }
    assert.deepEqual(hector.extractToolCalls([null, odd]), []);
    assert.equal(hector.extractText([null, odd]), "\n");
  });
});

describe("Creating AG-UI-Enriched Parts", () => {
  it("CreateTextPartWithAGUI(text, blockID, blockIndex)", () => {
    assert.deepEqual(hector.createTextPartWithAGUI(text.text, "block-1234", 0), text);
    assert.match(hector.getBlockId(hector.createTextPartWithAGUI("a", "", 3)), /^[\da-f-]{36}$/);
  });
  it("CreateThinkingPart(text, blockID, blockIndex)", () => {
    assert.deepEqual(hector.createThinkingPart(thinking.text, "think-5678", 1), thinking);
    assert.notEqual(hector.getBlockId(hector.createThinkingPart("a")), hector.getBlockId(hector.createThinkingPart("a")));
  });
  it("CreateToolCallPart({ ID, Name, Args })", () => {
    assert.deepEqual(hector.createToolCallPart({ id: "call-9abc", name: "search_code", args: { query: "authentication logic" } }), call);
  });
  it("CreateToolResultPart({ ToolCallID, Content, Error })", () => {
    assert.deepEqual(hector.createToolResultPart({ toolCallId: "call-9abc", content: result.data.data.content }), result);
    assert.equal(hector.getIsError(hector.createToolResultPart({ toolCallId: "c", content: "", error: "boom" })), true);
  });
});

describe("Reading AG-UI Metadata", () => {
  it("IsThinkingPart, GetAGUIEventType, GetAGUIBlockID and GetAGUIBlockType are here under their names", () => {
    assert.deepEqual(all.map(hector.isThinkingPart), [false, true, false, false]);
    assert.equal(hector.getAGUIEventType, hector.getEventType);
    assert.equal(hector.getAGUIBlockID, hector.getBlockId);
    assert.equal(hector.getAGUIBlockType, hector.getBlockType);
  });
});

describe("Client-Side Handling", () => {
  it("isThinkingPart: no part and no metadata are no thinking", () => {
    for (const part of [null, undefined, {}, { metadata: null }]) assert.equal(hector.isThinkingPart(part), false);
  });
  it("extractTextFromParts", () => assert.equal(hector.extractTextFromParts(all), `${text.text}\n\n`));
  it("extractThinkingFromParts", () => assert.equal(hector.extractThinkingFromParts(all), thinking.text));
  it("extractToolCallsFromParts", () => {
    assert.deepEqual(hector.extractToolCallsFromParts(all), [{ id: "call-9abc", name: "search_code", args: { query: "authentication logic" } }]);
  });
});

describe("Example A2A Parts with AG-UI Metadata", { skip }, () => {
  it("the four parts reach the snapshot", async () => {
    const { answers, toolCalls } = await snapshotOf(native(thinking, text, call, result), { format: "native" });
    assert.deepEqual(answers.map(({ role, content, id }) => [role, content, id]).slice(0, 2), [["reasoning", thinking.text, "think-5678"], [
      "assistant",
      text.text,
      "block-1234",
    ]]);
    const [{ id, name, args, status, result: found }] = toolCalls;
    assert.deepEqual([id, name, args, status, found], ["call-9abc", "search_code", { query: "authentication logic" }, "complete", result.data.data.content]);
  });

  it("parts with a block id of their own are messages of their own, and code keeps its type", async () => {
    const code = { text: "let a", metadata: { agui_event_type: "content_block", agui_block_type: "code", agui_block_id: "b2" } };
    const { answers } = await snapshotOf(native(hector.createTextPart("a", "b1"), hector.createTextPart("b", "b1"), code), { format: "native" });
    assert.deepEqual(answers.map(({ id, content, metadata }) => [id, content, metadata]), [["b1", "ab", undefined], ["b2", "let a", {
      hector: { blockType: "code" },
    }]]);
  });

  it("parts of errors, tasks and messages are marked", async () => {
    for (const kind of ["error", "task", "message"]) {
      const { answers } = await snapshotOf(native({ text: "said", metadata: { agui_event_type: kind } }), { format: "native" });
      assert.deepEqual(answers.map(({ content, metadata }) => [content, metadata]), [["said", { hector: { eventType: kind } }]]);
    }
  });

  it("a failed result is an error of its call", async () => {
    const { toolCalls } = await snapshotOf(native(call, hector.createToolResultPart({ toolCallId: "call-9abc", content: "", error: "boom" })), {
      format: "native",
    });
    assert.deepEqual([toolCalls[0].status, toolCalls[0].error], ["error", "boom"]);
  });

  it("what is no part is a warning, and nothing shown is lost", async () => {
    const { answers, warnings } = await snapshotOf(native(text, null, 7, { text: 1, metadata: 3 }, { metadata: { agui_event_type: "dance" } }), {
      format: "native",
    });
    assert.equal(answers[0].content, text.text);
    assert.ok(warnings.includes("hector-frame-malformed"));
  });
});

describe("AG-UI Native UIs", { skip }, () => {
  const events = [
    ["message_start", { messageId: "msg-123", contextId: "ctx-456", role: "agent" }],
    ["thinking_start", { thinkingId: "think-789" }],
    ["thinking_delta", { thinkingId: "think-789", delta: "Analyzing request..." }],
    ["thinking_stop", { thinkingId: "think-789" }],
    ["content_block_start", { blockId: "block-abc", blockType: "text" }],
    ["content_block_delta", { blockId: "block-abc", delta: "Hello! How can I help?" }],
    ["content_block_stop", { blockId: "block-abc" }],
    ["message_stop", { messageId: "msg-123" }],
  ];
  const body = events.map(([name, data]) => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`).join("");

  it("the documented response reaches the snapshot", async () => {
    const { answers, outcome } = await snapshotOf(body);
    assert.deepEqual(answers.map(({ role, content }) => [role, content]), [["reasoning", "Analyzing request..."], ["assistant", "Hello! How can I help?"]]);
    assert.equal(outcome, "success");
  });

  it("the form is asked for with Accept, by default and with format: agui", async () => {
    for (const settings of [{}, { format: "agui" }, { form: "agui" }]) {
      assert.match((await snapshotOf(body, settings)).asked[0], /application\/x-agui-events/);
    }
    assert.equal((await snapshotOf(native(text), { format: "native" })).asked[0], "text/event-stream");
  });

  it("an Accept of the application is kept, and a contradiction is a warning", async () => {
    const kept = await snapshotOf(body, { headers: { accept: "application/agui+json" } });
    assert.deepEqual([kept.asked, kept.warnings], [["application/agui+json"], []]);
    const contradicts = await snapshotOf(native(text), { headers: { accept: "text/event-stream" } });
    assert.deepEqual([contradicts.asked, contradicts.warnings], [["text/event-stream"], ["accept-contradicts"]]);
  });
});
