// Servers that wait for a tool of the page with an interrupt: the option `thread.toolInterrupts`.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { deferred, load, until } from "../lib.mjs";
import { answer, create, createServer, finished, sse, started, user } from "./server.mjs";

const { createStore } = await load("persistence/stores");
const toolInterrupts = "test:call";
const waiting = (...ids) => ids.map((id) => ({ id: `wait-${id}`, reason: toolInterrupts, toolCallId: id }));
const call = (id, name) => [
  { type: "TOOL_CALL_START", toolCallId: id, toolCallName: name, parentMessageId: "a" },
  { type: "TOOL_CALL_ARGS", toolCallId: id, delta: "{}" },
  { type: "TOOL_CALL_END", toolCallId: id },
];

/** A server whose first run calls these tools and ends with these interrupts. */
function calling(calls, interrupts) {
  return createServer(({ body }) => {
    if (!body || body.resume || body.messages.at(-1)?.content !== "call") return undefined;
    const { runId, threadId } = body;
    const events = calls.flatMap(([id, name]) => call(id, name));
    return answer(sse(started(runId, threadId), ...events, { ...finished(runId, threadId), outcome: { type: "interrupt", interrupts } }));
  });
}

const tool = (name, execute) => ({ name, description: name, parameters: {}, execute });
const resumes = ({ requests }) => requests.map(({ body }) => body.resume).filter(Boolean);

describe("an interrupt that waits for a tool of the page", () => {
  it("is answered with the tool's result, once", async () => {
    const server = calling([["c", "f"]], waiting("c"));
    const agent = create({ thread: { toolInterrupts }, tools: [tool("f", () => ({ n: 1 }))] }, server);
    await agent.submit("call");
    await until(() => server.requests.length === 2 && !agent.getSnapshot().isLoading);
    assert.deepEqual(resumes(server), [[{ interruptId: "wait-c", status: "resolved", payload: { n: 1 } }]]);
    assert.equal(server.requests[1].body.messages.at(-1).content, '{"n":1}', "the result is in the thread as well");
    assert.deepEqual(agent.getSnapshot().interrupts, []);
    agent.dispose();
  });

  it("is cancelled where the tool fails", async () => {
    const server = calling([["c", "f"]], waiting("c"));
    const agent = create({ thread: { toolInterrupts }, tools: [tool("f", () => assert.fail("broken"))] }, server);
    await agent.submit("call");
    await until(() => server.requests.length === 2);
    assert.deepEqual(resumes(server), [[{ interruptId: "wait-c", status: "cancelled" }]]);
    agent.dispose();
  });

  it("waits with the others for the last tool, and for a person", async () => {
    const slow = deferred();
    const server = calling([["c", "f"], ["d", "g"], ["e", "server"]], [...waiting("c", "d"), { id: "approve", reason: "tool_call", toolCallId: "e" }]);
    const agent = create({ thread: { toolInterrupts }, tools: [tool("f", () => 1), tool("g", () => slow.promise)] }, server);
    const run = agent.submit("call");
    await until(() => agent.getSnapshot().toolCalls[0]?.phase === "output-available");
    slow.resolve(2);
    await run;
    await until(() => agent.getSnapshot().interrupts.filter(({ answered }) => answered).length === 2);
    assert.equal(server.requests.length, 1, "a person has not answered");
    await agent.resume({ id: "approve", payload: { approved: true } });
    assert.deepEqual(resumes(server).map((entries) => entries.map(({ interruptId, payload }) => [interruptId, payload]).sort()), [[
      ["approve", { approved: true }],
      ["wait-c", 1],
      ["wait-d", 2],
    ]]);
    agent.dispose();
  });

  it("is left open where its reason is another one", async () => {
    const server = calling([["c", "f"]], [{ id: "i", reason: "confirmation", toolCallId: "c" }]);
    const agent = create({ thread: { toolInterrupts }, tools: [tool("f", () => 1)] }, server);
    await agent.submit("call");
    await until(() => agent.getSnapshot().toolCalls[0]?.phase === "output-available");
    await new Promise(setImmediate);
    assert.deepEqual([agent.getSnapshot().interrupts.map(({ id }) => id), server.requests.length], [["i"], 1]);
    agent.dispose();
  });

  it("is open in a stored thread, until a person gives the result", async () => {
    const server = createServer();
    const stored = [user("call"), { id: "a", role: "assistant", toolCalls: [{ id: "c", type: "function", function: { name: "f", arguments: "{}" } }] }];
    const agent = create({
      thread: { load: async () => ({ messages: stored, interrupts: waiting("c") }), toolInterrupts },
      tools: [tool("f", () => assert.fail("it is executed"))],
    }, server);
    await agent.ready;
    assert.deepEqual([agent.getSnapshot().interrupts.length, server.requests.length], [1, 0]);
    agent.addToolResult({ toolCallId: "c", result: "r" });
    await until(() => server.requests.length === 1 && !agent.getSnapshot().isLoading);
    assert.deepEqual(resumes(server), [[{ interruptId: "wait-c", status: "resolved", payload: "r" }]]);
    assert.equal(server.requests.length, 1);
    agent.dispose();
  });

  it("is answered after a reload, where the page was left between the result and the reply", async () => {
    let text;
    const store = () =>
      createStore({
        key: "calls",
        load: async () => text && JSON.parse(text),
        save: async (saved) => void (text = JSON.stringify(saved)),
        clear: async () => {},
      });
    const server = calling([["c", "f"]], waiting("c"));
    // Without the option the page leaves the interrupt open.
    const first = create({ persist: store(), tools: [tool("f", () => 1)] }, server);
    await first.submit("call");
    await until(() => first.getSnapshot().toolCalls[0]?.phase === "output-available");
    await until(() => text?.includes('"tool"'));
    const known = first.getSnapshot().messages.filter(({ role }) => role !== "tool");
    first.dispose();
    // The server knows the call, and not its result.
    const load = async () => ({ messages: known, interrupts: waiting("c") });
    const agent = create({ persist: store(), thread: { load, toolInterrupts }, tools: [tool("f", () => assert.fail("executed twice"))] }, server);
    agent.subscribe(() => {});
    await agent.ready;
    await until(() => server.requests.length === 2 && !agent.getSnapshot().isLoading);
    assert.deepEqual(resumes(server), [[{ interruptId: "wait-c", status: "resolved", payload: 1 }]]);
    agent.dispose();
  });
});
