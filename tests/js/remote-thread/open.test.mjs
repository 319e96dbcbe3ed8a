// Opening a stored thread: what the page is shown, what waits, and how invalid responses are handled.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { deferred, load, until } from "../lib.mjs";
import { answer, create, createServer, finished, ids, said, sse, started, user } from "./server.mjs";

const { fetchTransport } = await load("index");
const stored = [user("u1"), said("a1"), user("u2"), said("a2")];

describe("a thread that is opened by a loader", () => {
  it("is shown, without a run that the page would know of", async () => {
    const shown = [];
    const agent = create({ thread: { load: async ({ threadId }) => ({ threadId, messages: stored, state: { n: 1 } }) } });
    assert.deepEqual(agent.getSnapshot().thread, { status: "loading", hasOlder: false });
    agent.subscribe(() => shown.push(agent.getSnapshot()));
    await agent.ready;
    const { messages, state, thread, status, runId, outcome, connection } = agent.getSnapshot();
    assert.deepEqual(messages.map(({ id, content, delivery }) => [id, content, delivery]), stored.map(({ id }) => [id, id, "complete"]));
    assert.deepEqual({ state, thread, status, runId, outcome, phase: connection.phase }, {
      state: { n: 1 },
      thread: { status: "ready", hasOlder: false },
      status: "idle",
      runId: undefined,
      outcome: undefined,
      phase: "closed",
    });
    assert.ok(shown.length > 0);
    assert.ok(shown.every(({ isLoading, status, queue }) => !isLoading && status === "idle" && !queue.length), "no run was shown");
    agent.dispose();
  });

  it("is asked for with the agent's headers, and once for several that wait", async () => {
    const server = createServer(({ url }) => url.endsWith("/threads/t") && Response.json({ messages: stored }));
    const load = async ({ threadId, url, fetch }) => (await fetch(`${url}/threads/${threadId}`)).json();
    const agent = create({ headers: () => ({ authorization: "Bearer x" }), thread: { load } }, server);
    await Promise.all([agent.ready, agent.ready, agent.load()]);
    assert.deepEqual(server.requests.map(({ url, headers }) => [url, headers.get("authorization")]), [["http://agent/run/threads/t", "Bearer x"]]);
    assert.deepEqual(ids(agent), ["u1", "a1", "u2", "a2"]);
    agent.dispose();
  });

  it("lets submits wait, with what was typed in the queue, and sends them after it", async () => {
    const server = createServer();
    const page = deferred();
    const agent = create({ thread: { load: () => page.promise } }, server);
    const first = agent.submit("three");
    const second = agent.submit({ message: "four", ifBusy: "reject" });
    await until(() => agent.getSnapshot().queue.length === 2);
    assert.deepEqual(agent.getSnapshot().queue.map(({ messages }) => messages[0].content), ["three", "four"]);
    assert.equal(agent.getSnapshot().isLoading, false);
    assert.equal(server.requests.length, 0);
    page.resolve({ messages: stored });
    assert.equal((await first).outcome, "success");
    assert.equal((await second).outcome, "success");
    const contents = (messages) => messages.map(({ content }) => content);
    assert.deepEqual(contents(server.requests[0].body.messages), ["u1", "a1", "u2", "a2", "three"]);
    assert.deepEqual(contents(agent.getSnapshot().messages), ["u1", "a1", "u2", "a2", "three", "answer to three", "four", "answer to four"]);
    agent.dispose();
  });

  for (const [name, result] of [["no page", undefined], ["a refusal with 404", Object.assign(new Error("none"), {})]]) {
    it(`is new where there is ${name}`, async () => {
      const server = createServer(({ url }) => url.endsWith("/state") && new Response("", { status: 404 }));
      const load = result ? async ({ fetch }) => (await fetch("http://agent/state")).json() : async () => result;
      const agent = create({ thread: { load } }, server);
      await agent.ready;
      assert.deepEqual(agent.getSnapshot().thread, { status: "new", hasOlder: false });
      assert.equal(agent.getSnapshot().error, undefined);
      await agent.submit("one");
      assert.equal(agent.getSnapshot().thread.status, "ready");
      agent.dispose();
    });
  }

  it("is new, and is not asked for, where the agent has no id of a thread", async () => {
    const agent = create({ threadId: undefined, thread: { load: async () => assert.fail("it was asked for") } });
    assert.equal(agent.getSnapshot().thread.status, "new");
    await agent.ready;
    await agent.submit("one");
    agent.dispose();
  });

  it("can be tried again after a failure, and what waits goes on waiting", async () => {
    const server = createServer();
    let fails = true;
    const errors = [];
    const load = async () => {
      if (fails) throw new Error("no network");
      return { messages: stored };
    };
    const agent = create({ thread: { load }, onError: (error) => errors.push(error.message) }, server);
    await assert.rejects(agent.ready, { kind: "connection", retryable: true, message: /no network/ });
    const waits = agent.submit("three");
    await until(() => agent.getSnapshot().queue.length === 1);
    const { thread, status, error, isLoading } = agent.getSnapshot();
    assert.deepEqual([thread.status, status, isLoading, error.retryable, server.requests.length], ["error", "error", false, true, 0]);
    await assert.rejects(agent.load(), { message: /no network/ });
    fails = false;
    await agent.load();
    assert.equal((await waits).outcome, "success");
    assert.equal(agent.getSnapshot().thread.status, "ready");
    assert.equal(agent.getSnapshot().error, undefined);
    assert.deepEqual(ids(agent).slice(0, 4), ["u1", "a1", "u2", "a2"]);
    assert.equal(errors.length, 2);
    agent.dispose();
  });

  for (const [name, page, code] of [
    ["something that is no page", "nonsense", "thread-malformed"],
    ["a page without messages", { state: 1 }, "thread-malformed"],
    ["messages that are no list", { messages: {} }, "thread-malformed"],
    ["another thread", { threadId: "other", messages: stored }, "thread-other"],
    ["interrupts that are no list", { messages: [], interrupts: 5 }, "thread-malformed"],
    ["an active run without an id", { messages: [], activeRunId: {} }, "thread-malformed"],
    ["older pages without a name", { messages: [], older: 5 }, "thread-malformed"],
  ]) {
    it(`is an error where the loader answers with ${name}`, async () => {
      const agent = create({ thread: { load: async () => page } });
      await assert.rejects(agent.ready, { kind: "protocol", code, retryable: true });
      assert.deepEqual([agent.getSnapshot().messages, agent.getSnapshot().thread.status], [[], "error"]);
      agent.dispose();
    });
  }

  it("is an error where the loader does not answer in time, which it is told", async () => {
    let signal;
    const agent = create({ thread: { load: (request) => new Promise(() => ({ signal } = request)), timeoutMs: 5 } });
    await assert.rejects(agent.ready, { kind: "connection", code: "thread", message: /has not answered/ });
    assert.equal(signal.aborted, true);
    agent.dispose();
  });

  it("says where the option is none of these", async () => {
    const agent = create({ thread: { load: "hydrated" } });
    await assert.rejects(agent.ready, { kind: "unsupported", code: "input", message: /^thread\.load: expected .* got hydrated/ });
    agent.dispose();
  });

  it("is new where the loader rejects with a status of the server that says so, whatever its error is", async () => {
    const agent = create({ thread: { load: () => Promise.reject(Object.assign(new Error("not found"), { status: 404 })) } });
    await agent.ready;
    assert.equal(agent.getSnapshot().thread.status, "new");
    agent.dispose();
  });

  it("leaves out messages that are none, and says so", async () => {
    const warnings = [];
    const agent = create({
      thread: { load: async () => ({ messages: [null, { role: "user" }, ...stored, 5] }) },
      onWarning: ({ code }) => warnings.push(code),
    });
    await agent.ready;
    assert.deepEqual(ids(agent), ["u1", "a1", "u2", "a2"]);
    assert.deepEqual(warnings, ["message-malformed"]);
    agent.dispose();
  });

  it("takes a page of 10,000 messages", async () => {
    const messages = Array.from({ length: 10_000 }, (_, n) => (n % 2 ? said(`m${n}`) : user(`m${n}`)));
    const agent = create({ thread: { load: async () => ({ messages }) } });
    await agent.ready;
    assert.equal(agent.getSnapshot().messages.length, 10_000);
    agent.dispose();
  });

  it("asks again what is open, and the answer reaches the server", async () => {
    const server = createServer();
    const interrupts = [{ id: "i1", reason: "approval", message: "May I?" }];
    const agent = create({ thread: { load: async () => ({ messages: stored, interrupts }) } }, server);
    await agent.ready;
    assert.deepEqual(agent.getSnapshot().interrupts.map(({ id }) => id), ["i1"]);
    await agent.resume([{ interruptId: "i1", payload: { yes: true } }]);
    assert.deepEqual(server.requests[0].body.resume, [{ interruptId: "i1", status: "resolved", payload: { yes: true } }]);
    agent.dispose();
  });

  it("executes no call that was stored without a result, and lets a person answer it", async () => {
    const server = createServer();
    const call = {
      id: "a3",
      role: "assistant",
      content: "",
      toolCalls: [{ id: "c1", type: "function", function: { name: "pick", arguments: "{}" } }, {
        id: "c2",
        type: "function",
        function: { name: "ask", arguments: "{}" },
      }],
    };
    const tools = [
      { name: "pick", description: "", parameters: {}, execute: () => assert.fail("it was executed") },
      { name: "ask", description: "", parameters: {} },
    ];
    const agent = create({ thread: { load: async () => ({ messages: [...stored, call] }) }, tools }, server);
    await agent.ready;
    assert.deepEqual(agent.getSnapshot().toolCalls.map(({ id, phase }) => [id, phase]), [["c1", "input-available"], ["c2", "input-available"]]);
    agent.addToolResult({ toolCallId: "c1", result: "x" });
    agent.addToolResult({ toolCallId: "c2", result: "y" });
    await until(() => server.requests.length === 1);
    assert.deepEqual(server.requests[0].body.messages.slice(-3).map(({ role, toolCallId }) => [role, toolCallId]), [["assistant", undefined], ["tool", "c1"], [
      "tool",
      "c2",
    ]]);
    agent.dispose();
  });

  it("keeps what was edited while it came", async () => {
    const page = deferred();
    const agent = create({ initialMessages: [user("u1"), said("a1", "old")], initialState: { mine: 0 }, thread: { load: () => page.promise } });
    agent.subscribe(() => {});
    agent.setMessages((messages) => messages.map((message) => (message.id === "u1" ? { ...message, metadata: { rating: "good" } } : message)));
    agent.setState((state) => ({ ...state, mine: 1 }));
    page.resolve({ messages: [user("u1"), said("a1", "new"), user("u2"), said("a2")], state: { mine: 5, theirs: 2 } });
    await agent.ready;
    const { messages, state } = agent.getSnapshot();
    assert.deepEqual(messages.map(({ id, content, metadata }) => [id, content, metadata]), [["u1", "u1", { rating: "good" }], ["a1", "new", undefined], [
      "u2",
      "u2",
      undefined,
    ], ["a2", "a2", undefined]]);
    assert.deepEqual(state, { mine: 1, theirs: 2 });
    agent.dispose();
  });

  it("keeps a question at its end that the server has not got", async () => {
    const agent = create({ initialMessages: [user("u1"), said("a1"), user("u3", "lost")], thread: { load: async () => ({ messages: stored }) } });
    await agent.ready;
    assert.deepEqual(ids(agent), ["u1", "a1", "u2", "a2", "u3"]);
    agent.dispose();
  });

  it("is stopped by stop, and the server hears nothing of that", async () => {
    const told = [];
    const agent = create({ thread: { load: () => new Promise(() => {}) }, stop: ({ runId }) => void told.push(runId) });
    const { ready } = agent;
    const waits = agent.submit("three");
    await until(() => agent.getSnapshot().queue.length === 1);
    await agent.stop();
    await assert.rejects(ready, { kind: "aborted" });
    assert.equal((await waits).outcome, "success", "what waited is sent");
    assert.deepEqual([told, agent.getSnapshot().thread.status, agent.getSnapshot().error], [[], "error", undefined]);
    agent.dispose();
  });

  it("ends with the agent: what waits is settled, and the loader is told", async () => {
    let signal;
    const agent = create({ thread: { load: (request) => new Promise(() => ({ signal } = request)) } });
    const { ready } = agent;
    const waits = agent.submit("three");
    await until(() => agent.getSnapshot().queue.length === 1);
    agent.dispose();
    await assert.rejects(ready, { code: "disposed" });
    assert.equal((await waits).outcome, "aborted");
    assert.equal(signal.aborted, true);
  });
});

describe("a thread that is opened by a request without messages", () => {
  const hydrated = (...events) => createServer(({ body }) => body?.messages.length === 0 && answer(sse(...events)));

  it("is what the answer says", async () => {
    const server = hydrated(started(), { type: "STATE_SNAPSHOT", snapshot: { n: 1 } }, { type: "MESSAGES_SNAPSHOT", messages: stored }, finished());
    const agent = create({ thread: { load: "hydrate" } }, server);
    await agent.ready;
    assert.deepEqual(ids(agent), ["u1", "a1", "u2", "a2"]);
    assert.deepEqual(agent.getSnapshot().state, { n: 1 });
    const [{ method, body, url }] = server.requests;
    assert.deepEqual({ method, url, threadId: body.threadId, messages: body.messages, resume: body.resume }, {
      method: "POST",
      url: "http://agent/run",
      threadId: "t",
      messages: [],
      resume: undefined,
    });
    await agent.submit("three");
    assert.equal(server.requests.length, 2);
    agent.dispose();
  });

  for (const [name, response, found] of [
    ["an answer that is cut", () => answer(sse(started(), { type: "MESSAGES_SNAPSHOT", messages: stored })), { code: "thread-malformed" }],
    ["an answer of another thread", () => answer(sse(started("r", "other"), { type: "MESSAGES_SNAPSHOT", messages: stored }, finished("r", "other"))), {
      code: "thread-other",
    }],
    ["a run that fails", () => answer(sse(started(), { type: "RUN_ERROR", message: "no store" })), { kind: "run", message: "no store" }],
    ["a page of HTML", () => new Response("<html></html>", { headers: { "content-type": "text/html" } }), { code: "thread-malformed" }],
    ["a refusal", () => new Response("down", { status: 503 }), { kind: "http", status: 503, body: "down" }],
    ["a login that is out of date", () => new Response("", { status: 401 }), { kind: "auth", status: 401 }],
    ["a server at work", () => new Response("", { status: 409, headers: { "retry-after": "2" } }), { code: "busy", retryable: true, retryAfterMs: 2000 }],
    ["a failure that it says nothing about", () => answer(sse(started(), { type: "RUN_ERROR" })), { kind: "run", message: "The run failed" }],
  ]) {
    it(`is an error after ${name}, and nothing of it is shown`, async () => {
      const agent = create({ thread: { load: "hydrate" } }, createServer(response));
      await assert.rejects(agent.ready, found);
      assert.deepEqual([agent.getSnapshot().messages, agent.getSnapshot().thread.status], [[], "error"]);
      agent.dispose();
    });
  }

  const events = [started(), { type: "MESSAGES_SNAPSHOT", messages: stored }, finished()];
  for (const [form, text] of [
    ["events of several lines", events.map((event) => JSON.stringify(event, undefined, 1).replace(/^/gm, "data: ")).join("\n\n")],
    ["a list of events", `[\n${events.map((event) => JSON.stringify(event)).join(",\n")}\n]`],
  ]) {
    it(`is read from ${form}`, async () => {
      const agent = create({ thread: { load: "hydrate" } }, createServer(() => answer(text)));
      await agent.ready;
      assert.deepEqual(ids(agent), ["u1", "a1", "u2", "a2"]);
      agent.dispose();
    });
  }

  it("is there once its run has ended, where the server leaves the body open", async () => {
    let cancelled = false;
    const parts = sse(...events).split(/(?=FINISHED)/);
    const body = new ReadableStream({
      async start(controller) {
        for (const part of parts) controller.enqueue(new TextEncoder().encode(part)), await new Promise(setImmediate);
      },
      cancel: () => void (cancelled = true),
    });
    const agent = create({ thread: { load: "hydrate" } }, createServer(() => answer(body)));
    await agent.ready;
    assert.deepEqual([ids(agent), cancelled], [["u1", "a1", "u2", "a2"], true]);
    agent.dispose();
  });

  for (const load of ["hydrate", "connect"]) {
    it(`is stopped in the middle, and the server hears nothing of that, with load: "${load}"`, async () => {
      const told = [];
      let controller;
      const server = createServer(() => answer(new ReadableStream({ start: (given) => (controller = given) })));
      const resume = { by: "replay", url: "http://agent/connect", method: "POST" };
      const agent = create({ thread: { load }, resume, stop: ({ runId }) => void told.push(runId) }, server);
      const { ready } = agent;
      await until(() => controller);
      controller.enqueue(new TextEncoder().encode(sse(...events.slice(0, 2))));
      await until(() => controller.desiredSize > 0);
      await agent.stop();
      await assert.rejects(ready, { kind: "aborted" });
      assert.deepEqual(told, []);
      agent.dispose();
    });
  }

  it("is asked for once more, with new headers, where the login was out of date", async () => {
    let token = 0;
    const server = createServer(({ headers }) => (headers.get("token") === "1" ? new Response("", { status: 401 }) : answer(sse(...events))));
    const headers = () => ({ token: String(++token) });
    for (const options of [{ headers }, { url: undefined, transport: fetchTransport({ url: "http://agent/run", headers, fetch: server.fetch }) }]) {
      token = 0;
      server.requests.length = 0;
      const agent = create({ thread: { load: "hydrate" }, ...options }, server);
      await agent.ready;
      assert.deepEqual([ids(agent).length, server.requests.length], [4, 2]);
      agent.dispose();
    }
  });

  for (const load of ["hydrate", "connect"]) {
    const never = ({ signal }) => new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
    const resume = { by: "replay", url: "http://agent/connect", method: "POST" };

    it(`is an error where the server does not answer in time, with load: "${load}"`, async () => {
      const server = createServer(never);
      const agent = create({ thread: { load, timeoutMs: 5 }, resume }, server);
      await assert.rejects(agent.ready, { kind: "connection", code: "thread", message: /has not answered/ });
      assert.equal(server.requests[0].signal.aborted, true);
      agent.dispose();
    });

    it(`is asked for no longer after stop, with load: "${load}"`, async () => {
      const server = createServer(never);
      const agent = create({ thread: { load, timeoutMs: 0 }, resume }, server);
      const { ready } = agent;
      await until(() => server.requests.length === 1);
      await agent.stop();
      await assert.rejects(ready, { kind: "aborted" });
      assert.equal(server.requests[0].signal.aborted, true);
      agent.dispose();
    });
  }
});
