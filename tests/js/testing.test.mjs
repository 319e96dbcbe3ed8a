// The kit for tests: first by itself, then with the real core, whose life with the page's tools and saves it shows.

import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it } from "node:test";
import { load, real, until } from "./lib.mjs";

const { createAgent, tool, webSocket } = await load("index");
const { frame, scriptedAgent, scriptedSocket, fakeAgent, text, toolCall, readRecording, writeRecording } = await load("testing");
const skip = !real && "the core is a stand-in";

const input = { threadId: "t", runId: "r", messages: [] };
const post = (server, more = {}) => server.fetch("http://agent.test/", { method: "POST", body: JSON.stringify(input), ...more });
const types = (body) => [...body.matchAll(/"type":"(\w+)"/g)].map((match) => match[1]);

describe("a scripted agent", () => {
  it("answers the requests in turn, each with a whole run", async () => {
    const server = scriptedAgent();
    server.reply(text("one"));
    server.reply({ type: "RUN_STARTED", threadId: "x", runId: "y" }, { type: "RUN_ERROR", message: "!" });
    const bodies = [await (await post(server)).text(), await (await post(server)).text()];
    assert.match(bodies[0], /^data: {"type":"RUN_STARTED","threadId":"t","runId":"r"}\n\n/);
    assert.deepEqual(types(bodies[0]), ["RUN_STARTED", "TEXT_MESSAGE_START", "TEXT_MESSAGE_CONTENT", "TEXT_MESSAGE_END", "RUN_FINISHED"]);
    assert.deepEqual(types(bodies[1]), ["RUN_STARTED", "RUN_ERROR"]);
    const [{ url, method, headers }] = server.requests;
    assert.deepEqual([url, method, [...headers]], ["http://agent.test/", "POST", []]);
  });

  it("plays a recording: bytes, heads, pauses and ends as they were", async () => {
    const server = scriptedAgent();
    const event = '{"type": "RUN_STARTED", "threadId": "t", "runId": "r"}';
    const utf8 = new TextEncoder();
    const exchanges = [
      { request: { method: "POST", input }, parts: [utf8.encode(`data: ${event}\n\n`), 40, utf8.encode(": alive\r\n\r\n"), new Uint8Array([0xff, 0x0a])] },
      { status: 503, headers: { "retry-after": "1" }, parts: [utf8.encode("later")], end: "cut" },
    ];
    const recording = writeRecording(exchanges);
    assert.ok(recording.split("\n").includes(event), "an event is a line as it came");
    server.play(recording);
    const first = await post(server);
    const bytes = first.arrayBuffer();
    assert.equal(first.headers.get("content-type"), "text/event-stream");
    await server.tick(40);
    assert.deepEqual(Buffer.from(await bytes), Buffer.concat([Buffer.from(`data: ${event}\n\n: alive\r\n\r\n`), Buffer.from([0xff, 0x0a])]));
    const second = await post(server);
    assert.deepEqual([second.status, second.headers.get("retry-after")], [503, "1"]);
    await assert.rejects(second.text(), /cut/);
    assert.deepEqual(writeRecording(readRecording(recording)).includes(JSON.stringify({ end: "cut" })), true);
  });

  it("plays events alone, a run for each request, and names a line that is none of a recording", async () => {
    const server = scriptedAgent();
    const run = (runId) => [{ type: "RUN_STARTED", threadId: "t", runId }, { type: "RUN_FINISHED", threadId: "t", runId }];
    server.play([...run("a"), ...run("b")].map((event) => JSON.stringify(event)).join("\n"));
    for (const id of ["a", "b"]) {
      const body = await (await post(server)).text();
      assert.deepEqual([types(body), body.includes(`"${id}"`)], [["RUN_STARTED", "RUN_FINISHED"], true]);
    }
    assert.throws(() => server.play('{"type":"RUN_STARTED"}\n{"nothing":1}\n'), { name: "SyntaxError", message: /^Line 2 / });
    assert.throws(() => server.play("not json"), /^SyntaxError: Line 1 /);
  });

  it("answers a request that waits, by what it asks", async () => {
    const server = scriptedAgent();
    const response = post(server);
    assert.deepEqual((await server.request()).input, input);
    server.reply(({ input }) => text(`you are ${input.runId}`));
    assert.match(await (await response).text(), /you are r/);
  });

  it("lets pauses pass when the test says so", async () => {
    const server = scriptedAgent();
    server.reply(text("a", 100, "b"), 50);
    const reader = (await post(server)).body.pipeThrough(new TextDecoderStream()).getReader();
    let got = "";
    let ended = false;
    const reading = (async () => {
      for (;;) {
        const { done, value } = await reader.read();
        if (done) break;
        got += value;
      }
      ended = true;
    })();
    const seen = [];
    for (const ms of [0, 99, 1, 49, 1]) {
      await server.tick(ms);
      seen.push([server.now, /"a"/.test(got), /"b"/.test(got), ended]);
    }
    assert.deepEqual(seen, [[0, true, false, false], [99, true, false, false], [100, true, true, false], [149, true, true, false], [150, true, true, true]]);
    await reading;
  });

  it("steps the page's own timers along", async () => {
    const steps = [];
    const server = scriptedAgent({ advance: (ms) => steps.push(ms) });
    server.reply(30, text("a", 50, "b"));
    const body = (await post(server)).text();
    await server.tick(100);
    await body;
    await server.tick(5);
    assert.deepEqual(steps, [30, 50, 20, 5]);
  });

  it("stays open, is added to, ended and cut", async () => {
    const server = scriptedAgent();
    server.open(text("a"));
    const ended = (await post(server)).text();
    server.send({ type: "CUSTOM", name: "x", value: 1 });
    server.end();
    assert.deepEqual(types(await ended).slice(-2), ["TEXT_MESSAGE_END", "CUSTOM"]);
    server.open();
    const cut = (await post(server)).text();
    server.cut();
    await assert.rejects(cut, TypeError);
    assert.throws(() => server.send(text("late")), /No body is open/);
  });

  it("refuses, cannot be reached, and is hung up on", async () => {
    const server = scriptedAgent();
    server.refuse(429, "slow down", { "retry-after": "1" });
    const refused = await post(server);
    assert.deepEqual([refused.status, refused.headers.get("retry-after"), await refused.text()], [429, "1", "slow down"]);
    server.fail();
    await assert.rejects(post(server), TypeError);
    const controller = new AbortController();
    const { signal } = controller;
    server.open();
    const body = (await post(server, { signal })).text();
    const waits = post(server, { signal });
    controller.abort();
    await assert.rejects(body, { name: "AbortError" });
    await assert.rejects(waits, { name: "AbortError" });
    server.reply(text("next"));
    assert.match(await (await post(server)).text(), /next/);
  });
});

describe("a fake agent", () => {
  it("shows what it is told, and notes what is called", async () => {
    const agent = fakeAgent({ messages: [{ id: "1", role: "user", content: "hi" }], status: "running", isLoading: true });
    let changes = 0;
    const off = agent.subscribe(() => changes++);
    assert.equal(agent.getSnapshot().messages[0].delivery, undefined);
    agent.set({ status: "idle", isLoading: false });
    off();
    agent.set({ state: 5 });
    assert.deepEqual([agent.getSnapshot().status, agent.getSnapshot().state, agent.getServerSnapshot().status, changes], ["idle", 5, "running", 1]);
    assert.equal((await agent.submit("x")).outcome, "success");
    await agent.stop();
    agent.approve("c", { a: 1 });
    assert.deepEqual(agent.calls, [
      { method: "submit", args: ["x"] },
      { method: "stop", args: [] },
      { method: "approve", args: ["c", { a: 1 }] },
    ]);
    const heard = [];
    agent.on("finish", ({ outcome }) => heard.push(outcome));
    agent.emit("finish", { runId: "r", outcome: "aborted" });
    assert.deepEqual(heard, ["aborted"]);
  });

  it("has every method of an agent", () => {
    const names = (agent) => Reflect.ownKeys(agent).filter((name) => name !== "calls" && name !== "set" && name !== "emit").map(String).sort();
    const agent = createAgent({ url: "/agent" });
    assert.deepEqual(names(fakeAgent()), names(agent));
  });
});

describe("the real core", { skip }, () => {
  let server;
  const agents = [];
  const create = (options) => {
    const agent = createAgent({ url: "http://agent.test/", fetch: server.fetch, notify: "sync", threadId: "t", ...options });
    agents.push(agent);
    return agent;
  };
  beforeEach(() => void (server = scriptedAgent()));
  afterEach(() => agents.splice(0).forEach((agent) => agent.dispose()));
  const answers = ({ input }) => input.messages.filter(({ role }) => role === "tool").map(({ toolCallId, content }) => [toolCallId, content]);
  const phases = (agent) => agent.getSnapshot().toolCalls.map(({ phase }) => phase);

  it("streams by the clock", async () => {
    const agent = create();
    server.reply(text("Hel", 100, "lo"));
    const run = agent.submit("hi");
    await server.request();
    await server.tick();
    assert.equal(agent.getSnapshot().messages.at(-1).content, "Hel");
    await server.tick(100);
    assert.equal((await run).outcome, "success");
    assert.equal(agent.getSnapshot().messages.at(-1).content, "Hello");
  });

  it("runs the page's tools and goes on with their results", async () => {
    const statuses = new Set();
    const add = tool({ name: "add", description: "d", execute: async ({ a, b }) => ({ sum: a + b }) });
    const fails = tool({ name: "fails", description: "d", execute: () => Promise.reject(new Error("no luck")) });
    const agent = create({ tools: [add, fails] });
    server.reply(toolCall("add", { a: 1, b: 2 }, "one"), toolCall("fails", {}, "two"));
    server.reply(text("3"));
    const run = agent.submit("add");
    agent.subscribe(() => statuses.add(agent.getSnapshot().status));
    const { outcome } = await run;
    assert.equal(outcome, "success");
    const [first, second] = server.requests;
    assert.deepEqual(first.input.tools, [{ name: "add", description: "d" }, { name: "fails", description: "d" }]);
    assert.deepEqual(answers(second), [["one", `{"sum":3}`], ["two", "no luck"]]);
    assert.deepEqual(phases(agent), ["output-available", "output-error"]);
    assert.equal(agent.getSnapshot().messages.at(-1).content, "3");
    assert.deepEqual([...statuses], ["running", "idle"]);
  });

  it("asks a person where the arguments say so, and goes on with what is approved", async () => {
    const paid = [];
    const pay = tool({ name: "pay", description: "d", needsApproval: ({ amount }) => amount > 10, execute: ({ amount }) => void paid.push(amount) });
    const agent = create({ tools: [pay] });
    server.reply(toolCall("pay", { amount: 5 }, "small"), toolCall("pay", { amount: 50 }, "large"), toolCall("pay", { amount: 99 }, "huge"));
    assert.equal((await agent.submit("pay")).outcome, "success");
    assert.deepEqual(phases(agent).slice(1), ["awaiting-approval", "awaiting-approval"]);
    assert.equal(agent.getSnapshot().status, "idle");
    assert.deepEqual(paid, [5]);
    server.reply(text("done"));
    agent.deny("huge", "too much");
    agent.approve("large", { amount: 20 });
    await until(() => agent.getSnapshot().messages.at(-1).content === "done" && !agent.getSnapshot().isLoading);
    assert.deepEqual(paid, [5, 20]);
    assert.equal(server.requests.length, 2);
    assert.deepEqual(Object.fromEntries(answers(server.requests[1])).huge, "too much");
    assert.deepEqual(phases(agent).slice(1), ["output-available", "denied"]);
  });

  it("waits for people without `execute`, also through a reload", async () => {
    const tools = [{ name: "choose", description: "d" }];
    const agent = create({ tools });
    server.reply(toolCall("choose", {}, "call"));
    await agent.submit("choose");
    const saved = JSON.parse(JSON.stringify(agent.save()));
    agent.dispose();
    const errors = [];
    const next = create({ tools, restore: saved, onError: (error) => errors.push(error) });
    assert.equal(next.getSnapshot().messages.length, 2);
    server.reply(text("thanks"));
    next.addToolResult({ toolCallId: "call", result: "red" });
    await until(() => next.getSnapshot().messages.at(-1).content === "thanks" && !next.getSnapshot().isLoading);
    assert.deepEqual(answers(server.requests[1]), [["call", "red"]]);
    assert.deepEqual(errors, []);
  });

  it("asks no second time for what is approved after a reload", async () => {
    const paid = [];
    const pay = tool({ name: "pay", description: "d", needsApproval: () => true, execute: ({ amount }) => void paid.push(amount) });
    const agent = create({ tools: [pay] });
    server.reply(toolCall("pay", { amount: 5 }, "call"));
    await agent.submit("pay");
    const next = create({ tools: [pay], restore: agent.save() });
    server.reply(text("paid"));
    next.approve("call");
    await until(() => next.getSnapshot().messages.at(-1).content === "paid" && !next.getSnapshot().isLoading);
    assert.deepEqual(paid, [5]);
  });

  it("aborts a tool when the run is stopped, and its result changes nothing", async () => {
    let end, signal;
    const slow = tool({ name: "slow", description: "d", execute: (_, context) => ((signal = context.signal), new Promise((resolve) => (end = resolve))) });
    const agent = create({ tools: [slow] });
    server.reply(toolCall("slow"));
    const run = agent.submit("go");
    await until(() => end);
    await agent.stop();
    assert.equal((await run).outcome, "aborted");
    assert.ok(signal.aborted);
    const before = agent.getSnapshot();
    end("late");
    await server.tick();
    assert.equal(agent.getSnapshot(), before);
    assert.equal(server.requests.length, 1);
  });

  it("answers interrupts one by one", async () => {
    const agent = create();
    const ask = (id) => ({ id, reason: "confirmation" });
    server.reply({ type: "RUN_FINISHED", threadId: "t", runId: "r", outcome: { type: "interrupt", interrupts: [ask("a"), ask("b")] } });
    assert.equal((await agent.submit("go")).outcome, "interrupted");
    server.reply(text("thanks"));
    const one = agent.resume({ id: "a", payload: true });
    await server.tick();
    assert.equal(server.requests.length, 1);
    const other = agent.resume({ id: "b", status: "cancelled" });
    assert.deepEqual([(await one).outcome, (await other).outcome], ["success", "success"]);
    assert.deepEqual(server.requests[1].input.resume, [
      { interruptId: "a", status: "resolved", payload: true },
      { interruptId: "b", status: "cancelled" },
    ]);
  });

  it("edits what waits and what was said", async () => {
    const agent = create();
    server.open();
    const first = agent.submit({ message: { id: "m", content: "one" } });
    await server.request();
    const second = agent.submit("two");
    await server.tick();
    const [{ id }] = agent.getSnapshot().queue;
    assert.equal(agent.editQueued(id, "zwei"), true);
    server.reply(text("b"));
    server.send({ type: "RUN_FINISHED", threadId: "t", runId: "r" });
    server.end();
    await first;
    await second;
    const said = () => agent.getSnapshot().messages.map(({ content }) => content);
    assert.deepEqual(said(), ["one", "zwei", "b"]);
    server.reply(text("c"));
    await agent.submit({ message: "uno", replaces: "m" });
    assert.deepEqual(said(), ["uno", "c"]);
    await assert.rejects(agent.submit({ message: "x", replaces: "nobody" }), { code: "nothing-to-replace" });
  });

  it("refuses a damaged save and is empty", async () => {
    const errors = [];
    const damaged = { v: 1, threadId: "t", messages: [{ id: "1", role: "user", content: "hi" }], state: {}, interrupts: "no" };
    const agent = create({ restore: damaged, onError: ({ kind, code }) => errors.push([kind, code]) });
    server.reply(text("hello"));
    assert.equal((await agent.submit("hi again")).outcome, "success");
    assert.deepEqual(errors, [["unsupported", "restore"]]);
    assert.deepEqual(agent.getSnapshot().messages.map(({ content }) => content), ["hi again", "hello"]);
  });

  it("is left in mid-run and found again as it was", async () => {
    const agent = create();
    server.open({ type: "TEXT_MESSAGE_CHUNK", messageId: "a", delta: "half" });
    void agent.submit("hi");
    await server.request();
    await server.tick();
    const saved = JSON.parse(JSON.stringify(agent.save()));
    agent.dispose();
    const next = create({ restore: saved });
    assert.deepEqual(next.getSnapshot().messages.map(({ content }) => content), ["hi", "half"]);
    server.reply(text("whole"));
    assert.equal((await next.retry()).outcome, "success");
    assert.equal(next.getSnapshot().messages.at(-1).content, "whole");
  });
});

describe("frames of other systems", () => {
  it("are sent as they are, without events of AG-UI", async () => {
    const server = scriptedAgent();
    server.reply(frame({ jsonrpc: "2.0" }, { event: "message", id: "7" }), 20, frame("a\nb"));
    const body = (await post(server)).text();
    await server.tick(20);
    assert.equal(await body, 'event: message\nid: 7\ndata: {"jsonrpc":"2.0"}\n\ndata: a\ndata: b\n\n');
  });

  it("are what a dialect reads", { skip }, async () => {
    const server = scriptedAgent();
    server.reply(frame({ jsonrpc: "2.0", id: "1", error: { code: -32001, message: "task not found" } }));
    const agent = createAgent({ url: "/", fetch: server.fetch, dialect: "hector", onWarning() {} });
    const { error } = await agent.submit("hi");
    assert.match(error.message, /task not found/);
    agent.dispose();
  });
});

describe("a scripted socket", { skip }, () => {
  const started = ({ received: [input] }) => {
    const { threadId, runId } = JSON.parse(input);
    return { type: "RUN_STARTED", threadId, runId };
  };
  const create = (server, more) =>
    createAgent({ transport: webSocket({ url: "wss://agent.test", protocols: "ag-ui", WebSocket: server.WebSocket }), notify: "sync", retry: false, ...more });

  it("has what the agent says, and says what the test does", async () => {
    const server = scriptedSocket();
    const agent = create(server);
    const run = agent.submit("hi");
    const connection = await server.connection();
    assert.deepEqual([connection.url, connection.protocols, connection.isOpen], ["wss://agent.test", ["ag-ui"], true]);
    const { threadId, runId } = started(connection);
    connection.send(started(connection), text("Hel"), JSON.stringify({ type: "RUN_FINISHED", threadId, runId }));
    connection.close();
    assert.deepEqual([(await run).outcome, agent.getSnapshot().messages.at(-1).content, connection.isOpen], ["success", "Hel", false]);
    assert.throws(() => connection.send("late"), /not open/);
    agent.dispose();
  });

  it("is lost, refused, or not there", async () => {
    const server = scriptedSocket();
    const agent = create(server);
    const ways = [(connection) => connection.cut(), (connection) => connection.close(4401, "expired")];
    for (const [way, kind] of [[ways[0], "connection"], [ways[1], "auth"]]) {
      const run = agent.submit("hi");
      const connection = await server.connection();
      connection.send(started(connection));
      way(connection);
      assert.equal((await run).error.kind, kind);
    }
    server.fail();
    assert.equal((await agent.submit("hi")).error.kind, "connection");
    assert.equal(server.connections.length, 2);
    agent.dispose();
  });
});
