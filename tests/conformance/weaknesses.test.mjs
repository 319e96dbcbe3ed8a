// Known weaknesses of the official client, each by its number in the rulebook, and this package's behavior instead. All
// of it by the public API.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { compactEvents } from "ag-ui-wasm";
import { binaryFrame, binaryType } from "./cases.mjs";
import { agentOf, answering, finished, play, started, text, until } from "./play.mjs";

/** Cases that wait for a part of the package that is not there yet. @type {string[]} */
const pending = JSON.parse(readFileSync(new URL("pending.json", import.meta.url), "utf8")).weaknesses;

/** @param {string} name @param {(t: import("node:test").TestContext) => void | Promise<void>} body */
const weakness = (name, body) => test(name, { todo: pending.includes(name.split(" ", 1)[0] ?? "") }, body);

const sse = (/** @type {any} */ event) => `data: ${JSON.stringify(event)}\n\n`;
const hello = [started(), ...text("m", "hi"), finished()];
const helloMessages = [{ id: "m", role: "assistant", content: "hi" }];
const user = { id: "u", role: /** @type {const} */ ("user"), content: "question" };
/** @param {string} id @param {object} [more] @returns {[any, any, any]} */
const call = (id, more = {}) => [
  { type: "TOOL_CALL_START", toolCallId: id, toolCallName: "f", ...more },
  { type: "TOOL_CALL_ARGS", toolCallId: id, delta: "{}" },
  { type: "TOOL_CALL_END", toolCallId: id },
];

for (const [name, end] of [["CR LF", "\r\n"], ["CR", "\r"]]) {
  weakness(`W1 line ends: ${name}`, async () => {
    for (const rules of /** @type {const} */ (["tolerant", "strict"])) {
      const { messages, result } = await play(hello.map((event) => `data: ${JSON.stringify(event)}${end}${end}`), { rules });
      assert.equal(result.outcome, "success");
      assert.deepEqual(messages(), helloMessages);
    }
  });
}

weakness("W2 the media type is parsed", async () => {
  for (const type of [`${binaryType}; charset=binary`, binaryType.toUpperCase(), ` ${binaryType} ;x=y`]) {
    const { messages, result } = await play(hello.map(binaryFrame), { manner: { type } });
    assert.equal(result.outcome, "success", type);
    assert.deepEqual(messages(), helloMessages);
  }
});

weakness("W3 an answer that is no stream is an error", async () => {
  for (const [body, type] of [["<html>hello</html>", "text/html"], ['{"error":"no such agent"}', "application/json"], ["", "application/json"]]) {
    const { result } = await play([body ?? ""], { manner: { type } });
    assert.equal(result.outcome, "error");
    assert.equal(result.error?.kind, "http");
    assert.equal(result.error?.status, 200);
    assert.equal(result.error?.body, body || undefined);
  }
  const { result } = await play([]);
  assert.equal(result.outcome, "truncated");
});

weakness("W4 empty data is no event, and fields other than data are read as the standard says", async () => {
  const { messages, result, codes } = await play(["data:\n\n", "event: message\nid: 7\nretry: 10\n", ...hello.map(sse), "data\n\n"], { rules: "strict" });
  assert.equal(result.outcome, "success");
  assert.deepEqual(messages(), helloMessages);
  assert.deepEqual(codes(), []);
});

weakness("W5 one bad frame does not end the run", async () => {
  const { messages, result, codes } = await play([
    started(),
    ...text("m", "one"),
    "data: {oops\n\n",
    ...text("n", "two"),
    finished(),
    "data: [DONE]\n\n",
    "data: {oops\n\n",
  ]);
  assert.equal(result.outcome, "success");
  assert.deepEqual(messages().map(({ content }) => content), ["one", "two"]);
  assert.deepEqual(codes(), ["frame-not-json", "frame-not-json"]);
});

weakness("W6 what precedes a failure is applied first", async () => {
  const [start, content] = text("m", "hi");
  const burst = [started(), start, content, { type: "TEXT_MESSAGE_CONTENT", messageId: "m", delta: 5 }].map(sse).join("");
  /** @type {any[]} */
  const seen = [];
  const { agent, messages } = agentOf([answering([burst])], { rules: "strict", onError: () => void seen.push(messages()) });
  const { error } = await agent.submit({});
  assert.equal(error?.kind, "protocol");
  assert.deepEqual(seen, [helloMessages]);
  assert.equal(agent.getSnapshot().messages[0]?.delivery, "error");
});

weakness("W7 an event costs what it changes, not what the thread holds", async () => {
  const history = Array.from({ length: 300 }, (_, at) => ({ id: `u${at}`, role: /** @type {const} */ ("user"), content: "x".repeat(100) }));
  const rows = Object.fromEntries(Array.from({ length: 1000 }, (_, at) => [`row${at}`, { at }]));
  const deltas = Array.from({ length: 20 }, (_, at) => [
    { type: "TEXT_MESSAGE_CONTENT", messageId: "m", delta: "x" },
    { type: "STATE_DELTA", delta: [{ op: "replace", path: `/row${at}/at`, value: -1 }] },
  ]).flat();
  const [start, , end] = text("m", "");
  const { agent } = agentOf([answering([started(), start, ...deltas, end, finished()])], { initialMessages: history, initialState: rows });
  let last = /** @type {any} */ (agent.getSnapshot());
  let heard = 0;
  agent.subscribe(() => {
    const next = /** @type {any} */ (agent.getSnapshot());
    heard++;
    if (last.messages.length > 0 && next.messages.length > 0) assert.equal(next.messages[0], last.messages[0]);
    const changed = Object.keys(rows).filter((row) => next.state[row] !== last.state[row]);
    assert.ok(changed.length <= 1, `${changed.length} rows are new objects`);
    last = next;
  });
  await agent.submit({});
  assert.ok(heard >= deltas.length);
  assert.equal(last.messages.at(-1).content.length, 20);
});

weakness("W8 each byte is read once: a long frame in many reads, many frames in one read", async () => {
  const delta = "x".repeat(8 * 2 ** 20);
  const [start, , end] = text("m", "");
  const long = Buffer.from(sse({ type: "TEXT_MESSAGE_CONTENT", messageId: "m", delta }));
  const reads = Array.from({ length: Math.ceil(long.length / 4096) }, (_, at) => new Uint8Array(long.subarray(at * 4096, (at + 1) * 4096)));
  const one = await play([started(), start, ...reads, end, finished()]);
  assert.equal(one.messages()[0].content.length, delta.length);

  const frame = binaryFrame({ type: "TEXT_MESSAGE_CONTENT", messageId: "m", delta: "token" });
  const many = Buffer.concat([binaryFrame(started()), binaryFrame(start), ...Array(40_000).fill(frame), binaryFrame(end), binaryFrame(finished())]);
  const two = await play([new Uint8Array(many)], { manner: { type: binaryType } });
  assert.equal(two.result.outcome, "success");
  assert.equal(two.messages()[0].content.length, 40_000 * 5);
});

weakness("W9 a dropped connection is a result, not an unhandled rejection", async () => {
  /** @type {unknown[]} */
  const unhandled = [];
  const take = (/** @type {unknown} */ reason) => void unhandled.push(reason);
  process.on("unhandledRejection", take);
  const { result, messages } = await play(hello.slice(0, 3), { manner: { breaks: true } });
  for (let turn = 0; turn < 5; turn++) await new Promise((done) => setImmediate(done));
  process.off("unhandledRejection", take);
  assert.equal(result.outcome, "truncated");
  assert.equal(result.error?.retryable, true);
  assert.deepEqual(messages(), helloMessages);
  assert.deepEqual(unhandled, []);
});

weakness("W10 the connection is closed on every end", async () => {
  const broken = await play([started(), { type: "TEXT_MESSAGE_CONTENT", messageId: "m", delta: 5 }], { rules: "strict", manner: { open: true } });
  await until(() => broken.told.cancelled);
  for (const end of /** @type {const} */ (["stop", "dispose", "reset"])) {
    const server = answering([started()], { open: true });
    const { agent } = agentOf([server]);
    const run = agent.submit({});
    await until(() => server.told.read > 0);
    agent[end]();
    await run;
    await until(() => server.told.cancelled);
  }
});

weakness("W11 RUN_FINISHED ends the run, also when the connection stays open", async () => {
  const { result, messages, told } = await play(hello, { manner: { open: true }, limits: { graceMs: 1 } });
  assert.equal(result.outcome, "success");
  assert.deepEqual(messages(), helloMessages);
  await until(() => told.cancelled);
});

weakness("W12 a stream without an end is truncated, not a success", async () => {
  for (const rules of /** @type {const} */ (["tolerant", "strict"])) {
    const { result, messages } = await play(hello.slice(0, 3), { rules });
    assert.equal(result.outcome, "truncated");
    assert.equal(result.error?.code, "truncated");
    assert.equal(result.error?.retryable, true);
    assert.deepEqual(messages(), helloMessages);
  }
});

weakness("W13 of a long error body the beginning is kept", async () => {
  const { result } = await play(Array(48).fill("x".repeat(2 ** 16)), { manner: { status: 502, type: "text/plain" }, limits: { errorBodyBytes: 1000 } });
  assert.equal(result.error?.status, 502);
  assert.equal(result.error?.body?.length, 1000);
  assert.ok((result.error?.message.length ?? 0) < 1000);
});

weakness("W14 a frame is limited, not a read", async () => {
  const limits = { frameBytes: 1000 };
  const [start, , end] = text("m", "");
  const frame = sse({ type: "TEXT_MESSAGE_CONTENT", messageId: "m", delta: "x".repeat(2000) });
  for (const reads of [[frame], [...frame]]) {
    const { result } = await play([started(), start, ...reads, end, finished()], { limits });
    assert.equal(result.error?.kind, "limit");
    assert.equal(result.error?.code, "frame-too-long");
  }
  const small = sse({ type: "TEXT_MESSAGE_CONTENT", messageId: "m", delta: "x".repeat(100) });
  const { result, messages } = await play([[started(), start].map(sse).join("") + small.repeat(100), end, finished()], { limits });
  assert.equal(result.outcome, "success");
  assert.equal(messages()[0].content.length, 10_000);
});

weakness("W15 nulls are read as absent, wherever they stand", async () => {
  const part = { type: "image", source: { type: "url", value: "http://x" }, metadata: null };
  const { messages, result } = await play([
    started({ parentRunId: null }),
    {
      type: "MESSAGES_SNAPSHOT",
      messages: [{ id: "m", role: "assistant", content: null, toolCalls: null, name: null }, { id: "n", role: "user", content: [part] }],
    },
    { type: "TOOL_CALL_RESULT", messageId: "r", toolCallId: "c", content: [part], role: null },
    { type: "TEXT_MESSAGE_START", messageId: "x", metadata: null, name: null, timestamp: null, subagentRunId: null },
    finished({ usage: null }),
  ]);
  assert.equal(result.outcome, "success");
  const { metadata, ...clean } = part;
  assert.deepEqual(messages(), [
    { id: "m", role: "assistant" },
    { id: "n", role: "user", content: [clean] },
    { id: "r", role: "tool", toolCallId: "c", content: [clean] },
    { id: "x", role: "assistant", content: "" },
  ]);
});

weakness("W16 an outcome that nobody knows is told", async () => {
  const { codes, result } = await play([started(), finished({ outcome: { type: "paused" }, result: 1 })]);
  assert.equal(result.outcome, "success");
  assert.deepEqual(codes(), ["outcome-unknown"]);
});

weakness("W17 a call does not make a second message of an id that is there", async () => {
  const { messages, codes } = await play([started(), ...text("c", "hello"), ...call("c", { parentMessageId: "u" }), finished()], { initialMessages: [user] });
  assert.deepEqual(messages().map(({ id }) => id), ["u", "c"]);
  assert.equal(messages()[1].toolCalls.length, 1);
  assert.deepEqual(codes(), ["call-parent-not-assistant"]);
});

weakness("W18 the same result twice is one message", async () => {
  const answer = { type: "TOOL_CALL_RESULT", messageId: "r", toolCallId: "c", content: "42" };
  const { messages } = await play([started(), ...call("c"), answer, { ...answer, content: "43" }, finished()]);
  assert.deepEqual(messages().map(({ id }) => id), ["c", "r"]);
  assert.equal(messages()[1].content, "43");
});

weakness("W19 a stream does not write into what it did not make", async () => {
  const parts = { id: "v", role: /** @type {const} */ ("user"), content: [{ type: /** @type {const} */ ("text"), text: "look" }] };
  const { messages, codes, result } = await play([started(), ...text("u", "more"), ...text("v", "more"), finished()], { initialMessages: [user, parts] });
  assert.equal(result.outcome, "success");
  assert.deepEqual(messages(), [user, parts]);
  assert.ok(codes().includes("message-not-streamable"));
});

weakness("W20 the content of an activity stays an object", async () => {
  const { messages, codes } = await play([
    started(),
    { type: "ACTIVITY_SNAPSHOT", messageId: "p", activityType: "P", content: { a: 1 } },
    { type: "ACTIVITY_DELTA", messageId: "p", activityType: "P", patch: [{ op: "replace", path: "", value: "str" }] },
    finished(),
  ]);
  assert.deepEqual(messages()[0].content, { a: 1 });
  assert.deepEqual(codes(), ["activity-patch-failed"]);
});

weakness("W21 patches are those of RFC 6902", async () => {
  const initialState = { a: [1, 2], o: {} };
  for (const operation of [
    { op: "add", path: "/a/01", value: 9 },
    { op: "add", path: "/a/", value: 9 },
    { op: "move", from: "/a/0", path: "/a/9" },
    { op: "replace", path: "/o/toString", value: 9 },
    { op: "move", from: "", path: "/b" },
  ]) {
    const server = answering([started(), { type: "STATE_DELTA", delta: [operation] }, finished()]);
    const { agent, bodies, codes, snapshot } = agentOf([server, answering(hello)], { initialState });
    await agent.submit({});
    assert.deepEqual(codes(), ["state-patch-failed"], JSON.stringify(operation));
    assert.deepEqual(snapshot().state, initialState);
    await agent.submit({});
    assert.deepEqual(JSON.parse(bodies[1] ?? "").state, initialState);
  }
});

weakness("W22 an encrypted value waits for what it belongs to", async () => {
  const value = (/** @type {string} */ subtype, /** @type {string} */ entityId) => ({
    type: "REASONING_ENCRYPTED_VALUE",
    subtype,
    entityId,
    encryptedValue: "E",
  });
  const { messages } = await play([
    started(),
    value("tool-call", "c"),
    value("message", "m"),
    ...text("m", "hi"),
    ...call("c", { parentMessageId: "m" }),
    finished(),
  ]);
  assert.equal(messages()[0].encryptedValue, "E");
  assert.equal(messages()[0].toolCalls[0].encryptedValue, "E");
});

weakness("W23 what listeners do to a snapshot changes nothing, and no delta is lost to an edit", async () => {
  const first = answering([started(), ...text("m", "hello"), finished()]);
  const { agent, bodies } = agentOf([first, answering(hello)]);
  const off = agent.subscribe(() => {
    try {
      /** @type {any[]} */ (/** @type {unknown} */ (agent.getSnapshot().messages)).push(user);
    } catch {
      // Frozen is as good.
    }
  });
  await agent.submit({});
  off();
  await agent.submit({});
  assert.deepEqual(JSON.parse(bodies[1] ?? "").messages, [{ id: "m", role: "assistant", content: "hello" }]);

  const [start, content, end] = text("m", "one");
  const edited = agentOf([answering([started(), start, content, { ...content, delta: " two" }, end, finished()])]);
  let once = false;
  edited.agent.subscribe(() => {
    if (once || edited.messages()[0]?.content !== "one") return;
    once = true;
    edited.agent.setMessages((messages) => [user, ...messages]);
  });
  await edited.agent.submit({});
  assert.deepEqual(edited.messages(), [user, { id: "m", role: "assistant", content: "one two" }]);
});

weakness("W24 what a listener throws is reported, and harms nobody", async (t) => {
  const reported = t.mock.method(console, "error", () => {});
  const fails = () => {
    throw new Error("listener");
  };
  const server = answering([started(), { type: "FUTURE" }, ...text("m", "hi"), finished()]);
  const { agent, messages } = agentOf([server], { onWarning: fails, onFinish: fails, onEvent: fails });
  agent.subscribe(fails);
  agent.on("finish", fails);
  let heard = false;
  agent.subscribe(() => void (heard = true));
  assert.equal((await agent.submit({})).outcome, "success");
  assert.deepEqual(messages(), helloMessages);
  assert.ok(heard);
  assert.ok(reported.mock.callCount() > 4);
});

weakness("W25 a run is over before it is said to be", async () => {
  /** @type {string[]} */
  const order = [];
  const { agent, snapshot } = agentOf([answering(hello)], { onFinish: () => void order.push(`finish ${snapshot().outcome} ${snapshot().isLoading}`) });
  await agent.submit({}).then(() => order.push("settled"));
  assert.deepEqual(order, ["finish success false", "settled"]);
});

weakness("W26 arguments are parsed while they stream", async () => {
  const [start] = call("c");
  const pieces = ['{"city":"Ro', 'me","n":[1', ",2]}"].map((delta) => ({ type: "TOOL_CALL_ARGS", toolCallId: "c", delta }));
  const { agent } = agentOf([answering([started(), start, ...pieces, { type: "TOOL_CALL_END", toolCallId: "c" }, finished()])]);
  /** @type {any[]} */
  const seen = [];
  agent.subscribe(() => {
    const args = agent.getSnapshot().toolCalls[0]?.args;
    if (args && args !== seen.at(-1)) seen.push(args);
  });
  await agent.submit({});
  assert.ok(seen.some(({ city, n }) => city === "Ro" && n === undefined), JSON.stringify(seen));
  assert.deepEqual(seen.at(-1), { city: "Rome", n: [1, 2] });
});

weakness("W27 there is one run at a time, and nothing of either is lost", async () => {
  const first = answering([started(), ...text("m", "one"), finished()]);
  const second = answering([started({ runId: "r2" }), ...text("n", "two"), finished({ runId: "r2" })]);
  const { agent, bodies, messages } = agentOf([first, second]);
  const [one, two] = await Promise.all([agent.submit({ runId: "r" }), agent.submit({ runId: "r2" })]);
  assert.deepEqual([one.outcome, two.outcome], ["success", "success"]);
  assert.deepEqual(messages().map(({ content }) => content), ["one", "two"]);
  assert.deepEqual(JSON.parse(bodies[1] ?? "").messages.map((/** @type {any} */ { content }) => content), ["one"]);
});

weakness("W28 a stopped run has one outcome, whenever and however it is stopped", async () => {
  for (const type of ["text/event-stream", binaryType]) {
    const frames = type === binaryType ? hello.slice(0, 3).map(binaryFrame) : hello.slice(0, 3);
    const server = answering(frames, { type, open: true });
    const { agent, messages } = agentOf([server]);
    const run = agent.submit({});
    await until(() => messages().length > 0 && messages()[0].content === "hi");
    await agent.stop();
    assert.deepEqual(await run.then(({ outcome, error }) => ({ outcome, error })), { outcome: "aborted", error: undefined });
    assert.deepEqual(messages(), helloMessages);
  }
  const controller = new AbortController();
  const early = agentOf([], { fetch: (_url, init) => new Promise((_, reject) => init?.signal?.addEventListener("abort", () => reject(init.signal?.reason))) });
  const run = early.agent.submit({ signal: controller.signal });
  controller.abort("a reason of its own");
  assert.equal((await run).outcome, "aborted");
  assert.equal(early.snapshot().error, undefined);

  const failed = answering([started(), { type: "RUN_ERROR", message: "boom" }], { open: true });
  const late = agentOf([failed]);
  const over = late.agent.submit({});
  await until(() => late.snapshot().outcome === "error");
  await late.agent.stop();
  assert.equal((await over).error?.message, "boom");
});

weakness("W29 a time that is none is told, and never expires", async () => {
  for (const expiresAt of ["whenever", "", "1600000000000", "August 19, 2020 23:15:30"]) {
    const asking = answering([started(), finished({ outcome: { type: "interrupt", interrupts: [{ id: "i", reason: "x", expiresAt }] } })]);
    const { agent, codes } = agentOf([asking, answering(hello)]);
    await agent.submit({});
    assert.deepEqual(codes(), ["interrupt-expiry"], expiresAt);
    const { outcome } = await agent.resume([{ interruptId: "i", status: "resolved" }]);
    assert.equal(outcome, "success");
  }
});

weakness("W30 compaction does not leave what is open after the end", async () => {
  const [start, content] = text("m", "hi");
  const events = /** @type {any[]} */ (await compactEvents(/** @type {any} */ ([started(), start, content, { type: "RUN_ERROR", message: "boom" }])));
  assert.equal(events.at(-1).type, "RUN_ERROR");
  const { messages, result } = await play(events, { rules: "strict" });
  assert.equal(result.error?.kind, "run");
  assert.deepEqual(messages(), helloMessages);
});

weakness("W31 numbers go back to the server with the digits that they came with", async () => {
  const state = '{"big":12345678901234567890,"huge":1e400,"exact":0.1000}';
  const { agent, bodies } = agentOf([answering([started(), `data: {"type":"STATE_SNAPSHOT","snapshot":${state}}\n\n`, finished()]), answering(hello)]);
  await agent.submit({});
  await agent.submit({});
  assert.ok(bodies[1]?.includes(`"state":${state}`), bodies[1]);
});

weakness("W32 what comes after the end is reported", async () => {
  const { result, codes, messages } = await play([...hello, { type: "RAW", event: 1 }, { type: "CUSTOM", name: "x", value: 1 }]);
  assert.equal(result.outcome, "success");
  assert.deepEqual(messages(), helloMessages);
  assert.deepEqual(new Set(codes()).size, 1, codes().join());
});

weakness("W33 a count that is none is dropped, not the run", async () => {
  const { result, snapshot } = await play([started(), ...text("m", "hi"), finished({ usage: [{ model: "m", inputTokens: 1.5, outputTokens: 2 }] })]);
  assert.equal(result.outcome, "success");
  assert.deepEqual(snapshot().usage, [{ model: "m", outputTokens: 2 }]);
});

weakness("W34 what is no message is an error of its kind", async () => {
  const script = [started(), { type: "MESSAGES_SNAPSHOT", messages: [null, user, 5] }, finished()];
  const strict = await play(script, { rules: "strict" });
  assert.equal(strict.result.error?.kind, "protocol");
  assert.match(strict.result.error?.rule ?? "", /^G/);
  const tolerant = await play(script);
  assert.equal(tolerant.result.outcome, "success");
  assert.deepEqual(tolerant.messages(), [user]);
  assert.ok(tolerant.codes().includes("message-malformed"));
});

weakness("W35 old thinking that a run left open is nothing to the next run", async () => {
  const think = (/** @type {string} */ type, more = {}) => ({ type: `THINKING_TEXT_MESSAGE_${type}`, ...more });
  const { messages } = await play([
    started(),
    think("START"),
    think("CONTENT", { delta: "a" }),
    { type: "RUN_ERROR", message: "boom" },
    started({ runId: "r2" }),
    think("CONTENT", { delta: "b" }),
    ...text("m", "hi"),
    finished({ runId: "r2" }),
  ]);
  assert.equal(messages()[0].role, "reasoning");
  assert.equal(messages()[0].content, "a");
  assert.deepEqual(messages().at(-1), helloMessages[0]);
});

weakness("W36 answers to what nobody asked are refused", async () => {
  const asking = answering([started(), finished({ outcome: { type: "interrupt", interrupts: [{ id: "i", reason: "x" }] } })]);
  const { agent, bodies, snapshot } = agentOf([asking, answering(hello)]);
  await agent.submit({});
  const answer = { interruptId: "i", status: /** @type {const} */ ("resolved") };
  for (const resume of [[answer, { ...answer, interruptId: "other" }], [answer, answer]]) {
    await assert.rejects(agent.resume(resume), (/** @type {any} */ error) => error.code === "interrupt-unknown");
  }
  assert.equal(bodies.length, 1);
  assert.equal(snapshot().interrupts.length, 1);
  assert.equal((await agent.resume([answer])).outcome, "success");
});

weakness("W37 a message of an unknown role does not delete what the page has", async () => {
  const { messages } = await play([started(), { type: "MESSAGES_SNAPSHOT", messages: [user, { id: "m", role: "critic", content: "x" }] }, finished()], {
    initialMessages: [user, { id: "m", role: "assistant", content: "kept" }],
  });
  assert.deepEqual(messages(), [user, { id: "m", role: "assistant", content: "kept" }]);
});

weakness("W38 a run that ends under another name is told", async () => {
  const { result, codes } = await play([started({ threadId: "x", runId: "y" }), ...text("m", "hi"), finished({ threadId: "p", runId: "q" })]);
  assert.equal(result.outcome, "success");
  assert.equal(codes().length, 1);
});
