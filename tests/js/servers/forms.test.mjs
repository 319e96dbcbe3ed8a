// Foreign forms of messages, as they stand in recordings of live servers, and as no server should send them.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { load } from "../lib.mjs";

const { fromLangChain } = await load("servers/lang-graph");
const { fromMastra } = await load("servers/mastra");
const { fromAgno } = await load("servers/agno");
const { fromTanStack } = await load("servers/tan-stack");
const { adk, agno, copilotKit, langGraph, mastra, tanStack } = await load("servers/index");
const { createAgent } = await load("index");
const { createThreads } = await load("threads/index");

/** The answers to requests with that path in a recording. */
function answers(server, path) {
  const { scenarios } = JSON.parse(readFileSync(new URL(`../../fixtures/servers/${server}.json`, import.meta.url), "utf8"));
  const all = Object.values(scenarios).flatMap(({ exchanges }) => exchanges);
  return all.filter((exchange) => path.test(exchange.path) && exchange.status === 200).map(({ answer }) => JSON.parse(answer));
}
const said = (messages) => messages.map(({ role, content }) => `${role}: ${content}`);

test("messages of LangGraph, Mastra, Agno and TanStack AI as AG-UI's", () => {
  const stored = [
    fromLangChain(answers("lang-graph", /\/state$/).find(({ values }) => values.messages?.length)?.values.messages),
    fromMastra(answers("mastra", /\/messages\?/).find(({ messages }) => messages.length)?.messages),
    fromAgno(answers("agno", /^\/sessions\/.*\/runs/).find(([run]) => run)?.[0].messages),
    fromTanStack(answers("tan-stack", /^\/api\/chat\?threadId/).find(({ messages }) => messages.length)?.messages),
  ];
  for (const messages of stored) assert.deepEqual(said(messages), ["user: hello", "assistant: answer to hello"]);
});

test("calls and results", () => {
  const call = { id: "c", type: "function", function: { name: "f", arguments: '{"a":1}' } };
  const langChain = [
    { id: "1", type: "human", content: [{ type: "text", text: "look" }, { type: "image_url", image_url: { url: "data:image/png;base64,AA==" } }] },
    { id: "2", type: "ai", content: "", tool_calls: [{ id: "c", name: "f", args: { a: 1 } }] },
    { id: "3", type: "tool", tool_call_id: "c", content: "r" },
  ];
  assert.deepEqual(fromLangChain(langChain), [
    { id: "1", role: "user", content: [{ type: "text", text: "look" }, { type: "image", source: { type: "data", value: "AA==", mimeType: "image/png" } }] },
    { id: "2", role: "assistant", toolCalls: [call] },
    { id: "3", role: "tool", toolCallId: "c", content: "r" },
  ]);
  const turn = {
    id: "1",
    role: "assistant",
    content: {
      format: 2,
      parts: [
        { type: "text", text: "I look." },
        { type: "tool-invocation", toolInvocation: { state: "result", toolCallId: "c", toolName: "f", args: { a: 1 }, result: { b: 2 } } },
        { type: "step-start" },
        { type: "text", text: "Done." },
      ],
    },
  };
  assert.deepEqual(fromMastra([turn]), [
    { id: "1", role: "assistant", content: "I look.", toolCalls: [call] },
    { id: "c-result", role: "tool", toolCallId: "c", content: '{"b":2}' },
    { id: "1-2", role: "assistant", content: "Done." },
  ]);
  const agno = [
    { id: "1", role: "assistant", content: null, tool_calls: [{ id: "c", type: "function", function: { name: "f", arguments: '{"a":1}' } }] },
    { id: "2", role: "tool", tool_call_id: "c", content: "r" },
    { id: "3", role: "system", content: "Be brief." },
  ];
  assert.deepEqual(fromAgno(agno), [{ id: "1", role: "assistant", toolCalls: [call] }, { id: "2", role: "tool", toolCallId: "c", content: "r" }]);
});

test("parts of TanStack AI's messages", () => {
  const call = { id: "c", type: "function", function: { name: "f", arguments: '{"a":1}' } };
  const image = { type: "image", source: { type: "url", value: "https://a/b.png" } };
  const parts = [
    { type: "thinking", content: "Hm." },
    { type: "text", content: "I look." },
    { type: "tool-call", id: "c", name: "f", arguments: '{"a":1}', state: "complete", output: "r" },
    { type: "tool-result", toolCallId: "c", content: "r", state: "complete" },
  ];
  assert.deepEqual(fromTanStack([{ id: "1", role: "user", parts: [{ type: "text", content: "look" }, image] }, { id: "2", role: "assistant", parts }]), [
    { id: "1", role: "user", content: [{ type: "text", text: "look" }, image] },
    { id: "2-0", role: "reasoning", content: "Hm." },
    { id: "2", role: "assistant", content: "I look.", toolCalls: [call] },
    { id: "2-3", role: "tool", toolCallId: "c", content: "r" },
  ]);
});

/** The result of a preset's loader for a response. */
const loaded = ({ thread }, body) => thread.load({ threadId: "t", url: "http://agent/run", fetch: async () => Response.json(body) });

test("a session of Agno's has each message once, and the state of its last run", async () => {
  const [asked, told] = [{ id: "1", role: "user", content: "q" }, { id: "2", role: "assistant", content: "a" }];
  const runs = [{ messages: [asked, told], session_state: { n: 1 } }, null, {
    messages: [{ ...told, from_history: true }, { id: "3", role: "user", content: "r" }],
    session_state: { n: 2 },
  }];
  const { messages, state } = await loaded(agno(), runs);
  assert.deepEqual([messages.map(({ id }) => id), state], [["1", "2", "3"], { n: 2 }]);
  assert.deepEqual((await loaded(agno(), [1, {}, { messages: 1 }])).messages, []);
});

test("ADK's results of the page's tools are as the page has sent them, and others as they are", async () => {
  const contents = [
    '{"success": true, "result": {"n": 1}, "status": "completed"}',
    '{"success": true, "result": "r", "status": "completed"}',
    '{"result": "r"}',
    "null",
    "text",
  ];
  const { messages } = await loaded(adk(), { messages: contents.map((content, at) => ({ id: `${at}`, role: "tool", toolCallId: "c", content })) });
  assert.deepEqual(messages.map(({ content }) => content), ['{"n":1}', "r", ...contents.slice(2)]);
});

test("TanStack AI's page of a thread: a run in progress, open questions, and older messages", async () => {
  const page = {
    messages: [],
    activeRun: { runId: "r" },
    interrupts: { runId: "r", pending: [{ id: "i", reason: "tool_call" }] },
    page: { truncated: true, cursor: "c" },
  };
  assert.deepEqual(await loaded(tanStack(), page), { messages: [], interrupts: page.interrupts.pending, activeRunId: "r", older: "c" });
  const { older, interrupts } = await loaded(tanStack(), { messages: [], activeRun: null, interrupts: null, page: { truncated: false } });
  assert.deepEqual([older, interrupts], [null, undefined]);
});

test("an answer of another form is an error, and no empty thread or list; a message of another form is left out", async () => {
  const presets = [
    adk(),
    agno({ apiUrl: "http://agent" }),
    langGraph({ apiUrl: "http://agent" }),
    mastra({ apiUrl: "http://agent" }),
    tanStack({ url: "http://agent/run" }),
  ];
  const open = (server, body) => createAgent({ url: "http://agent/run", threadId: "t", server, fetch: async () => new Response(body) });
  for (const preset of [...presets, copilotKit({ runtimeUrl: "http://agent" })]) {
    for (const body of ["null", "5", '{"detail":"log in"}', "<html></html>"]) {
      const agent = open(preset, body);
      await assert.rejects(agent.ready, { kind: "protocol", code: "thread-malformed", retryable: true }, `${preset.name}: ${body}`);
      agent.dispose();
      if (!preset.threads) continue;
      const threads = createThreads({ server: preset, url: "http://agent/run", fetch: async () => new Response(body) });
      await threads.load();
      assert.deepEqual([threads.getSnapshot().status, threads.getSnapshot().error.kind], ["error", "protocol"], `${preset.name}: ${body}`);
    }
  }
  const message = { id: "m", type: "human", role: "user", content: "q", parts: [{ type: "text", content: "q" }] };
  const all = [null, 5, message, {}];
  const bodies = [{ messages: all }, [{ messages: all }], { values: { messages: all }, tasks: [null, { interrupts: [null] }] }, { messages: all }, {
    messages: all,
  }];
  for (const [at, preset] of presets.entries()) {
    const agent = open(preset, JSON.stringify(bodies[at]));
    await agent.ready;
    assert.deepEqual(agent.getSnapshot().messages.map(({ id }) => id), ["m"], preset.name);
    agent.dispose();
  }
});

test("nonsense is left out, and nothing throws", () => {
  const parts = [null, undefined, 1, "x", [], {}, { id: 1 }, { id: "a" }, { id: "a", type: "ai", role: "assistant" }];
  const odd = [
    ...parts,
    ...[null, 1, [null], [1, {}], {}].flatMap((value) => [
      { id: "a", type: "ai", role: "assistant", content: value, tool_calls: value },
      { id: "b", type: "human", role: "user", content: value },
      { id: "c", type: "tool", role: "tool", content: value, tool_call_id: value },
      { id: "d", role: "assistant", content: { parts: value } },
      { id: "d", role: "assistant", parts: value },
      { id: "d", role: "user", parts: value },
      {
        id: "d",
        role: "assistant",
        parts: [{ type: "tool-call", id: value }, { type: "tool-result", id: value, content: value }, { type: "text", content: value }],
      },
      { id: "e", role: "assistant", content: { parts: [{ type: "tool-invocation", toolInvocation: value }, { type: "text", text: value }] } },
    ]),
  ];
  for (const from of [fromLangChain, fromMastra, fromAgno, fromTanStack]) {
    for (const whole of [undefined, null, 1, "x", {}]) assert.deepEqual(from(whole), []);
    for (const message of from(odd)) assert.equal(typeof message.id, "string");
  }
});
