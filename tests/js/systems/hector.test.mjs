// Hector over the real core, and the functions for its messages.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { hector as server } from "./servers/hector.mjs";
import { load, real, until } from "../lib.mjs";

const hector = await load("systems/hector/index");
const { createAgent, eventSource } = await load("index");
const skip = !real && "the core is a stand-in";

const read = (name) => readFileSync(new URL(`../../fixtures/dialects/hector/${name}`, import.meta.url), "utf8");
const json = (name) => JSON.parse(read(name));
const vectors = json("part-extraction-vectors.json");

/** The frames of a recording. */
const frames = (name) =>
  read(name).trim().split("\n\n").map((frame) => {
    const field = (of) => frame.match(new RegExp(`^${of}: (.*)$`, "m"))?.[1];
    return { event: field("event") ?? "", data: JSON.parse(field("data") ?? "null") };
  });

/** Ids that the client makes, numbered by their first appearance; those of the recordings too. */
function numbered(value) {
  const made = new Map();
  const is = (text) => /^(00000000-0000-4000-8000-\d{12}|<client message id>|[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12})$/.test(text);
  return JSON.parse(JSON.stringify(value), (_, text) => {
    if (typeof text !== "string" || !is(text) || text.startsWith("9d0f6b9e")) return text;
    if (!made.has(text)) made.set(text, `made-${made.size}`);
    return made.get(text);
  });
}

describe("parts", () => {
  const { parts } = vectors;

  it("are told apart as the vectors say", () => {
    assert.deepEqual(parts.map(hector.isThinkingPart), vectors.isThinkingPart);
    assert.deepEqual(parts.map(hector.getEventType), vectors.eventTypes);
    assert.deepEqual(parts.map(hector.getBlockId), vectors.blockIds);
    assert.deepEqual(parts.map(hector.getBlockType), vectors.blockTypes);
  });

  it("give their texts, calls and results", () => {
    for (const name of ["extractText", "extractTextCompact", "extractThinking", "extractToolCalls", "extractToolResults"]) {
      assert.deepEqual(hector[name](parts), vectors[name], name);
    }
  });

  it("are read under older names", () => {
    const data = { id: "c", name: "n", input: '{"q":1}' };
    assert.deepEqual(hector.extractToolCalls([{ data: { data }, metadata: { part_type: "tool_call" } }]), [{ id: "c", name: "n", args: { q: 1 } }]);
    assert.deepEqual(hector.extractToolCalls([{ data: { data: { input: "{" } }, metadata: { part_type: "tool_call" } }])[0].args, {});
  });

  it("become events", () => {
    const told = hector.partsToEvents(parts);
    const names = told.map(({ name }) => name);
    assert.deepEqual(names.slice(0, 7), [
      "content_block_start",
      "content_block_delta",
      "content_block_stop",
      "thinking_start",
      "thinking_delta",
      "thinking_stop",
      "thinking_start",
    ]);
    assert.equal(names.at(-1), "content_block_stop", "what is open at the end is closed");
    assert.deepEqual(hector.partsToEvents([]), []);
    assert.deepEqual(hector.partsToEvents([null, 7, {}, { text: 1, data: [], metadata: "x" }]), [], "what is no part is none");
  });
});

describe("the converter", () => {
  for (const name of ["02-a2a-native-same-run", "03-a2a-native-agui-prefixed-metadata", "10-a2a-native-approval-v1"]) {
    it(`makes of ${name} what the server would have made`, () => {
      const { a2a, clientSideEvents } = json(`${name}.expected.json`);
      const { convert, close } = hector.createConverter();
      const told = a2a.flatMap(convert);
      assert.deepEqual(frames(`${name}.sse`).slice(0, -1).map(({ data }) => data), a2a);
      const last = told.at(-1)?.name === "task_update" ? [] : close().filter(({ name }) => name === "nothing");
      assert.deepEqual(numbered([...told, ...last, { name: "done", payload: {} }]), numbered(clientSideEvents));
    });
  }

  it("knows tasks as they stand", () => {
    const task = (state, message) => ({ task: { id: "k", contextId: "c", status: { state: `TASK_STATE_${state}`, message } } });
    const names = (response) => hector.createConverter().convert(response).map(({ name }) => name);
    assert.deepEqual(names(task("WORKING")), ["message_start", "task_update"]);
    assert.deepEqual(names(task("COMPLETED")), ["task_complete"]);
    const [{ payload }] = hector.createConverter().convert(task("FAILED", { parts: [{ data: {} }, { text: "boom" }] }));
    assert.deepEqual(payload, { taskId: "k", errorMessage: "boom", errorCode: "TASK_FAILED" });
    assert.deepEqual(names(task("CANCELLED")), []);
    assert.deepEqual(names({ message: 7 }), []);
  });

  it("closes what a cut stream has left open", () => {
    const { convert, close } = hector.createConverter({ messageId: "m" });
    convert({ message: { contextId: "c", role: "ROLE_AGENT", parts: [{ text: "a" }] } });
    assert.deepEqual(close().map(({ name }) => name), ["content_block_stop", "message_stop"]);
  });
});

describe("the form", () => {
  for (const name of [
    "01-agui-task-thinking-tool-text",
    "04-agui-flat-document-form",
    "05-agui-tool-error-task-failed",
    "07-agui-service-error",
    "08-agui-truncated",
    "09-agui-task-snapshot-states",
  ]) {
    it(`of ${name} is read, nested or flat`, () => {
      const told = frames(`${name}.sse`).map(({ event, data }) => hector.readFormEvent(event, data));
      assert.deepEqual(told, json(`${name}.expected.json`).events);
    });
  }

  it("has its name in the type, where the line has none", () => {
    assert.equal(hector.readFormEvent("", { type: "AGUI_EVENT_TYPE_TASK_START", taskStart: {} }).name, "task_start");
  });
});

describe("the agent card", () => {
  it("says the form", () => {
    const extension = { uri: "https://ag-ui.org/protocol/v1", required: false };
    assert.deepEqual(hector.chooseForm({ capabilities: { extensions: [extension] } }), { form: "agui" });
    assert.deepEqual(hector.chooseForm({ defaultOutputModes: ["text/plain", "application/x-agui-events"] }), { form: "agui" });
    for (const card of [{}, { capabilities: { extensions: [null, {}] } }, { defaultOutputModes: "application/x-agui-events" }]) {
      assert.deepEqual(hector.chooseForm(card), { form: "native" });
    }
  });

  it("is read from any address of the agent", async () => {
    const asked = [];
    const fetch = async (url, { headers }) => (asked.push([url, headers.authorization]), Response.json({ name: "a" }));
    for (const path of ["", "/", "/stream", "/message:stream?format=agui"]) {
      assert.deepEqual(await hector.fetchAgentCard(`/v1/agents/a${path}`, { fetch, headers: { authorization: "x" } }), { name: "a" });
    }
    assert.deepEqual(asked, Array(4).fill(["/v1/agents/a/.well-known/agent-card.json", "x"]));
    await assert.rejects(hector.fetchAgentCard("/a", { fetch: async () => new Response("", { status: 404 }) }), /404/);
    await assert.rejects(hector.fetchAgentCard("/a", { fetch: async () => Response.json([]) }), /no object/);
  });
});

describe("requests beside the stream", () => {
  it("resubscribe", () => {
    const { url, ...rest } = hector.resubscribe("https://h.test/v1/agents/a/message:stream?format=agui");
    assert.deepEqual([url("k 1"), rest], ["https://h.test/v1/agents/a/tasks/k%201:subscribe?format=agui", { by: "snapshot", method: "GET" }]);
    assert.deepEqual(hector.resubscribe("/agents/a"), { by: "snapshot", url: "/agents/a", method: "POST" });
    assert.equal(hector.resubscribe("/api/a", { route: "rest" }).url("k"), "/api/a/tasks/k:subscribe");
  });

  it("cancel a task", async () => {
    const asked = [];
    const fetch = async (url, { method, body }) => (asked.push([url, method, JSON.parse(body)]), Response.json({}));
    await hector.cancelTask("/v1/agents/a/message:stream?format=agui", { fetch })({ threadId: "t", runId: "k" });
    await hector.cancelTask("/agents/a", { fetch })({ threadId: "t", runId: "k" });
    const rpc = { jsonrpc: "2.0", method: "tasks/cancel", params: { id: "k" }, id: "k" };
    assert.deepEqual(asked, [["/v1/agents/a/tasks/k:cancel", "POST", {}], ["/agents/a", "POST", rpc]]);
    await assert.rejects(async () => hector.cancelTask("/agents/a", { fetch: async () => new Response("", { status: 404 }) })({ runId: "k" }), /404/);
  });

  it("answer an approval", async () => {
    const asked = [];
    const fetch = async (url, { method, body, headers }) => (asked.push([url, method, JSON.parse(body), headers.get("content-type")]), Response.json({}));
    await hector.answerApproval("/v1/agents/a/stream", { contextId: "c", taskId: "k" }, "approve", { fetch });
    const message = { role: "user", contextId: "c", taskId: "k", parts: [{ data: { data: { decision: "approve" } } }] };
    assert.deepEqual(asked, [["/v1/agents/a/message:send", "POST", { message }, "application/json"]]);
    const refuse = async () => new Response("", { status: 409 });
    await assert.rejects(hector.answerApproval("/a", { contextId: "c" }, "deny", { fetch: refuse }), /409/);
  });
});

describe("an agent", { skip }, () => {
  const create = (bodies, options) => {
    const asked = [];
    const fetch = async (url, { method, body, headers }) => {
      asked.push({ url, method, body: body && JSON.parse(body), accept: headers.get("accept") });
      return new Response(bodies.shift(), { headers: { "content-type": "text/event-stream" } });
    };
    const agent = createAgent({ fetch, threadId: "t", notify: "sync", rules: "strict", dialect: "hector", limits: { graceMs: 0 }, ...options });
    return { agent, asked };
  };
  const said = (agent) => agent.getSnapshot().messages.filter(({ role }) => role === "assistant").map(({ content }) => content ?? "").join("");

  it("asks for the form, and reaches the same in both", async () => {
    const url = "/v1/agents/a/message:stream";
    const reached = [];
    for (const name of ["01-agui-task-thinking-tool-text.sse", "02-a2a-native-same-run.sse"]) {
      const { agent, asked } = create([read(name)], { url });
      const { outcome, error } = await agent.submit({ message: { id: "u", content: "hi" } });
      assert.deepEqual([outcome, error], ["success", undefined]);
      const body = { message: { contextId: "t", role: "user", parts: [{ text: "hi" }] } };
      assert.deepEqual(asked, [{ url, method: "POST", body, accept: "application/x-agui-events, text/event-stream;q=0.9" }]);
      const thinking = agent.getSnapshot().messages.find(({ role }) => role === "reasoning").content;
      reached.push([said(agent), thinking, agent.getSnapshot().toolCalls.map(({ id, name, args, result }) => [id, name, args, result])]);
      agent.dispose();
    }
    assert.deepEqual(reached[0], reached[1]);
    assert.equal(reached[0][0], "I'll check. It is 12 °C and raining in Berlin.");
  });

  it("knows version 2 by its address, and answers what it asks", async () => {
    const { agent, asked } = create([read("11-v2-a2a-jsonrpc-approval.sse"), read("13-v2-jsonrpc-error.sse")], { url: new URL("https://h.test/agents/a") });
    const { outcome } = await agent.submit("list the files");
    assert.deepEqual([outcome, said(agent)], ["interrupted", "I'll list the files."]);
    const [interrupt] = agent.getSnapshot().interrupts;
    assert.equal(interrupt.toolCallId, "toolu_1");
    const answered = await agent.resume({ id: interrupt.id, payload: { decision: "approve" } });
    const { approvalRequest } = json("11-v2-a2a-jsonrpc-approval.expected.json");
    assert.deepEqual({ ...asked[1].body, id: approvalRequest.id }, approvalRequest);
    assert.deepEqual([answered.error.code, answered.error.message], ["-32001", "task not found"]);
    assert.equal(asked[0].accept, "text/event-stream");
    assert.equal(said(agent), "I'll list the files.");
    agent.dispose();
  });

  it("tells of an approval while the stream is open", async () => {
    const { agent } = create([read("10-a2a-native-approval-v1.sse")], { url: "/v1/agents/a/stream", dialect: { name: "hector", form: "native" } });
    const told = [];
    agent.on("custom", ({ name, data }) => name === "hector.tool_approval" && told.push(data.toolName));
    assert.equal((await agent.submit("go")).outcome, "success");
    assert.deepEqual(told, ["execute_command"]);
    agent.dispose();
  });

  it("joins a task again whose stream was cut", async () => {
    const url = "/v1/agents/a/message:stream";
    const { agent, asked } = create([read("08-agui-truncated.sse"), read("09-agui-task-snapshot-states.sse")], {
      url,
      resume: hector.resubscribe(url),
      retry: { baseMs: 0, minMs: 0 },
    });
    const { outcome } = await agent.submit("go");
    assert.deepEqual([outcome, said(agent)], ["success", "Partialrest of the answer"]);
    const { url: joined, method, accept } = asked[1];
    assert.deepEqual([joined, method], ["/v1/agents/a/tasks/9d0f6b9e-1111-4222-8333-000000000001:subscribe", "GET"]);
    assert.match(accept, /x-agui-events/);
    agent.dispose();
  });

  it("talks to the demo's server, over every route", async () => {
    for (const [url, form] of [["/v1/agents/a/message:stream", "agui"], ["/v1/agents/a/message:stream", "native"], ["/v1/agents/a/stream", "agui"], [
      "/agents/a",
      undefined,
    ]]) {
      const fetch = async (_, { body, headers }) => {
        let bytes = "";
        await server(JSON.parse(body), (piece) => (bytes += piece), { accept: headers.get("accept") });
        return new Response(bytes, { headers: { "content-type": "text/event-stream" } });
      };
      const { agent } = create([], { url, fetch, dialect: { name: "hector", form } });
      const warnings = [];
      agent.on("warning", (warning) => warnings.push(warning));
      const { outcome, error } = await agent.submit("What is the weather in Berlin?");
      assert.deepEqual([error, warnings], [undefined, []]);
      if (form) {
        assert.deepEqual([outcome, said(agent)], ["success", "It is 12 °C and raining in Berlin."]);
        assert.equal(agent.getSnapshot().toolCalls[0].result, "Searching … 12 °C, rain");
      } else {
        const [{ id }] = agent.getSnapshot().interrupts;
        assert.equal((await agent.resume({ id, payload: { decision: "deny" } })).outcome, "success");
        assert.equal(said(agent), "I'll list the files.I will not look at the files.");
        assert.equal(agent.getSnapshot().toolCalls[0].result, "The tool was denied.");
      }
      agent.dispose();
    }
  });

  it("refuses settings that it does not know", async () => {
    const { agent } = create([], { url: "/a", dialect: { name: "hector", route: "v3" } });
    const { error } = await agent.submit("go");
    assert.deepEqual([error.kind, error.code], ["unsupported", "dialect"]);
    agent.dispose();
  });

  it("hears the events of an event source by their names", async () => {
    let source;
    class Source extends EventTarget {
      constructor() {
        super();
        source = this;
      }
      close() {}
    }
    const names = ["message_start", "content_block_delta", "error", "done"];
    const fetch = async () => Response.json({});
    const transport = eventSource({ url: "/v1/agents/a/tasks/k:subscribe", submitUrl: "/v1/agents/a/message:send", names, EventSource: Source, fetch });
    const run = async (last) => {
      const { agent } = create([], { transport });
      source = undefined;
      const result = agent.submit("go");
      await until(() => source?.onopen);
      source.onopen();
      const say = (name, data) => source.dispatchEvent(Object.assign(new Event(name), { data: JSON.stringify(data), lastEventId: "" }));
      say("message_start", { contextId: "c", taskId: "k" });
      say("content_block_delta", { blockId: "b", delta: "Hello" });
      last(say);
      const { outcome, error } = await result;
      const text = said(agent);
      agent.dispose();
      return [outcome, error?.message, text];
    };
    assert.deepEqual(await run((say) => say("done", {})), ["success", undefined, "Hello"]);
    const error = () => source.onerror(Object.assign(new Event("error"), { data: '{"error":{"message":"boom"}}', lastEventId: "" }));
    assert.deepEqual(await run(error), ["error", "boom", "Hello"]);
  });
});
