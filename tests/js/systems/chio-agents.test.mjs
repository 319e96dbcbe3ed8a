// Sessions of Chio together with the rest of an agent: its queue, its worker, its end, and what it sends.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { collected, sweep, swept } from "../garbage.mjs";
import { load, storeOf, until } from "../lib.mjs";
import { threadWorker } from "../thread.mjs";
import { adopt, agent, done, event, fast, make, overSocket, say, skip, Socket, socketOf, Source, texts } from "./chio-lines.mjs";

const { createAgent, eventSource, webSocket } = await load("index");

describe("in combination", { skip }, () => {
  test("stop ends the answer and its connection; nothing of it comes later, and another is opened", async () => {
    overSocket();
    const run = agent.submit("one");
    const socket = await socketOf(1);
    await until(() => socket.sent.length === 1, "the message");
    socket.give(say("half"));
    await until(() => texts().length === 2, "a part");
    await agent.stop();
    assert.equal((await run).outcome, "aborted");
    assert.equal(socket.readyState, 3);
    socket.give(say(" more"));
    const other = await socketOf(2);
    const second = agent.submit("two");
    await until(() => other.sent.length === 1, "the second message");
    other.give(say("B"), done());
    assert.equal((await second).outcome, "success");
    assert.deepEqual(texts(), ["user: one", "assistant: half", "user: two", "assistant: B"]);
  });

  test("dispose closes the socket, during an answer and between two", async () => {
    for (const answered of [false, true]) {
      overSocket();
      const run = agent.submit("one");
      const socket = await socketOf(answered ? 2 : 1);
      await until(() => socket.sent.length === 1, "the message");
      socket.give(say("A"), ...(answered ? [done()] : []));
      if (answered) await run;
      agent.dispose();
      assert.equal((await run).outcome, answered ? "success" : "aborted");
      assert.equal(socket.readyState, 3);
      assert.equal(Socket.all.length, answered ? 2 : 1);
    }
  });

  test("a page that is loaded anew listens again, with the messages that it had", async () => {
    let kept;
    const persist = storeOf({ load: async () => kept, save: async (saved) => void (kept = saved), clear: async () => void (kept = undefined) });
    overSocket({ persist });
    const run = agent.submit("one");
    const socket = await socketOf(1);
    await until(() => socket.sent.length === 1, "the message");
    socket.give(say("A"), done());
    await run;
    await until(() => JSON.stringify(kept ?? null).includes('"A"'), "the save");
    agent.dispose();
    overSocket({ persist });
    const connected = agent.connect();
    const other = await socketOf(2);
    await connected;
    assert.deepEqual(texts(), ["user: one", "assistant: A"]);
    other.give(say("Welcome back"), done());
    await until(() => texts().length === 3, "what the agent says");
    assert.equal(new Set(agent.getSnapshot().messages.map(({ id }) => id)).size, 3);
    assert.deepEqual(other.sent, []);
  });

  test("a message while the connection is lost opens it at once", async () => {
    overSocket({ retry: { ...fast, baseMs: 60_000, minMs: 60_000, maxMs: 60_000 } });
    const connected = agent.connect();
    const socket = await socketOf(1);
    await connected;
    socket.lose();
    await until(() => agent.getSnapshot().connection.phase === "reconnecting", "the loss");
    const run = agent.submit("one");
    const other = await socketOf(2);
    await until(() => other.sent.length === 1, "the message");
    other.give(say("A"), done());
    assert.equal((await run).outcome, "success");
  });

  test("an abort signal stops one answer", async () => {
    overSocket();
    const controller = new AbortController();
    const run = agent.submit({ message: "one", signal: controller.signal });
    const socket = await socketOf(1);
    await until(() => socket.sent.length === 1, "the message");
    controller.abort();
    assert.equal((await run).outcome, "aborted");
  });
});

describe("agents", { skip }, () => {
  test("a transport that is made anew with every render keeps the connection, and opens the next one", async () => {
    const render = (number) => ({ transport: webSocket({ url: `wss://host/${number}`, WebSocket: Socket, keepOpen: true }), dialect: "chio", retry: fast });
    overSocket();
    const run = agent.submit("one");
    const socket = await socketOf(1);
    await until(() => socket.sent.length === 1, "the message");
    agent.setOptions(render(1));
    socket.give(say("A"), done());
    assert.equal((await run).outcome, "success");
    agent.setOptions(render(2));
    agent.send({ event_type: "form_action", payload: {} });
    assert.equal(socket.sent.length, 2);
    socket.lose();
    const other = await socketOf(2);
    assert.equal(other.url, "wss://host/2");
  });

  test("an answerEnds that throws ends nothing and is reported", async (t) => {
    const reported = [];
    t.mock.method(console, "error", (error) => reported.push(error.message));
    const before = globalThis.reportError;
    globalThis.reportError = (error) => reported.push(error.message);
    overSocket({}, {
      answerEnds: ({ event_type }) => {
        if (event_type === "error") throw new Error("mine");
        return event_type === "lifecycle";
      },
    });
    const run = agent.submit("one");
    const socket = await socketOf(1);
    await until(() => socket.sent.length === 1, "the message");
    socket.give(event("error", "alert", { payload: {} }), say("A"), done());
    assert.equal((await run).outcome, "success");
    assert.equal(texts().at(-1), "assistant: A");
    assert.deepEqual(reported, ["mine"]);
    globalThis.reportError = before;
  });

  test("frames that are no events are warnings, and the session goes on", async () => {
    const heard = overSocket();
    const run = agent.submit("one");
    const socket = await socketOf(1);
    await until(() => socket.sent.length === 1, "the message");
    for (const data of [
      "",
      "[]",
      "null",
      "7",
      '"x"',
      "{",
      "{}",
      '{"event_type":7}',
      '{"event_type":"lifecycle","payload":null,"target":[]}',
      '{"type":"RUN_FINISHE',
    ]) socket.onmessage({ data });
    socket.give(say("A"), done());
    assert.equal((await run).outcome, "success");
    assert.equal(texts().at(-1), "assistant: A");
    assert.ok(heard.warnings.includes("chio-frame-unknown"), heard.warnings.join());
    assert.equal(Socket.all.length, 1);
  });

  test("events that wait beyond bufferBytes are an error of kind limit, and the connection is opened anew", async () => {
    const heard = overSocket({}, { bufferBytes: 100 });
    const connected = agent.connect();
    const socket = await socketOf(1);
    await connected;
    socket.give(say("A".repeat(100)));
    const other = await socketOf(2);
    assert.deepEqual(heard.errors, ["limit"]);
    assert.equal(socket.readyState, 3);
    const run = agent.submit("one");
    await until(() => other.sent.length === 1, "the message");
    other.give(say("B".repeat(100)), done());
    assert.equal((await run).outcome, "success", "what a run takes does not wait");
  });

  test("one in a worker has the same sessions", async () => {
    const { createAgent: createInWorker } = await load("worker");
    let worker;
    adopt(
      createInWorker({
        transport: webSocket({ url: "wss://host/", WebSocket: Socket, keepOpen: true }),
        dialect: "chio",
        threadId: "s1",
        notify: "microtask",
        worker: () => (worker = threadWorker("worker-full.js")),
      }),
    );
    const connected = agent.connect();
    const socket = await socketOf(1);
    await connected;
    socket.give(say("Welcome"), done());
    await until(() => texts().length === 1, "what the agent says");
    for (const [i, text] of ["one", "two"].entries()) {
      const run = agent.submit(text);
      await until(() => socket.sent.length === i + 1, `the message ${text}`);
      socket.give(say(`to ${text}`), done());
      assert.equal((await run).outcome, "success");
    }
    assert.deepEqual(texts(), ["assistant: Welcome", "user: one", "assistant: to one", "user: two", "assistant: to two"]);
    assert.equal(Socket.all.length, 1);
    agent.dispose();
    worker?.terminate?.();
  });
});

describe("an agent that nobody holds", { skip }, () => {
  const open = async (watch, listens) => {
    const made = createAgent({ transport: webSocket({ url: "wss://host/", WebSocket: Socket, keepOpen: true }), dialect: "chio", notify: "sync" });
    watch(made);
    const connected = listens ? made.connect() : made.submit("one");
    const socket = await socketOf(1);
    if (!listens) {
      await until(() => socket.sent.length === 1, "the message");
      socket.give(say("A"), done());
    }
    await connected;
  };
  test("closes the connection that a message has opened, and is collected", async () => {
    const { watch, gone } = collected();
    await open(watch, false);
    await swept(() => gone() === 1);
    await until(() => Socket.all[0].readyState === 3, "a closed socket");
  });
  test("goes on listening after connect()", async () => {
    const { watch, gone } = collected();
    let held;
    await open((made) => (watch(made), (held = new WeakRef(made))), true);
    await sweep();
    assert.deepEqual([gone(), Socket.all[0].readyState], [0, 1]);
    await held.deref().disconnect();
    // The socket has the error that it was closed with, whose stack holds what has called.
    Socket.all = [];
    await swept(() => gone() === 1);
  });
});

describe("what is sent", { skip }, () => {
  const over = (submitUrl, fetch) => make(eventSource({ url: "/stream", submitUrl, EventSource: Source, fetch, keepOpen: true }));
  const opened = async () => {
    await until(() => Source.all.length === 1, "a source");
    Source.all[0].open();
    return Source.all[0];
  };
  test("a message whose request fails ends its run with an error, and the source stays", async () => {
    let fails = true;
    over("/submit", async () => {
      if (fails) throw new TypeError("no network");
      return new Response("");
    });
    const run = agent.submit("one");
    const source = await opened();
    const { outcome, error } = await run;
    assert.deepEqual([outcome, error.kind, error.retryable], ["error", "connection", true]);
    fails = false;
    const second = agent.submit("two");
    await until(() => agent.getSnapshot().isLoading, "a run");
    await until(() => agent.getSnapshot().messages.length === 2, "the message");
    await new Promise((resolve) => setImmediate(resolve));
    source.give(say("B"), done());
    assert.equal((await second).outcome, "success");
    assert.equal(Source.all.length, 1);
  });
  test("without submitUrl nothing is posted: submit listens, and send says so", async () => {
    over(undefined, async () => assert.fail("nothing is posted"));
    const run = agent.submit("one");
    const source = await opened();
    assert.throws(() => agent.send({ event_type: "form_action", payload: {} }), (error) => error.code === "not-sent");
    source.give(say("A"), done());
    assert.equal((await run).outcome, "success");
  });
});
