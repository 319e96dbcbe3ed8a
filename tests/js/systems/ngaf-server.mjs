// Agents of ngaf over a server that answers what the test says.

import { readFileSync } from "node:fs";
import { it } from "node:test";
import { load, real } from "../lib.mjs";

const { createAgent } = await load("index");
const { toNgafAgent } = await load("systems/ngaf/index");

const folder = new URL("../../fixtures/dialects/ngaf/", import.meta.url);
export const fixture = (name) => readFileSync(new URL(name, folder), "utf8");
export const json = (name) => JSON.parse(fixture(name));
export const sse = (...events) => events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
export const started = { type: "RUN_STARTED", threadId: "t", runId: "r" };
export const finished = { type: "RUN_FINISHED", threadId: "t", runId: "r" };
export const body = (...events) => sse(started, ...events, finished);
export const eventStream = { headers: { "content-type": "text/event-stream" } };
export const error = (version, kind) => (version === 1 ? null : kind);

/** A server that answers in order, with texts, responses or functions of the request, and what it was sent. */
function serverOf(...answers) {
  const sent = [];
  const fetch = async (_url, init) => {
    const input = JSON.parse(init.body);
    sent.push(input);
    const answer = answers.length ? answers.shift() : body();
    const given = typeof answer === "function" ? await answer(input, init) : answer;
    return given instanceof Response ? given : new Response(given, eventStream);
  };
  return { fetch, sent };
}
export function create(answers, version = 2, options = {}) {
  const server = serverOf(...answers);
  const { agent: given = {}, ...rest } = options;
  const agent = createAgent({ url: "http://localhost/", threadId: "t", dialect: "ngaf", fetch: server.fetch, ...given });
  return { agent, sent: server.sent, ngaf: toNgafAgent(agent, { version, ...rest }) };
}
/** A body that comes when the test says so. */
export function openBody() {
  let controller;
  const stream = new ReadableStream({ start: (given) => (controller = given) });
  const send = (text) => controller.enqueue(new TextEncoder().encode(text));
  return { response: () => new Response(stream, eventStream), send, end: () => controller.close(), fail: () => controller.error(new TypeError("gone")) };
}

/** The compared members of a fixture: deliveries are not in it, and a random id is any. */
export function comparable(snapshot, expected) {
  const { messages, interrupt, ...rest } = snapshot;
  const all = {
    messages: messages.map(({ delivery: _, ...message }) => message),
    interrupt: interrupt ? { ...interrupt, id: "<random>" } : null,
    ...rest,
    error: rest.error ?? null,
  };
  return Object.fromEntries(Object.keys(expected).map((name) => [name, all[name]]));
}

export const fixtures = ["01-reasoning-text-tool-state", "02-fragmented-tool-args", "04-interrupt-and-subagent", "05-doc-dialect-lenient"];
export const skip = !real && "needs the real core";
