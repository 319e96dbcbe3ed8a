// Requests of an MCP app to its server, beside the thread.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { load } from "../lib.mjs";
import { create, skip } from "./lib.mjs";

const { mcpRequest } = await load("mcp-apps/index");
const activity = { activityType: "mcp-apps", content: { serverHash: "h", serverId: "weather", resourceUri: "ui://weather", result: {} } };
const text = [{ type: "TEXT_MESSAGE_CHUNK", messageId: "a", role: "assistant", delta: "What?" }];

describe("mcpRequest", { skip }, () => {
  it("returns what the server has answered, and leaves no trace", async () => {
    const result = { contents: [{ uri: "ui://weather", text: "<p>warm</p>" }] };
    const { agent, requests } = create([{ type: "RUN_FINISHED", result }], [{ type: "RUN_FINISHED", result: { content: [] } }]);
    const [read, called] = await Promise.all([
      mcpRequest(agent, activity, "resources/read", { uri: "ui://weather" }),
      mcpRequest(agent, activity, "tools/call", { name: "reload", arguments: {} }),
    ]);
    assert.deepEqual([read, called], [result, { content: [] }]);
    assert.deepEqual(requests[0].forwardedProps.__proxiedMCPRequest, {
      serverHash: "h",
      serverId: "weather",
      method: "resources/read",
      params: { uri: "ui://weather" },
    });
    assert.deepEqual([requests[1].messages, agent.getSnapshot().messages], [[], []]);
  });

  it("rejects with what went wrong", async () => {
    const { agent } = create([{ type: "RUN_ERROR", message: "no" }], text, [{ type: "RUN_FINISHED", result: { error: "no such tool" } }], [{
      type: "RUN_FINISHED",
      result: { content: [] },
    }]);
    await assert.rejects(mcpRequest(agent, activity, "ping"), { name: "AgentError", kind: "run", message: "no" });
    await assert.rejects(mcpRequest(agent, activity, "ping"), { code: "mcp-unanswered" });
    await assert.rejects(mcpRequest(agent, activity, "tools/call", { name: "x" }), { code: "mcp", message: "no such tool" });
    const stopped = new AbortController();
    stopped.abort();
    await assert.rejects(mcpRequest(agent, activity, "ping", {}, { signal: stopped.signal }), { kind: "aborted" });
    assert.deepEqual(await mcpRequest(agent, activity, "tools/call", { name: "y" }), { content: [] });
  });

  it("refuses what it is not made for", async () => {
    const { agent } = create(text);
    for (const other of [undefined, { activityType: "PLAN", content: {} }, { activityType: "mcp-apps", content: null }])
      await assert.rejects(mcpRequest(agent, other, "ping"), { code: "input" });
    await assert.rejects(mcpRequest(agent, activity, "sampling/createMessage"), { code: "input" });
    await agent.submit("hello");
    await assert.rejects(mcpRequest(agent, activity, "ping"), { code: "input", message: /of its own/ });
  });
});
