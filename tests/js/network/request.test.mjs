// Requests of a run, beside those of the official client for the same thread; and requests to a server that is old,
// speaks binary, or waits for answers. Needs the built core.

import assert from "node:assert/strict";
import { describe, it, mock } from "node:test";
import { HttpAgent } from "@ag-ui/client";
import { EventEncoder } from "@ag-ui/encoder";
import { load, real } from "../lib.mjs";

const { createAgent, AgentError } = await load("index");
const skip = !real && "the core is a stand-in";

const stream = (...events) =>
  new Response(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(""), { headers: { "content-type": "text/event-stream" } });
const started = { type: "RUN_STARTED", threadId: "t", runId: "r" };
const finished = { type: "RUN_FINISHED", threadId: "t", runId: "r" };
const answer = async () => stream(started, finished);

/** The body that the official client sends. */
async function theirs({ messages = [], state, protocol, ...run }) {
  // It says of everything that it removes that it does.
  const warn = mock.method(console, "warn", () => {});
  const fetch = mock.fn(answer);
  class Agent extends HttpAgent {
    get maxProtocolVersion() {
      return protocol ?? "1.0.0";
    }
  }
  const agent = new Agent({ url: "http://agent.test/", threadId: "t", initialMessages: messages, fetch });
  if (state !== undefined) agent.setState(state);
  await agent.runAgent({ runId: "r", ...run });
  warn.mock.restore();
  return JSON.parse(fetch.mock.calls[0].arguments[1].body);
}

/** The body that ours sends. */
async function ours({ messages = [], state, protocol, ...run }) {
  const fetch = mock.fn(answer);
  const agent = createAgent({ url: "http://agent.test/", threadId: "t", initialMessages: messages, fetch, protocol });
  if (state !== undefined) agent.setState(state);
  const { error } = await agent.submit({ runId: "r", ...run });
  assert.equal(error, undefined);
  agent.dispose();
  return JSON.parse(fetch.mock.calls[0].arguments[1].body);
}

const same = async (thread) => assert.deepEqual(await ours(thread), await theirs(thread));

const call = (id, more) => ({ id, type: "function", function: { name: "look", arguments: '{"q":1' }, ...more });
const source = { type: "data", value: "AA==", mimeType: "image/png" };
const binary = { type: "binary", mimeType: "image/png" };
const every = [
  { id: "d", role: "developer", content: "", name: "boss" },
  { id: "s", role: "system", content: "be kind\u2028", metadata: { a: null, "ag-ui": { b: [1] } } },
  { id: "u", role: "user", content: "hi 🙂 \ud83d", name: "Ann", encryptedValue: "x" },
  { id: "a", role: "assistant", content: "ok", name: "Bo", subagentRunId: "sub" },
  { id: "c", role: "assistant", toolCalls: [call("1", { encryptedValue: "e", metadata: { m: [] } }), call("2")], subagentRunId: "" },
  { id: "t1", role: "tool", toolCallId: "1", content: '{"found":9007199254740993}', error: "really" },
  { id: "t2", role: "tool", toolCallId: "2", content: [{ type: "text", text: "x" }], subagentRunId: "sub" },
  { id: "r", role: "reasoning", content: "hm", encryptedValue: "z" },
  { id: "p", role: "activity", activityType: "PLAN", content: { steps: [] } },
];

describe("the body is the official client's", { skip }, () => {
  const threads = {
    "of an empty thread": {},
    "of messages of every role": { messages: every },
    "of nulls": {
      messages: [
        { id: "u", role: "user", content: "x", name: null, subagentRunId: null, metadata: null, encryptedValue: null },
        { id: "c", role: "assistant", content: null, toolCalls: [call("1", { metadata: null, encryptedValue: null })] },
        { id: "a", role: "assistant", content: "x", toolCalls: null },
        { id: "i", role: "user", content: [{ type: "image", source: { ...source, type: "url", mimeType: null }, metadata: null, id: null }] },
      ],
    },
    "of members and parts that AG-UI does not have": {
      messages: [
        { ...every[2], extra: 1, delta: null, toolCalls: [call("1")], error: "e" },
        { ...every[7], name: "n", toolCallId: "x" },
        { ...every[4], toolCalls: [{ ...call("1", { index: 0 }), function: { ...call("1").function, strict: true } }] },
        { ...every[5], name: "n" },
        {
          id: "i",
          role: "user",
          content: [
            { type: "image", source: { ...source, detail: "low" }, cache: true, id: "7", metadata: { any: null } },
            { type: "hologram", source },
            { type: "audio", source: { type: "scent", value: "x" } },
            { type: "text", text: "t", metadata: [1] },
          ],
        },
      ],
      tools: [{ name: "f", description: "", parameters: { type: "object", default: null }, metadata: { a: null }, execute: "no" }],
      context: [{ description: "d", value: "v", id: 1 }],
    },
    "of binary parts": {
      messages: [
        {
          id: "i",
          role: "user",
          content: [
            { ...binary, data: "AA==", filename: "a.png" },
            { ...binary, url: "https://x.test/a", data: "" },
            { ...binary, id: "7" },
            { ...binary, data: "BB==" },
            { type: "image", source: { ...source, value: "BB==" } },
          ],
        },
      ],
    },
    "of reasoning that is shown with the message whose id it shares": {
      // Folded here, apart there: what is sent are the two that came.
      messages: [
        { id: "m", role: "reasoning", content: "hm", encryptedValue: "z", subagentRunId: "s" },
        { id: "m", role: "assistant", content: "so", subagentRunId: "s", encryptedValue: "y" },
      ],
    },
    "of states": { state: { a: [null, 1.5], __proto__: null, "": "🙂" } },
    "of a state that is null": { state: null },
    "of a state that is no object": { state: [1, null] },
    "of forwardedProps": { forwardedProps: { a: null, b: [{}] } },
    "of forwardedProps that are no object": { forwardedProps: "x" },
    "of tools and context": { tools: [{ name: "f", description: "d", parameters: null, metadata: null }], context: [{ description: "", value: "" }] },
    "of answers": {
      resume: [
        { interruptId: "a", status: "resolved", payload: { ok: null }, metadata: { by: "me" } },
        { interruptId: "a", status: "resolved", payload: null, metadata: null },
        { interruptId: "b", status: "cancelled", note: "x" },
      ],
    },
    "of no answers": { resume: [] },
    "to a server of 0.0.59": { protocol: "0.0.59", messages: every },
    "to a server of 0.0.57": { protocol: "0.0.57", messages: every },
    "to a server of 0.0.39": {
      protocol: "0.0.39",
      messages: [...every, { id: "i", role: "user", content: [{ type: "text", text: "a" }, { type: "image", source }, { type: "text", text: "b" }] }],
    },
  };
  for (const [name, thread] of Object.entries(threads)) it(name, () => same(thread));

  it("of random threads", async () => {
    let seed = 7;
    const random = (below) => (seed = (seed * 48271) % 2147483647) % below;
    const pick = (...list) => list[random(list.length)];
    const maybe = (name, ...values) => (random(3) ? {} : { [name]: pick(...values) });
    const part = () =>
      pick(
        { type: "text", text: pick("", "x"), ...maybe("metadata", {}, 1, [null]) },
        { type: pick("image", "document"), source: { ...source, ...maybe("extra", 1) }, ...maybe("metadata", null, { filename: "f" }) },
        { type: "video", source: { type: pick("url", "file", "other"), value: "v", ...maybe("mimeType", "video/mp4", null) } },
        { ...binary, ...maybe("data", "AA==", ""), ...maybe("url", "u", ""), ...maybe("filename", "f", "") },
      );
    const parts = () => Array.from({ length: random(4) }, part);
    const message = (_, at) => ({
      id: `m${at}`,
      ...pick(
        { role: pick("developer", "system", "reasoning"), content: pick("", "x", "\ud83d") },
        { role: "user", content: pick("x", parts()) },
        { role: "tool", toolCallId: "c", content: pick("x", parts()), ...maybe("error", "e", null) },
        { role: "assistant", ...maybe("content", "x", "", null), toolCalls: [call(`c${at}`, maybe("metadata", {}, null))] },
        { role: "assistant", content: "x" },
        { role: "activity", activityType: "P", content: { a: null } },
      ),
      ...maybe("name", "n", null),
      ...maybe("subagentRunId", "s", "", null),
      ...maybe("metadata", {}, { a: null }, null),
      ...maybe("encryptedValue", "e", null),
      ...maybe("unknown", 1, null),
    });
    for (let round = 0; round < 200; round++) {
      const before = seed;
      const thread = {
        messages: Array.from({ length: random(6) }, message),
        protocol: pick("1.0", "1.0", "0.0.59", "0.0.57", "0.0.48", "0.0.39"),
      };
      const [mine, other] = [await ours(thread), await theirs({ ...thread, protocol: thread.protocol.replace(/^1\.0$/, "1.0.0") })];
      // It leaves content that was null out, also where the server must have some; ours is as if it had been absent.
      // It sends results whose call is not in the thread, which model providers refuse.
      const called = new Set(thread.messages.flatMap(({ toolCalls = [] }) => toolCalls.map(({ id }) => id)));
      other.messages = other.messages.filter(({ role, toolCallId }) => role !== "tool" || called.has(toolCallId));
      if (thread.protocol === "0.0.39") { for (const message of other.messages) message.content ??= ""; }
      assert.deepEqual(mine, other, `seed ${before}: ${JSON.stringify(thread)}`);
    }
  });
});

describe("the options of a request", { skip }, () => {
  const accept = async (options) => {
    const fetch = mock.fn(answer);
    const agent = createAgent({ url: "http://agent.test/", headers: { Accept: "*/*" }, fetch, ...options });
    await agent.submit("a");
    return fetch.mock.calls[0].arguments[1].headers.get("accept");
  };

  it("ask for binary only where it is wanted, and a server of the official encoder gives it then", async () => {
    assert.equal(await accept({}), "text/event-stream");
    assert.equal(new EventEncoder({ accept: await accept({}) }).getContentType(), "text/event-stream");
    assert.equal(await accept({ binary: true }), "application/vnd.ag-ui.event+proto, text/event-stream;q=0.9");
    assert.equal(new EventEncoder({ accept: await accept({ binary: true }) }).getContentType(), "application/vnd.ag-ui.event+proto");
  });

  it("send media as binary parts to a server of 0.0.47, which the official client does not", async () => {
    const content = [{ type: "image", source, metadata: { filename: "a.png" } }];
    const body = await ours({ protocol: "0.0.47", messages: [{ id: "u", role: "user", content }] });
    assert.deepEqual(body.messages[0].content, [{ ...binary, data: "AA==", filename: "a.png" }]);
  });

  it("refuse tools that a server could not read", async () => {
    const fetch = mock.fn(answer);
    const agent = createAgent({ url: "http://agent.test/", fetch });
    const refused = agent.submit({ message: "a", tools: [{ name: "f" }] });
    await assert.rejects(refused, (error) => AgentError.is(error) && error.code === "input" && /description/.test(error.message));
    assert.equal(fetch.mock.callCount(), 0);
    assert.deepEqual(agent.getSnapshot().messages, []);
  });
});

describe("open interrupts", { skip }, () => {
  const interrupts = [{ id: "b", reason: "confirmation" }, { id: "a", reason: "confirmation", expiresAt: "1999-12-31T23:59:59Z" }];
  async function waiting() {
    const bodies = [];
    const fetch = async (_, { body }) => {
      bodies.push(JSON.parse(body));
      const outcome = bodies.length === 1 ? { type: "interrupt", interrupts } : { type: "success" };
      return stream(started, { ...finished, outcome });
    };
    const agent = createAgent({ url: "http://agent.test/", fetch });
    assert.equal((await agent.submit("a")).outcome, "interrupted");
    return { agent, bodies };
  }
  const coded = (code) => (error) => AgentError.is(error) && error.kind === "unsupported" && error.code === code;

  it("are answered, all of them, or nothing is sent", async () => {
    const { agent, bodies } = await waiting();
    const before = agent.getSnapshot();
    const [yes, no] = [{ status: "resolved", payload: 1 }, { status: "cancelled", payload: 1 }];
    await assert.rejects(agent.submit("b"), coded("interrupts-open"));
    await assert.rejects(agent.retry(), coded("interrupts-open"));
    await assert.rejects(agent.resume({ a: no }), coded("interrupts-open"));
    await assert.rejects(agent.resume({ a: yes, b: yes }), coded("interrupt-expired"));
    await assert.rejects(agent.resume({ a: no, b: yes, c: no }), coded("interrupt-unknown"));
    await assert.rejects(agent.resume({ a: no, b: undefined }), coded("input"));
    await assert.rejects(agent.resume([{ interruptId: "a", status: "cancelled" }]), coded("interrupts-open"));
    // Nothing but the refusal is shown.
    const { error, status, ...after } = agent.getSnapshot();
    assert.deepEqual([status, error.code], ["error", "interrupts-open"]);
    assert.deepEqual({ ...after, status: before.status, error: undefined }, before);
    assert.equal(bodies.length, 1);

    assert.equal((await agent.resume({ a: no, b: yes })).outcome, "success");
    // In the order of the interrupts; a cancellation has no payload.
    assert.deepEqual(bodies[1].resume, [{ interruptId: "b", status: "resolved", payload: 1 }, { interruptId: "a", status: "cancelled" }]);
    assert.deepEqual(agent.getSnapshot().interrupts, []);
    assert.equal((await agent.submit("b")).outcome, "success");
  });

  it("are forgotten by reset", async () => {
    const { agent, bodies } = await waiting();
    agent.reset();
    assert.deepEqual(agent.getSnapshot().interrupts, []);
    assert.equal((await agent.submit("b")).outcome, "success");
    assert.equal("resume" in bodies[1], false);
  });
});
