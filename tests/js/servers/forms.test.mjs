// Foreign forms of messages, as they stand in recordings of live servers, and as no server should send them.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { load } from "../lib.mjs";

const { fromLangChain } = await load("servers/lang-graph");
const { fromMastra } = await load("servers/mastra");
const { fromAgno } = await load("servers/agno");

/** The answers to requests with that path in a recording. */
function answers(server, path) {
  const { scenarios } = JSON.parse(readFileSync(new URL(`../../fixtures/servers/${server}.json`, import.meta.url), "utf8"));
  const all = Object.values(scenarios).flatMap(({ exchanges }) => exchanges);
  return all.filter((exchange) => path.test(exchange.path) && exchange.status === 200).map(({ answer }) => JSON.parse(answer));
}
const said = (messages) => messages.map(({ role, content }) => `${role}: ${content}`);

test("messages of LangGraph, Mastra and Agno as AG-UI's", () => {
  const stored = [
    fromLangChain(answers("lang-graph", /\/state$/).find(({ values }) => values.messages?.length)?.values.messages),
    fromMastra(answers("mastra", /\/messages\?/).find(({ messages }) => messages.length)?.messages),
    fromAgno(answers("agno", /^\/sessions\//).find(({ chat_history: messages }) => messages?.length)?.chat_history),
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

test("nonsense is left out, and nothing throws", () => {
  const parts = [null, undefined, 1, "x", [], {}, { id: 1 }, { id: "a" }, { id: "a", type: "ai", role: "assistant" }];
  const odd = [...parts, ...[null, 1, [null], [1, {}], {}].flatMap((value) => [
    { id: "a", type: "ai", role: "assistant", content: value, tool_calls: value },
    { id: "b", type: "human", role: "user", content: value },
    { id: "c", type: "tool", role: "tool", content: value, tool_call_id: value },
    { id: "d", role: "assistant", content: { parts: value } },
    { id: "e", role: "assistant", content: { parts: [{ type: "tool-invocation", toolInvocation: value }, { type: "text", text: value }] } },
  ])];
  for (const from of [fromLangChain, fromMastra, fromAgno]) {
    for (const whole of [undefined, null, 1, "x", {}]) assert.deepEqual(from(whole), []);
    for (const message of from(odd)) assert.equal(typeof message.id, "string");
  }
});
