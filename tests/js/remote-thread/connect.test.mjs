// A thread that the server repeats, a run of it that is in progress, a message for that run, what the agent can do, and what names a run in
// the server's traces.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { deferred, load, until } from "../lib.mjs";
import { answer, create, createServer, finished, ids, said, sse, started, user } from "./server.mjs";

const { createStore } = await load("persistence/stores");
const run = (
  id,
) => [started(id), { type: "TEXT_MESSAGE_START", messageId: `${id}-a`, role: "assistant" }, {
  type: "TEXT_MESSAGE_CONTENT",
  messageId: `${id}-a`,
  delta: `of ${id}`,
}, { type: "TEXT_MESSAGE_END", messageId: `${id}-a` }];
const replay = { thread: { load: "connect" }, resume: { by: "replay", url: "http://agent/connect", method: "POST" } };
const connects = (respond) => createServer((request) => (request.url.endsWith("/connect") ? respond(request) : undefined));

/** A body that is open, to be continued. */
function open(...events) {
  let controller;
  const encoder = new TextEncoder();
  const stream = new ReadableStream({ start: (given) => void (controller = given) });
  const send = (...more) => controller.enqueue(encoder.encode(sse(...more)));
  if (events.length) send(...events);
  return { response: () => answer(stream), send, close: () => controller.close() };
}

describe("a thread that the server repeats", () => {
  it("is shown whole, with the names of its runs", async () => {
    const server = connects(() => answer(sse(...run("r1"), finished("r1"), ...run("r2"), finished("r2"))));
    const agent = create(replay, server);
    await agent.ready;
    assert.deepEqual([ids(agent), agent.getSnapshot().thread.status, agent.getSnapshot().isLoading], [["r1-a", "r2-a"], "ready", false]);
    assert.deepEqual(server.requests.map(({ url, body }) => [url, body.threadId]), [["http://agent/connect", "t"]]);
    agent.dispose();
  });

  const asked = (id, ...messages) => ({ ...started(id), input: { threadId: "t", runId: id, messages } });

  it("leaves questions that the server does not have, and what was edited meanwhile", async () => {
    const repeated = deferred();
    const server = connects(() => repeated.promise);
    const picture = [{ type: "image", source: { type: "url", value: "https://a.test/b.png" } }];
    const parts = [{ type: "text", text: "and this?" }, { type: "image", source: { type: "url", value: "https://a.test/a.png" } }];
    const agent = create({ ...replay, initialMessages: [user("q1"), said("r1-a", "of r1"), user("q2", parts)] }, server);
    const { ready } = agent;
    await until(() => server.requests.length === 1);
    agent.setMessages((messages) => [...messages, user("q3")]);
    const [start, ...rest] = run("r1");
    repeated.resolve(answer(sse({ ...start, ...asked("r1", user("q1", picture)) }, ...rest, finished("r1"))));
    await ready;
    assert.deepEqual(ids(agent), ["q1", "r1-a", "q2", "q3"]);
    const { messages } = agent.getSnapshot();
    assert.deepEqual([messages[0].content, messages[2].content], [picture, parts]);
    await agent.submit({ message: { id: "q4", content: "q4" } });
    assert.deepEqual(server.requests.at(-1).body.messages.map(({ id }) => id), ["q1", "r1-a", "q2", "q3", "q4"]);
    agent.dispose();
  });

  it("has the question of its run in progress once, which the page had as well", async () => {
    const [start, ...rest] = run("r2");
    const body = open(...run("r1"), finished("r1"), { ...start, ...asked("r2", user("q2")) }, ...rest);
    const agent = create({ ...replay, initialMessages: [said("r1-a", "of r1"), user("q2")] }, connects(() => body.response()));
    await agent.ready;
    await until(() => agent.getSnapshot().isLoading);
    body.send(finished("r2"));
    body.close();
    await until(() => !agent.getSnapshot().isLoading);
    assert.deepEqual(ids(agent), ["r1-a", "q2", "r2-a"]);
    agent.dispose();
  });

  it("shows the run in progress while that grows without a pause", async (t) => {
    t.mock.timers.enable({ apis: ["setTimeout"] });
    const [start, ...rest] = run("r1");
    const body = open({ ...start, ...asked("r1", user("q1")) }, ...rest, finished("r1"), ...run("r2").slice(0, -1));
    const agent = create(replay, connects(() => body.response()));
    agent.subscribe(() => {});
    let words = 0;
    for (; !agent.getSnapshot().isLoading && words < 100; words++) {
      body.send({ type: "TEXT_MESSAGE_CONTENT", messageId: "r2-a", delta: "." });
      for (let turn = 0; turn < 8; turn++) await new Promise(setImmediate);
      t.mock.timers.tick(100);
    }
    assert.ok(words < 40, `it is shown after ${words} words`);
    await until(() => agent.getSnapshot().messages.length === 3);
    body.send({ type: "TEXT_MESSAGE_END", messageId: "r2-a" }, finished("r2"), ...run("r3"), finished("r3"));
    body.close();
    await until(() => !agent.getSnapshot().isLoading);
    assert.deepEqual(agent.getSnapshot().messages.map(({ content }) => content), ["q1", "of r1", `of r2${".".repeat(words)}`, "of r3"]);
    agent.dispose();
  });

  it("has the calls that the page has, and their results once", async () => {
    const call = { id: "c", type: "function", function: { name: "count", arguments: "{}" } };
    const told = [{ type: "TOOL_CALL_START", toolCallId: "c", toolCallName: "count", parentMessageId: "a" }, { type: "TOOL_CALL_END", toolCallId: "c" }];
    const server = connects(() => answer(sse(asked("r1", user("q")), ...told, finished("r1"))));
    const tools = [{ name: "count", description: "", parameters: {} }];
    const agent = create({ ...replay, tools, initialMessages: [user("q"), { id: "a", role: "assistant", toolCalls: [call] }] }, server);
    await agent.ready;
    assert.deepEqual(agent.getSnapshot().toolCalls.map(({ id }) => id), ["c"]);
    agent.addToolResult({ toolCallId: "c", result: "1" });
    await until(() => server.requests.length > 1);
    assert.deepEqual(server.requests.at(-1).body.messages.slice(2).map(({ toolCallId, content }) => [toolCallId, content]), [["c", "1"]]);
    await until(() => !agent.getSnapshot().isLoading);
    agent.dispose();
  });

  for (const status of [404, 405, 422]) {
    it(`is new where the server answers ${status}`, async () => {
      const agent = create(replay, connects(() => new Response("", { status })));
      await agent.ready;
      assert.deepEqual([agent.getSnapshot().thread.status, agent.getSnapshot().error], ["new", undefined]);
      agent.dispose();
    });
  }

  it("takes the place of what the page had of it", async () => {
    const server = connects(() => answer(sse(...run("r1"), finished("r1"), ...run("r2"), finished("r2"))));
    const agent = create({ ...replay, initialMessages: [said("r1-a", "of r1")] }, server);
    await agent.ready;
    assert.deepEqual(agent.getSnapshot().messages.map(({ id, content }) => [id, content]), [["r1-a", "of r1"], ["r2-a", "of r2"]]);
    agent.dispose();
  });

  it("is joined where a run of it is in progress, and what is submitted waits for that", async () => {
    const body = open(...run("r1"), finished("r1"), ...run("r2"));
    const server = connects(() => body.response());
    const agent = create(replay, server);
    const waits = agent.submit({ message: { id: "q", content: "q" } });
    await agent.ready;
    await until(() => agent.getSnapshot().isLoading);
    assert.deepEqual([agent.getSnapshot().runId, agent.getSnapshot().queue.length], ["r2", 1]);
    body.send({ type: "TEXT_MESSAGE_START", messageId: "r2-b", role: "assistant" }, { type: "TEXT_MESSAGE_CONTENT", messageId: "r2-b", delta: "late" }, {
      type: "TEXT_MESSAGE_END",
      messageId: "r2-b",
    }, finished("r2"));
    body.close();
    assert.equal((await waits).outcome, "success");
    assert.deepEqual(ids(agent), ["r1-a", "r2-a", "r2-b", "q", "q-answer"]);
    assert.equal(server.requests.length, 2);
    agent.dispose();
  });

  for (const [name, response, code] of [
    ["a page of HTML", () => new Response("<html></html>", { headers: { "content-type": "text/html" } }), "thread-malformed"],
    [
      "another thread",
      () => answer(sse(...run("r1"), { ...finished("r1"), threadId: "other" }).replace('"threadId":"t"', '"threadId":"other"')),
      "thread-other",
    ],
  ]) {
    it(`is an error where the server answers with ${name}, and nothing of it is shown`, async () => {
      const agent = create(replay, connects(response));
      await assert.rejects(agent.ready, { kind: "protocol", code });
      assert.deepEqual([ids(agent), agent.getSnapshot().thread.status], [[], "error"]);
      agent.dispose();
    });
  }

  it("is new where the stream has comments alone", async () => {
    const agent = create(replay, connects(() => answer(": welcome\n\nretry: 10\n\n")));
    await agent.ready;
    assert.equal(agent.getSnapshot().thread.status, "new");
    agent.dispose();
  });

  it("is connected to no longer after dispose, while a run of it is in progress that was not joined", async () => {
    let cancelled = false;
    const body = new ReadableStream({
      start: (controller) => controller.enqueue(new TextEncoder().encode(sse(...run("r1")))),
      cancel: () => void (cancelled = true),
    });
    const agent = create(replay, connects(() => answer(body)));
    agent.subscribe(() => ids(agent).length && agent.dispose());
    await until(() => cancelled);
  });

  it("needs to know where", async () => {
    const agent = create({ thread: { load: "connect" } });
    await assert.rejects(agent.ready, { kind: "unsupported", code: "input", message: /replay/ });
    agent.dispose();
  });
});

describe("a run in progress that a loader names", () => {
  for (const watched of [false, true])
    it(`is joined once the thread is shown, before what waits${watched ? ", in a page that looks" : ""}`, async () => {
      const server = createServer(({ url }) => url.endsWith("/r7") && answer(sse(...run("r7"), finished("r7"))));
      const load = async () => ({ messages: [user("u1")], activeRunId: "r7" });
      const agent = create({ thread: { load }, resume: { by: "run-url", url: (runId) => `http://agent/runs/${runId}` } }, server);
      if (watched) agent.subscribe(() => {});
      assert.equal((await agent.submit({ message: { id: "q", content: "q" } })).outcome, "success");
      assert.deepEqual(ids(agent), ["u1", "r7-a", "q", "q-answer"]);
      assert.deepEqual(server.requests.map(({ url }) => url), ["http://agent/runs/r7", "http://agent/run"]);
      agent.dispose();
    });
});

describe('ifBusy: "steer"', () => {
  const running = () => {
    const body = open(started("r1"), { type: "TEXT_MESSAGE_START", messageId: "a", role: "assistant" }, {
      type: "TEXT_MESSAGE_CONTENT",
      messageId: "a",
      delta: "one",
    });
    const ends = () => (body.send({ type: "TEXT_MESSAGE_END", messageId: "a" }, finished("r1")), body.close());
    return { body, ends };
  };
  const steered = async (respond, thread = { steer: true }, options = {}) => {
    const { body, ends } = running();
    const server = createServer((request) => (server.requests.length === 1 ? body.response() : respond(request)));
    const agent = create({ thread, ...options }, server);
    const first = agent.submit({ message: { id: "q", content: "q" } });
    await until(() => agent.getSnapshot().messages.at(-1)?.content === "one");
    const second = agent.submit({ message: { id: "s", content: "shorter" }, ifBusy: "steer" });
    return { agent, server, first, second, ends };
  };

  it("sends the message beside the run, which it names, and shows it", async () => {
    const { agent, server, first, second, ends } = await steered(() => answer(sse(started("r2"), finished("r2"))));
    assert.equal((await second).outcome, "success");
    const { body } = server.requests[1];
    assert.deepEqual([body.parentRunId, body.threadId, body.messages], [agent.getSnapshot().runId, "t", [{ id: "s", role: "user", content: "shorter" }]]);
    assert.notEqual(body.runId, body.parentRunId);
    assert.deepEqual([ids(agent), agent.getSnapshot().isLoading], [["q", "a", "s"], true]);
    ends();
    assert.equal((await first).outcome, "success");
    assert.deepEqual(ids(agent), ["q", "a", "s"]);
    agent.dispose();
  });

  it("shows what the server answers to it, after the run", async () => {
    const { agent, first, second, ends } = await steered(() => answer(sse(...run("r2"), finished("r2"))));
    await until(() => agent.getSnapshot().messages.length === 3);
    ends();
    assert.equal((await first).outcome, "success");
    assert.equal((await second).outcome, "success");
    assert.deepEqual(ids(agent), ["q", "a", "s", "r2-a"]);
    agent.dispose();
  });

  for (const [name, thread, refusals] of [["that does not take it", {}, 0], ["that refuses it", { steer: true }, 1]]) {
    it(`waits in the queue with a server ${name}`, async () => {
      let refused = 0;
      const { agent, server, second, ends } = await steered(() => refused++ < refusals && new Response("", { status: 409 }), thread);
      await until(() => agent.getSnapshot().queue.length === 1);
      assert.deepEqual(ids(agent), ["q", "a"]);
      ends();
      assert.equal((await second).outcome, "success");
      assert.deepEqual(ids(agent), ["q", "a", "s", "s-answer"]);
      assert.equal(server.requests.length, 2 + refusals);
      agent.dispose();
    });
  }

  it("shows once what the server answers, where the thread was opened meanwhile", async () => {
    const { promise, resolve } = deferred();
    let stored = [];
    const { agent, first, second, ends } = await steered(() => promise, { steer: true, load: async () => ({ messages: stored }) });
    await until(() => agent.getSnapshot().messages.length === 3);
    ends();
    await first;
    stored = [user("q"), said("a", "one"), user("s", "shorter"), said("r2-a", "of r2")];
    await agent.load();
    resolve(answer(sse(...run("r2"), finished("r2"))));
    assert.equal((await second).outcome, "success");
    assert.deepEqual(agent.getSnapshot().messages.map(({ id, content }) => [id, content]).at(-1), ["r2-a", "of r2"]);
    agent.dispose();
  });

  it("keeps the store until the server has answered", async (test) => {
    // In a page: a server has those of several users.
    globalThis.document = new EventTarget();
    test.after(() => delete globalThis.document);
    const { promise, resolve } = deferred();
    let now;
    const store = () => createStore({ key: "steered", load: () => now, save: (saved) => void (now = saved), clear() {} });
    const { agent, server, first, second, ends } = await steered(({ body }) => body.parentRunId && promise, undefined, { persist: store() });
    await until(() => agent.getSnapshot().messages.length === 3);
    const other = create({ persist: store(), limits: { frameBytes: 1e6 } }, server);
    const third = other.submit({ message: { id: "x", content: "x" } });
    ends();
    await first;
    await new Promise((done) => setTimeout(done, 20));
    resolve(answer(sse(...run("r2"), finished("r2"))));
    assert.equal((await second).outcome, "success");
    assert.equal((await third).outcome, "success");
    assert.deepEqual(ids(other), ["q", "a", "s", "r2-a", "x", "x-answer"]);
    for (const one of [agent, other]) one.dispose();
  });

  it("ends with the agent where the server does not answer", async () => {
    let signal;
    const { agent, first, second } = await steered((request) =>
      new Promise((_, reject) => (({ signal } = request), signal.addEventListener("abort", () => reject(signal.reason))))
    );
    await until(() => signal);
    agent.dispose();
    assert.deepEqual([(await first).outcome, (await second).outcome, signal.aborted], ["aborted", "aborted", true]);
  });

  it("is an error where nobody knows whether the server has it, and is not sent again", async () => {
    const { agent, server, second, ends } = await steered(() => {
      throw new Error("cut");
    });
    const { outcome, error } = await second;
    assert.deepEqual([outcome, error.kind, error.retryable], ["error", "connection", true]);
    ends();
    await until(() => !agent.getSnapshot().isLoading);
    assert.deepEqual([ids(agent), server.requests.length], [["q", "a", "s"], 2]);
    agent.dispose();
  });
});

describe("capabilities", () => {
  it("are what the server says, asked with the agent's headers", async () => {
    const server = createServer(({ url }) => url.endsWith("/capabilities") && Response.json({ tools: { supported: true } }));
    const agent = create({ headers: { authorization: "x" }, capabilities: async ({ url, fetch }) => (await fetch(`${url}/capabilities`)).json() }, server);
    assert.deepEqual(await agent.capabilities(), { tools: { supported: true } });
    assert.equal(server.requests[0].headers.get("authorization"), "x");
    agent.dispose();
  });

  it("are not known where the options do not say how, or the server has no such route", async () => {
    for (const capabilities of [undefined, async ({ fetch }) => (await fetch("http://agent/none")).json()]) {
      const agent = create({ capabilities }, createServer(() => new Response("", { status: 404 })));
      assert.equal(await agent.capabilities(), undefined);
      agent.dispose();
    }
  });

  it("reject where the server does not answer in time", async () => {
    const agent = create({ capabilities: () => new Promise(() => {}), thread: { timeoutMs: 5 } });
    await assert.rejects(agent.capabilities(), { kind: "connection", retryable: true, message: /asked what it can do: the server has not answered/ });
    agent.dispose();
  });

  it("reject where the server fails", async () => {
    const agent = create(
      { capabilities: async ({ fetch }) => (await fetch("http://agent/none")).json() },
      createServer(() => new Response("", { status: 500 })),
    );
    await assert.rejects(agent.capabilities(), { kind: "http", status: 500 });
    agent.dispose();
  });
});

describe("the result of a run", () => {
  const respond = (headers) =>
    createServer(({ body }) => answer(sse(started(body.runId), finished(body.runId)), { headers: { "content-type": "text/event-stream", ...headers } }));

  for (const [name, headers, traceId] of [
    ["of traceparent", { traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01" }, "0af7651916cd43dd8448eb211c80319c"],
    ["of x-request-id", { "x-request-id": "abc" }, "abc"],
    ["of x-request-id where traceparent is none", { traceparent: "nonsense", "x-request-id": "abc" }, "abc"],
    ["of none", {}, undefined],
  ]) {
    it(`has the trace id ${name}, and the headers`, async () => {
      const results = [];
      const agent = create({ onFinish: (result) => results.push(result.traceId) }, respond(headers));
      const result = await agent.submit("one");
      assert.deepEqual([result.traceId, result.headers.get("content-type"), results], [traceId, "text/event-stream", [traceId]]);
      assert.equal(JSON.stringify(result).includes("headers"), false);
      agent.dispose();
    });
  }

  it("has none of an earlier run's where its own had no response", async () => {
    let down = false;
    const ok = respond({ "x-request-id": "abc" });
    const agent = create({ fetch: (...request) => (down ? Promise.reject(new Error("down")) : ok.fetch(...request)) });
    await agent.submit("one");
    down = true;
    const result = await agent.submit("two");
    assert.deepEqual([result.traceId, result.headers], [undefined, undefined]);
    agent.dispose();
  });
});
