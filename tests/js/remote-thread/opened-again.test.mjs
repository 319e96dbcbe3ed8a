// A stored thread and a save of the page: what is shown first, and messages that were typed while the thread was opened.

import assert from "node:assert/strict";
import { it } from "node:test";
import { deferred, load, until } from "../lib.mjs";
import { answer, create, createServer, finished, ids, said, sse, started, user } from "./server.mjs";

const { createStore } = await load("persistence/stores");
const stored = [user("u1"), said("a1"), user("u2"), said("a2")];

/** A store in memory, for pages one after the other. */
function createPages() {
  let text;
  return () =>
    createStore({
      key: "pages",
      load: async () => text && JSON.parse(text),
      save: async (saved) => void (text = JSON.stringify(saved)),
      clear: async () => void (text = undefined),
    });
}

it("the save is shown at once, and the server's answer wins message by message", async () => {
  const store = createPages();
  const first = create({ persist: store(), initialMessages: [user("u1"), said("a1", "old")] });
  await first.submit({ message: { id: "q", content: "q" } });
  first.dispose();
  const seen = [];
  const agent = create({
    persist: store(),
    thread: { load: async () => ({ messages: [user("u1"), said("a1", "new"), user("q"), said("q-answer", "answer to q")] }) },
  });
  agent.subscribe(() => seen.push(agent.getSnapshot()));
  await agent.ready;
  assert.ok(seen.some(({ thread, messages }) => thread.status === "loading" && messages.length === 4), "the save was shown");
  assert.deepEqual(agent.getSnapshot().messages.map(({ id, content }) => [id, content]), [["u1", "u1"], ["a1", "new"], ["q", "q"], [
    "q-answer",
    "answer to q",
  ]]);
  agent.dispose();
});

/** A page that was left while its thread was opened, with this in its queue. */
async function leftWith(store, server, options, ...said) {
  const first = create({ persist: store(), ...options, thread: { load: () => new Promise(() => {}) } }, server);
  for (const id of said) void first.submit({ message: { id, content: id } }).catch(() => {});
  await until(() => first.getSnapshot().queue.length === said.length);
  assert.deepEqual(first.save().queue.map(({ messages }) => messages[0].id), said);
  assert.ok(!JSON.stringify(first.save()).includes('"running":true'), "no run that there never was");
  first.dispose();
}

const contents = ({ body }) => body.messages.map(({ id }) => id);
const resume = { by: "run-url", url: (runId) => `http://agent/runs/${runId}` };

for (const [how, options] of [["", {}], [", with a way to join runs", { resume }]]) {
  it(`what was typed while the thread was opened waits for it after a reload, too${how}`, async () => {
    const store = createPages();
    const server = createServer();
    await leftWith(store, server, options, "q", "r");
    const page = deferred();
    const errors = [];
    const agent = create({ persist: store(), ...options, thread: { load: () => page.promise }, onError: (error) => errors.push(error) }, server);
    agent.subscribe(() => {});
    await until(() => agent.getSnapshot().queue.length === 2);
    await agent.submit({ message: { id: "dropped", content: "d" }, ifBusy: "drop", signal: AbortSignal.abort() });
    assert.deepEqual([server.requests.length, agent.getSnapshot().thread.status, agent.getSnapshot().isLoading], [0, "loading", false]);
    page.resolve({ messages: stored });
    await agent.ready;
    await until(() => server.requests.length === 2 && !agent.getSnapshot().isLoading);
    assert.deepEqual(server.requests.map(contents), [["u1", "a1", "u2", "a2", "q"], ["u1", "a1", "u2", "a2", "q", "q-answer", "r"]]);
    assert.deepEqual(server.requests.map(({ url }) => url), ["http://agent/run", "http://agent/run"], "no run is joined that there never was");
    assert.deepEqual(ids(agent), ["u1", "a1", "u2", "a2", "q", "q-answer", "r", "r-answer"]);
    assert.deepEqual(errors, []);
    agent.dispose();
  });
}

it("what was typed while the store was read waits for the thread, too", async () => {
  const server = createServer();
  const [read, page] = [deferred(), deferred()];
  const persist = createStore({ key: "late", load: () => read.promise, save: async () => {}, clear: async () => {} });
  const agent = create({ persist, thread: { load: () => page.promise } }, server);
  agent.subscribe(() => {});
  const waits = agent.submit({ message: { id: "q", content: "q" } });
  await until(() => agent.save().queue.length === 1);
  read.resolve(undefined);
  await until(() => agent.getSnapshot().queue.length === 1);
  assert.deepEqual([server.requests.length, agent.getSnapshot().thread.status, agent.getSnapshot().isLoading], [0, "loading", false]);
  page.resolve({ messages: stored });
  assert.equal((await waits).outcome, "success");
  assert.deepEqual(server.requests.map(contents), [["u1", "a1", "u2", "a2", "q"]]);
  agent.dispose();
});

it("waits over a load that fails, and over another reload", async () => {
  const store = createPages();
  const server = createServer();
  await leftWith(store, server, {}, "q");
  const failing = create({ persist: store(), thread: { load: async () => Promise.reject(new Error("no network")) } }, server);
  failing.subscribe(() => {});
  await assert.rejects(failing.ready, { kind: "connection" });
  assert.deepEqual([server.requests.length, failing.getSnapshot().thread.status, failing.getSnapshot().queue.length], [0, "error", 1]);
  failing.dispose();
  let fails = true;
  const load = async () => (fails ? Promise.reject(new Error("no network")) : { messages: stored });
  const agent = create({ persist: store(), thread: { load } }, server);
  agent.subscribe(() => {});
  await assert.rejects(agent.ready);
  assert.equal(server.requests.length, 0);
  fails = false;
  await agent.load();
  await until(() => server.requests.length === 1 && !agent.getSnapshot().isLoading);
  assert.deepEqual(server.requests.map(contents), [["u1", "a1", "u2", "a2", "q"]]);
  agent.dispose();
});

it("waits for a run that is joined, and then for the thread", async () => {
  const store = createPages();
  const gate = deferred();
  const server = createServer(({ url, body }) => {
    if (url.includes("/runs/"))
      return gate.promise.then(() =>
        answer(sse(started("left"), { type: "TEXT_MESSAGE_CHUNK", messageId: "a", role: "assistant", delta: "whole" }, finished("left")))
      );
    return body?.messages.at(-1)?.id === "p" ? answer(new ReadableStream({})) : undefined;
  });
  const first = create({ persist: store(), resume }, server);
  void first.submit({ message: { id: "p", content: "p" } }).catch(() => {});
  await until(() => server.requests.length === 1);
  void first.submit({ message: { id: "q", content: "q" } }).catch(() => {});
  await until(() => first.getSnapshot().queue.length === 1);
  const saved = first.save();
  const order = [];
  const load = async () => (order.push("loaded"), { messages: [user("p"), said("a", "whole")] });
  const left = createStore({ key: "left", load: async () => saved, save: async () => {}, clear: async () => {} });
  const agent = create({ persist: left, resume, thread: { load } }, server);
  agent.subscribe(() => {});
  await until(() => server.requests.some(({ url }) => url.includes("/runs/")));
  assert.deepEqual([agent.save().queue.map(({ messages }) => messages[0]?.id), agent.save().running], [["q"], true]);
  gate.resolve();
  await agent.ready;
  await until(() => server.requests.at(-1).body?.messages.at(-1).id === "q" && !agent.getSnapshot().isLoading);
  assert.deepEqual(contents(server.requests.at(-1)), ["p", "a", "q"]);
  first.dispose();
  agent.dispose();
});

const partly = (runId) => sse(started(runId), { type: "TEXT_MESSAGE_CHUNK", messageId: "a", role: "assistant", delta: "wh" });
const whole = (runId) => sse(started(runId), { type: "TEXT_MESSAGE_CHUNK", messageId: "a", role: "assistant", delta: "whole" }, finished(runId));

/** A body that has said this, and waits. */
function open(text) {
  let controller;
  const stream = new ReadableStream({ start: (made) => (controller = made).enqueue(new TextEncoder().encode(text)) });
  return { stream, end: (rest) => (controller.enqueue(new TextEncoder().encode(rest)), controller.close()) };
}

it("what a run that is joined says is no edit of the thread that was asked for before", async () => {
  const gate = deferred();
  const server = createServer(({ url, body }) => {
    if (url.includes("/runs/")) return gate.promise.then(() => answer(whole("left")));
    return body && answer(open(partly(body.runId)).stream);
  });
  const first = create({ resume }, server);
  void first.submit({ message: { id: "p", content: "p" }, runId: "left" }).catch(() => {});
  await until(() => first.getSnapshot().messages[1]?.content === "wh");
  const saved = first.save();
  const persist = createStore({ key: "partly", load: async () => saved, save: async () => {}, clear: async () => {} });
  const agent = create({ persist, resume, thread: { load: async () => ({ messages: [user("p"), said("a", "whole")] }) } }, server);
  agent.subscribe(() => {});
  await until(() => server.requests.some(({ url }) => url.includes("/runs/")));
  gate.resolve();
  await agent.ready;
  assert.deepEqual(agent.getSnapshot().messages.map(({ content }) => content), ["p", "whole"]);
  first.dispose();
  agent.dispose();
});

it("a thread that is asked for during a run is asked for once that has ended", async () => {
  const asked = [];
  let body;
  const server = createServer(({ body: given }) => given && answer((body = open(partly(given.runId))).stream));
  const agent = create({
    thread: { load: async () => (asked.push(agent.getSnapshot().isLoading), { messages: asked.length > 1 ? [user("p"), said("a", "whole")] : [] }) },
  }, server);
  await agent.ready;
  const run = agent.submit({ message: { id: "p", content: "p" }, runId: "r" });
  await until(() => agent.getSnapshot().messages[1]?.content === "wh");
  const loaded = agent.load();
  await new Promise(setImmediate);
  body.end(sse({ type: "TEXT_MESSAGE_CHUNK", messageId: "a", delta: "ole" }, finished("r")));
  assert.equal((await run).outcome, "success");
  await loaded;
  assert.deepEqual([asked, agent.getSnapshot().messages.map(({ content }) => content)], [[false, false], ["p", "whole"]]);
  agent.dispose();
});

it("an agent that is disposed of while its thread is opened sends nothing of its queue, and keeps it", async () => {
  const store = createPages();
  const server = createServer();
  await leftWith(store, server, {}, "q");
  const agent = create({ persist: store(), thread: { load: () => new Promise(() => {}) } }, server);
  agent.subscribe(() => {});
  await until(() => agent.getSnapshot().queue.length === 1);
  agent.dispose();
  const next = create({ persist: store(), thread: { load: async () => ({ messages: stored }) } }, server);
  next.subscribe(() => {});
  await until(() => server.requests.length === 1 && !next.getSnapshot().isLoading);
  assert.deepEqual(server.requests.map(contents), [["u1", "a1", "u2", "a2", "q"]]);
  next.dispose();
});

it("stop() gives the opening up, and sends what waits", async () => {
  const store = createPages();
  const server = createServer();
  await leftWith(store, server, {}, "q");
  const agent = create({ persist: store(), thread: { load: () => new Promise(() => {}) } }, server);
  agent.subscribe(() => {});
  await until(() => agent.getSnapshot().queue.length === 1);
  await agent.stop();
  await until(() => server.requests.length === 1 && !agent.getSnapshot().isLoading);
  assert.deepEqual(server.requests.map(contents), [["q"]]);
  agent.dispose();
});

it("stop() while the thread is opened ends no turn: what was approved is executed, and the agent has its result", async () => {
  const store = createPages();
  const call = [{ type: "TOOL_CALL_START", toolCallId: "c", toolCallName: "f", parentMessageId: "a" }, { type: "TOOL_CALL_END", toolCallId: "c" }];
  const server = createServer((
    { body },
  ) => (body.messages.at(-1)?.content === "call" ? answer(sse(started(body.runId), ...call, finished(body.runId))) : undefined));
  const tools = [{ name: "f", description: "f", needsApproval: true, execute: () => "done" }];
  const first = create({ persist: store(), tools }, server);
  await first.submit("call");
  await until(() => first.getSnapshot().toolCalls[0]?.phase === "awaiting-approval");
  first.dispose();
  const agent = create({ persist: store(), tools, thread: { load: () => new Promise(() => {}) } }, server);
  agent.subscribe(() => {});
  await until(() => agent.getSnapshot().toolCalls[0]?.phase === "awaiting-approval" && agent.getSnapshot().thread.status === "loading");
  agent.approve("c");
  await agent.stop();
  await assert.rejects(agent.ready, { kind: "aborted" });
  await until(() => server.requests.length === 2 && !agent.getSnapshot().isLoading);
  assert.equal(server.requests[1].body.messages.at(-1).content, "done");
  assert.deepEqual([agent.getSnapshot().outcome, agent.getSnapshot().thread.status], ["success", "error"]);
  agent.dispose();
});

it("large numbers of a save keep their digits where the thread is opened before its queue", async () => {
  const store = createPages();
  const server = createServer();
  await leftWith(store, server, {}, "q");
  let text = await store().load().then(JSON.stringify);
  text = text.replace('"state":null', '"state":{"n":1.0,"queue":[1],"running":true}').replace('"state":{}', '"state":{"n":1.0,"queue":[1],"running":true}');
  assert.match(text, /"n":1\.0/);
  const agent = create({ restore: JSON.parse(text), thread: { load: async () => ({ messages: stored }) } }, server);
  agent.subscribe(() => {});
  await until(() => server.requests.length === 1 && !agent.getSnapshot().isLoading);
  assert.deepEqual(server.requests[0].body.state, { n: 1, queue: [1], running: true });
  agent.dispose();
});

it("a question after an answer that the server does not have any longer stays, and the answer does not", async () => {
  const pages = [[user("u1"), said("a1")], [user("u1"), said("a2")]];
  const server = createServer(({ body }) => (body ? answer(sse(started(body.runId), finished(body.runId))) : undefined));
  const agent = create({ thread: { load: async () => ({ messages: pages.shift() }) } }, server);
  await agent.ready;
  await agent.submit({ message: { id: "q", content: "q" } });
  await agent.load();
  assert.deepEqual(ids(agent), ["u1", "a2", "q"]);
  agent.dispose();
});
