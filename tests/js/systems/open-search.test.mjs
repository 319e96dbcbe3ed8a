// OpenSearch: the functions, and the dialect through the real core.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { load, real } from "../lib.mjs";
import { openSearch } from "./servers/open-search.mjs";
import { answering, fixture, jsonFixture, served } from "./systems.mjs";

const { confirmed, loadHistory, pendingFrontendTools, rejection, resultText, tokenUsageOf } = await load("systems/open-search/index");

const NAMES = [
  ...["01-bedrock-text-token-usage", "02-backend-tool-then-answer", "03a-frontend-tool-pause", "03b-frontend-tool-continuation"],
  ...["04-openai-duplicate-terminal", "05-history-restore", "06-run-error-3.7", "07-untyped-error-3.5"],
  ...["09-openai-parallel-calls-merged", "10-bedrock-no-args-tool-unclosed"],
];

it("a result for people", () => {
  const content = [{ type: "text", text: "one" }, { type: "image", data: "x" }, { type: "text", text: "two" }];
  for (const [result, text] of [
    [JSON.stringify({ content }), "one\ntwo"],
    [{ content }, "one\ntwo"],
    ["row,health\n1,green", "row,health\n1,green"],
    ['{"rows":1}', '{"rows":1}'],
    [{ rows: 1 }, '{"rows":1}'],
    [{ content: [{ type: "image" }, null] }, '{"content":[{"type":"image"},null]}'],
    [undefined, ""],
    ["", ""],
  ]) {
    assert.equal(resultText(result), text);
  }
});

it("what somebody decides about a call", () => {
  const call = { name: "update_query", args: { query: "a" } };
  assert.deepEqual(JSON.parse(rejection(call, "no")), {
    ...{ success: false, error: "User rejected the tool execution", userRejected: true },
    data: { message: "no", toolName: "update_query", args: { query: "a" } },
  });
  assert.deepEqual(confirmed(call), { query: "a", confirmed: true });
});

it("token usage is one of the custom events", () => {
  const event = (name, data) => ({ type: "custom", name, data });
  assert.deepEqual(tokenUsageOf(event("token_usage", { per_model_usage: 5 })), { per_model_usage: [], per_turn_usage: [] });
  assert.deepEqual(tokenUsageOf(event("token_usage", null)), { per_model_usage: [], per_turn_usage: [] });
  assert.equal(tokenUsageOf(event("other", {})), undefined);
  assert.equal(tokenUsageOf({ type: "state_update", data: {} }), undefined);
});

describe("an agent", { skip: !real && "needs the built core" }, async () => {
  const { createAgent } = real ? await load("index") : {};
  const create = (fetch, more) => createAgent({ url: "http://host/agent", fetch, dialect: "open-search", rules: "strict", notify: "sync", ...more });

  for (const name of NAMES) {
    it(name, async () => {
      const { fetch } = answering(fixture(`opensearch/${name}.sse`));
      const agent = create(fetch);
      const events = [];
      let usage = null;
      agent.on("event", (event) => events.push(event));
      agent.on("custom", (event) => (usage = tokenUsageOf(event) ?? usage));
      await agent.submit("hi");
      const { canonical, reduction } = jsonFixture(`opensearch/${name}.expected.json`);
      assert.deepEqual(events, canonical.map(({ late, synthesized, ...event }) => event));
      const snapshot = agent.getSnapshot();
      assert.deepEqual([snapshot.error?.message ?? null, usage], [reduction.error, reduction.tokenUsage]);
      const tools = reduction.pendingFrontendTools.map(({ name }) => name);
      assert.deepEqual(pendingFrontendTools(snapshot, tools), reduction.pendingFrontendTools);
      agent.dispose();
    });
  }

  it("executes a tool of the page, and sends what is new", async () => {
    for (const history of ["full", "new"]) {
      const { fetch, requests } = answering(fixture("opensearch/03a-frontend-tool-pause.sse"), fixture("opensearch/03b-frontend-tool-continuation.sse"));
      const given = [];
      const execute = (args) => (given.push(args), { success: true, rows: 42 });
      const tools = [{ name: "update_query", description: "Replaces the query", execute }];
      const agent = create(fetch, { dialect: { name: "open-search", history }, tools });
      assert.equal((await agent.submit("How many?")).outcome, "success");
      assert.deepEqual(given, [{ query: "source=logs | where status>=500", language: "PPL" }]);
      const answer = { id: "tool-result-tooluse_Fe2", role: "tool", toolCallId: "tooluse_Fe2", content: '{"success":true,"rows":42}' };
      assert.deepEqual(requests[1].messages.at(-1), answer);
      assert.equal(requests[1].messages.length, history === "full" ? 3 : 1);
      assert.deepEqual([requests[1].state, requests[1].forwardedProps], [{}, {}]);
      agent.dispose();
    }
  });

  it("sends a rejection as the dashboards do", async () => {
    const { fetch, requests } = answering(fixture("opensearch/03a-frontend-tool-pause.sse"), fixture("opensearch/03b-frontend-tool-continuation.sse"));
    const tools = [{ name: "update_query", description: "d", needsApproval: true, execute: () => assert.fail() }];
    const agent = create(fetch, { tools });
    await agent.submit("How many?");
    const [call] = agent.getSnapshot().toolCalls;
    assert.equal(call.phase, "awaiting-approval");
    agent.deny(call.id, rejection(call));
    for (let turns = 0; requests.length < 2 && turns < 1000; turns++) await new Promise(setImmediate);
    assert.equal(JSON.parse(requests[1].messages.at(-1).content).userRejected, true);
    agent.dispose();
  });

  it("loads the stored thread", async () => {
    const { fetch, requests } = answering(fixture("opensearch/05-history-restore.sse"));
    const agent = create(fetch);
    assert.equal((await loadHistory(agent)).outcome, "success");
    assert.deepEqual([requests[0].messages, requests[0].runId.startsWith("restore-")], [[], true]);
    assert.deepEqual(agent.getSnapshot().messages.map(({ role }) => role), ["user", "assistant", "tool", "assistant"]);
    agent.dispose();
  });

  it("refuses settings that it does not know", async () => {
    const { fetch } = answering();
    const errors = [];
    const agent = create(fetch, { dialect: { name: "open-search", history: "some" }, onError: (error) => errors.push(error) });
    await agent.submit("hi").catch((error) => errors.push(error));
    assert.ok(errors.some(({ code }) => code === "dialect"), String(errors));
    agent.dispose();
  });

  it("asks the demo's agent", async () => {
    const execute = ({ query }) => ({ content: [{ type: "text", text: `ran ${query}` }] });
    const tools = [{ name: "update_query", description: "d", execute }];
    const agent = create(served(openSearch), { tools, initialMessages: [] });
    assert.equal((await agent.submit("How many?")).outcome, "success");
    const { messages, toolCalls, usage } = agent.getSnapshot();
    assert.equal(resultText(toolCalls[0].result), "ran status>=500");
    assert.match(messages.at(-1).content, /^There were \*\*42/);
    assert.deepEqual(usage, [{ model: "gpt", inputTokens: 812, outputTokens: 64, totalTokens: 876 }]);
    await loadHistory(agent);
    assert.deepEqual(agent.getSnapshot().messages.map(({ role }) => role), ["user", "assistant"]);
    agent.dispose();
  });
});
