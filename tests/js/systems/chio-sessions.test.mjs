// Sessions of Chio that stay open: several messages over one socket or source, events that nobody asked for, losses.

import assert from "node:assert/strict";
import { afterEach, describe, test } from "node:test";
import { collected, sweep, swept } from "../garbage.mjs";
import { load, real, until } from "../lib.mjs";
import { threadWorker } from "../thread.mjs";

const { createAgent, eventSource, webSocket, AgentError } = await load("index");
const skip = !real && "needs the built core";

/** A socket in the test's hands. */
class Socket {
  static all = [];
  readyState = 0;
  sent = [];
  constructor(url) {
    this.url = url;
    Socket.all.push(this);
  }
  open() {
    this.readyState = 1;
    this.onopen();
  }
  send(text) {
    this.sent.push(JSON.parse(text));
  }
  give(...events) {
    for (const event of events) this.onmessage({ data: JSON.stringify(event) });
  }
  /** The server, or the network, closes it. */
  lose(code = 1006) {
    this.readyState = 3;
    this.onclose({ code, reason: "" });
  }
  close() {
    this.readyState = 3;
  }
}

/** A source in the test's hands, which is opened again by itself as the platform's is. */
class Source extends EventTarget {
  static all = [];
  readyState = 0;
  constructor(url) {
    super();
    this.url = url;
    Source.all.push(this);
  }
  open() {
    this.readyState = 1;
    this.onopen();
  }
  give(...events) {
    for (const event of events) this.dispatchEvent(Object.assign(new Event("message"), { data: JSON.stringify(event), lastEventId: this.marks ? event.event_id : "" }));
  }
  lose(closed = false) {
    this.readyState = closed ? 2 : 0;
    this.onerror({});
  }
  close() {
    this.readyState = 2;
  }
}

let count = 0;
const event = (event_type, classification, more) => ({ event_id: `e${++count}`, timestamp: 1744993921, agent_id: "a", session_id: "s1", event_type, classification, ...more });
const chat = { component_type: "chat-window", component_id: "main" };
const say = (text) => event("text_stream", "display", { target: chat, payload: { text } });
const done = () => event("lifecycle", "destroy", { target: chat, payload: { action: "closed" } });
const toast = () => event("notification", "alert", { target: { component_type: "toast" }, payload: { title: "Hi" } });

let agent;
afterEach(() => {
  agent?.dispose();
  Socket.all = [];
  Source.all = [];
});

const fast = { attempts: 3, baseMs: 1, minMs: 0, maxMs: 2 };
const make = (transport, more = {}) => {
  const heard = { finish: [], errors: [], warnings: [], custom: [] };
  agent = createAgent({
    transport,
    dialect: "chio",
    threadId: "s1",
    notify: "sync",
    retry: fast,
    onFinish: ({ outcome }) => heard.finish.push(outcome),
    onError: ({ kind }) => heard.errors.push(kind),
    onWarning: ({ code }) => heard.warnings.push(code),
    ...more,
  });
  agent.on("custom", ({ name }) => heard.custom.push(name));
  return heard;
};
const overSocket = (more, keepOpen = true) => make(webSocket({ url: "wss://host/ag-ui?session=s1", WebSocket: Socket, keepOpen }), more);
const socketOf = async (number) => {
  await until(() => Socket.all.length >= number, `socket ${number}`);
  const socket = Socket.all[number - 1];
  socket.open();
  return socket;
};
const texts = () => agent.getSnapshot().messages.map(({ role, content }) => `${role}: ${content}`);
const idle = () => until(() => !agent.getSnapshot().isLoading, "an idle agent");

describe("one socket", { skip }, () => {
  test("carries three messages and their answers, each a message of its own", async () => {
    const heard = overSocket();
    const first = agent.submit("one");
    const socket = await socketOf(1);
    await until(() => socket.sent.length === 1, "the first message");
    socket.give(say("A"), say("B"));
    await until(() => texts().at(-1) === "assistant: AB", "the first answer");
    assert.equal(agent.getSnapshot().isLoading, true);
    socket.give(done());
    assert.equal((await first).outcome, "success");
    assert.equal(agent.getSnapshot().isLoading, false, "between two answers");
    assert.equal(agent.getSnapshot().connection.phase, "open");

    for (const [i, word] of ["two", "three"].entries()) {
      const run = agent.submit(word);
      await until(() => socket.sent.length === i + 2, `the message ${word}`);
      assert.equal(agent.getSnapshot().isLoading, true);
      socket.give(say(`to ${word}`), done());
      assert.equal((await run).outcome, "success");
    }
    assert.deepEqual(texts(), ["user: one", "assistant: AB", "user: two", "assistant: to two", "user: three", "assistant: to three"]);
    assert.deepEqual(socket.sent.map(({ payload }) => payload.text), ["one", "two", "three"]);
    assert.deepEqual([Socket.all.length, heard.finish, heard.errors, heard.warnings], [1, ["success", "success", "success"], [], []]);
  });

  test("a second message is sent at once while the first is answered, and begins another answer", async () => {
    overSocket();
    const first = agent.submit("one");
    const socket = await socketOf(1);
    await until(() => socket.sent.length === 1, "the first message");
    socket.give(say("half"));
    await until(() => texts().length === 2, "a part of the answer");
    const second = agent.submit("two");
    await until(() => socket.sent.length === 2, "the second message");
    assert.equal((await first).outcome, "success");
    socket.give(say("whole"), done());
    assert.equal((await second).outcome, "success");
    assert.deepEqual(texts(), ["user: one", "assistant: half", "user: two", "assistant: whole"]);
  });

  test("messages that come before the socket is open are all sent, in order", async () => {
    overSocket();
    const runs = ["one", "two", "three"].map((text) => agent.submit(text));
    const socket = await socketOf(1);
    await until(() => socket.sent.length === 3, "three messages");
    socket.give(say("to all"), done());
    assert.deepEqual((await Promise.all(runs)).map(({ outcome }) => outcome), ["success", "success", "success"]);
    assert.equal(texts().at(-1), "assistant: to all");
  });

  test("ifBusy says otherwise: queue waits for the end of the answer, drop and reject send nothing", async () => {
    overSocket();
    void agent.submit("one");
    const socket = await socketOf(1);
    await until(() => socket.sent.length === 1, "the first message");
    socket.give(say("half"));
    await until(() => texts().length === 2, "a part of the answer");
    assert.equal((await agent.submit({ message: "no", ifBusy: "drop" })).outcome, "dropped");
    await assert.rejects(agent.submit({ message: "no", ifBusy: "reject" }), (error) => error.code === "busy");
    const queued = agent.submit({ message: "later", ifBusy: "queue" });
    assert.equal(agent.getSnapshot().queue.length, 1);
    assert.equal(socket.sent.length, 1);
    socket.give(done());
    await until(() => socket.sent.length === 2, "the queued message");
    socket.give(say("x"), done());
    assert.equal((await queued).outcome, "success");
  });

  test("an answer ends with a pause, too, and text after it goes on with the message", async () => {
    const heard = overSocket({}, { idleMs: 20 });
    const run = agent.submit("one");
    const socket = await socketOf(1);
    await until(() => socket.sent.length === 1, "the message");
    socket.give(say("Let me see. "));
    assert.equal((await run).outcome, "success");
    assert.equal(agent.getSnapshot().isLoading, false);
    socket.give(say("Here it is."));
    await until(() => texts().at(-1) === "assistant: Let me see. Here it is.", "the rest");
    await idle();
    const second = agent.submit("two");
    await until(() => socket.sent.length === 2, "the second message");
    socket.give(say("Another."));
    await second;
    assert.deepEqual(texts(), ["user: one", "assistant: Let me see. Here it is.", "user: two", "assistant: Another."]);
    assert.deepEqual(heard.finish, ["success", "success", "success"]);
  });

  test("the application may say by which event an answer ends", async () => {
    overSocket({}, { answerEnds: ({ payload }) => payload?.last === true });
    const run = agent.submit("one");
    const socket = await socketOf(1);
    await until(() => socket.sent.length === 1, "the message");
    socket.give(say("A"), done(), event("text_stream", "display", { target: chat, payload: { text: "B", last: true } }));
    assert.equal((await run).outcome, "success");
    assert.equal(texts().at(-1), "assistant: AB");
  });

  test("what ends another component ends no answer", async () => {
    overSocket();
    const run = agent.submit("one");
    const socket = await socketOf(1);
    await until(() => socket.sent.length === 1, "the message");
    const other = event("lifecycle", "destroy", { target: { component_type: "toast" }, payload: { action: "closed" } });
    socket.give(say("A"), other, say("B"));
    await until(() => texts().at(-1) === "assistant: AB", "both");
    assert.equal(agent.getSnapshot().isLoading, true);
    socket.give(event("lifecycle", "mutate", { payload: { action: "finished" } }));
    assert.equal((await run).outcome, "success");
  });

  test("events that nobody asked for are shown, and an alert does not make the agent busy for long", async () => {
    const heard = overSocket();
    const run = agent.submit("one");
    const socket = await socketOf(1);
    await until(() => socket.sent.length === 1, "the message");
    socket.give(say("A"), done());
    await run;
    socket.give(toast());
    await until(() => heard.custom.includes("chio.notification"), "the alert");
    await idle();
    assert.deepEqual(heard.finish, ["success"], "an alert is no answer");
    socket.give(say("By the way"), done());
    await until(() => texts().at(-1) === "assistant: By the way", "what the agent says by itself");
    await idle();
    assert.equal(socket.sent.length, 1, "nothing was sent for it");
    assert.deepEqual(texts(), ["user: one", "assistant: A", "assistant: By the way"]);
  });

  test("send works during an answer and between two", async () => {
    overSocket();
    const run = agent.submit("one");
    const socket = await socketOf(1);
    await until(() => socket.sent.length === 1, "the message");
    const form = { event_type: "form_action", payload: { ok: true } };
    assert.equal(agent.send(form).allowed, true);
    socket.give(say("A"), done());
    await run;
    assert.equal(agent.send(form).allowed, true);
    assert.deepEqual(socket.sent.slice(1), [form, form]);
    await agent.disconnect();
    assert.throws(() => agent.send(form), (error) => AgentError.is(error) && error.code === "not-sent");
  });
});

describe("listening", { skip }, () => {
  test("connect() opens the socket without a message, and shows what comes", async () => {
    overSocket();
    const connected = agent.connect();
    const socket = await socketOf(1);
    await connected;
    assert.deepEqual([agent.getSnapshot().connection.phase, agent.getSnapshot().isLoading], ["open", false]);
    assert.deepEqual(socket.sent, []);
    socket.give(say("Welcome"), done());
    await until(() => texts().length === 1, "what the agent says");
    await idle();
    const run = agent.submit("hello");
    await until(() => socket.sent.length === 1, "the message");
    socket.give(say("Hi"), done());
    await run;
    assert.deepEqual(texts(), ["assistant: Welcome", "user: hello", "assistant: Hi"]);
    await agent.disconnect();
    assert.deepEqual([socket.readyState, agent.getSnapshot().connection.phase], [3, "closed"]);
  });

  test("what a blocked inbound rule keeps back does not keep back what comes", async () => {
    overSocket({ guard: { restrictedClassifications: [], allowDisplayWithoutCapability: true, inbound: { allowClassifications: [] } } });
    const connected = agent.connect();
    const socket = await socketOf(1);
    await connected;
    assert.equal((await agent.submit("hello")).error.code, "guard");
    socket.give(say("I speak all the same"), done());
    await until(() => texts().at(-1) === "assistant: I speak all the same", "the agent");
  });

  test("other transports say that they cannot", async () => {
    make(webSocket({ url: "wss://host/", WebSocket: Socket }));
    await assert.rejects(agent.connect(), (error) => AgentError.is(error) && error.code === "keep-open");
  });

  test("a server that cannot be reached is tried as often as retry says, then connect rejects", async () => {
    overSocket();
    const connected = agent.connect();
    for (let number = 1; number <= 4; number++) {
      await until(() => Socket.all.length >= number, `attempt ${number}`);
      Socket.all[number - 1].lose();
    }
    await assert.rejects(connected, (error) => AgentError.is(error) && error.kind === "connection" && error.retryable);
    assert.equal(agent.getSnapshot().connection.phase, "closed");
    assert.equal(Socket.all.length, 4);
  });
});

describe("a lost connection", { skip }, () => {
  test("during an answer truncates it, and the next answer comes over another socket", async () => {
    const heard = overSocket();
    const run = agent.submit("one");
    const socket = await socketOf(1);
    await until(() => socket.sent.length === 1, "the message");
    socket.give(say("half"));
    await until(() => texts().length === 2, "a part of the answer");
    socket.lose();
    const { outcome, error } = await run;
    assert.deepEqual([outcome, error.retryable], ["truncated", true]);
    const other = await socketOf(2);
    await until(() => agent.getSnapshot().connection.phase === "open", "another socket");
    assert.deepEqual(other.sent, [], "nothing is sent again by itself");
    const second = agent.submit("two");
    await until(() => other.sent.length === 1, "the second message");
    other.give(say("whole"), done());
    assert.equal((await second).outcome, "success");
    assert.deepEqual(texts(), ["user: one", "assistant: half", "user: two", "assistant: whole"]);
    assert.deepEqual(heard.errors, ["connection"]);
  });

  test("between two answers is opened again, and what was a success stays one", async () => {
    const heard = overSocket();
    const run = agent.submit("one");
    const socket = await socketOf(1);
    await until(() => socket.sent.length === 1, "the message");
    socket.give(say("A"), done());
    await run;
    const phases = [];
    agent.subscribe(() => phases.push(agent.getSnapshot().connection.phase));
    socket.lose();
    const other = await socketOf(2);
    await until(() => agent.getSnapshot().connection.phase === "open", "another socket");
    assert.ok(phases.includes("reconnecting"));
    assert.deepEqual([agent.getSnapshot().outcome, agent.getSnapshot().error, heard.errors], ["success", undefined, []]);
    other.give(say("B"), done());
    await until(() => texts().at(-1) === "assistant: B", "what comes over it");
  });

  test("that cannot be opened again is an error, and the next message opens another", async () => {
    const heard = overSocket();
    const run = agent.submit("one");
    const socket = await socketOf(1);
    await until(() => socket.sent.length === 1, "the message");
    socket.give(say("A"), done());
    await run;
    socket.lose();
    for (let number = 2; heard.errors.length === 0; number++) {
      await until(() => Socket.all.length >= number || heard.errors.length, `attempt ${number}`);
      Socket.all[number - 1]?.lose();
    }
    assert.deepEqual([heard.errors, agent.getSnapshot().connection.phase], [["connection"], "closed"]);
    const tried = Socket.all.length;
    const second = agent.submit("two");
    const other = await socketOf(tried + 1);
    await until(() => other.sent.length === 1, "the second message");
    other.give(say("B"), done());
    assert.equal((await second).outcome, "success");
  });

  test("retry: false opens nothing by itself", async () => {
    const heard = overSocket({ retry: false });
    const run = agent.submit("one");
    const socket = await socketOf(1);
    await until(() => socket.sent.length === 1, "the message");
    socket.give(say("A"), done());
    await run;
    socket.lose();
    await until(() => heard.errors.length === 1, "an error");
    assert.deepEqual([heard.errors, agent.getSnapshot().connection.phase, Socket.all.length], [["connection"], "closed", 1]);
  });

  test("that the server closes in good order ends the answer and the session", async () => {
    const heard = overSocket();
    const run = agent.submit("one");
    const socket = await socketOf(1);
    await until(() => socket.sent.length === 1, "the message");
    socket.give(say("A"));
    socket.lose(1000);
    assert.equal((await run).outcome, "success");
    await until(() => agent.getSnapshot().connection.phase === "closed", "a closed connection");
    assert.deepEqual([heard.errors, Socket.all.length], [[], 1]);
  });

  test("for credentials is an error of kind auth", async () => {
    const heard = overSocket();
    const run = agent.submit("one");
    const socket = await socketOf(1);
    await until(() => socket.sent.length === 1, "the message");
    socket.give(say("A"));
    await until(() => texts().length === 2, "a part");
    socket.lose(4401);
    const { outcome, error } = await run;
    assert.deepEqual([outcome, error.kind], ["truncated", "auth"]);
    assert.deepEqual(heard.errors, ["auth"]);
  });
});

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
    const persist = { load: async () => kept, save: async (saved) => void (kept = saved), clear: async () => void (kept = undefined) };
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

describe("one source, with submitUrl", { skip }, () => {
  const overSource = (more = {}, keepOpen = true) => {
    const posted = [];
    const status = { value: 200 };
    const fetch = async (url, { body }) => (posted.push([url, JSON.parse(body)]), new Response("", { status: status.value }));
    const heard = make(eventSource({ url: "/ag-ui/stream?session=s1", submitUrl: "/ag-ui/submit", EventSource: Source, fetch, keepOpen }), more);
    return { ...heard, posted, status };
  };
  const sourceOf = async (number) => {
    await until(() => Source.all.length >= number, `source ${number}`);
    const source = Source.all[number - 1];
    source.open();
    return source;
  };

  test("carries three messages, each posted at once", async () => {
    const { posted } = overSource();
    const first = agent.submit("one");
    const source = await sourceOf(1);
    await until(() => posted.length === 1, "the first message");
    source.give(say("A"), done());
    assert.equal((await first).outcome, "success");
    const second = agent.submit("two");
    await until(() => posted.length === 2, "the second message");
    source.give(say("B"));
    await until(() => texts().at(-1) === "assistant: B", "a part");
    const third = agent.submit("three");
    await until(() => posted.length === 3, "the third message");
    assert.equal((await second).outcome, "success");
    source.give(say("C"), done());
    assert.equal((await third).outcome, "success");
    assert.deepEqual(texts(), ["user: one", "assistant: A", "user: two", "assistant: B", "user: three", "assistant: C"]);
    assert.deepEqual([Source.all.length, source.url], [1, "/ag-ui/stream?session=s1"]);
    const form = { event_type: "form_action", payload: { ok: true } };
    agent.send(form);
    await until(() => posted.length === 4, "what is sent");
    assert.deepEqual(posted[3], ["/ag-ui/submit", form]);
  });

  test("a message that the server refuses is an error, and the source stays", async () => {
    const { posted, status, warnings } = overSource();
    status.value = 500;
    const run = agent.submit("one");
    const source = await sourceOf(1);
    const { outcome, error } = await run;
    assert.deepEqual([outcome, error.kind, error.status], ["error", "http", 500]);
    agent.send({ event_type: "form_action", payload: {} });
    await until(() => warnings.includes("send-failed"), "a warning");
    status.value = 200;
    const second = agent.submit("two");
    await until(() => posted.length === 3, "the second message");
    source.give(say("B"), done());
    assert.equal((await second).outcome, "success");
    assert.equal(Source.all.length, 1);
  });

  test("that is lost without ids truncates the answer; the platform opens it again", async () => {
    const { posted } = overSource();
    const run = agent.submit("one");
    const source = await sourceOf(1);
    await until(() => posted.length === 1, "the message");
    source.give(say("half"));
    await until(() => texts().length === 2, "a part");
    source.lose();
    assert.equal((await run).outcome, "truncated");
    assert.equal(agent.getSnapshot().connection.phase, "reconnecting");
    source.open();
    assert.equal(agent.getSnapshot().connection.phase, "open");
    source.give(say("later"), done());
    await until(() => texts().at(-1) === "assistant: later", "what comes then");
    assert.equal(Source.all.length, 1);
  });

  test("that is lost with ids goes on where it was", async () => {
    const { posted } = overSource();
    const run = agent.submit("one");
    const source = await sourceOf(1);
    source.marks = true;
    await until(() => posted.length === 1, "the message");
    source.give(say("half "));
    await until(() => texts().length === 2, "a part");
    source.lose();
    source.open();
    source.give(say("whole"), done());
    assert.equal((await run).outcome, "success");
    assert.equal(texts().at(-1), "assistant: half whole");
  });

  test("that is closed for good is opened anew by our rules", async () => {
    overSource();
    const connected = agent.connect();
    const source = await sourceOf(1);
    await connected;
    source.marks = true;
    const told = say("A");
    source.give(told, done());
    await until(() => texts().length === 1, "a message");
    source.lose(true);
    const other = await sourceOf(2);
    assert.match(other.url, /session=s1&lastEventId=e\d+$/);
    other.give(say("B"), done());
    await until(() => texts().at(-1) === "assistant: B", "what comes over it");
  });

  test("without keepOpen, send posts during a run", async () => {
    const posted = [];
    const fetch = async (url, { body }) => (posted.push(JSON.parse(body)), new Response(""));
    make(eventSource({ url: "/stream", submitUrl: "/submit", EventSource: Source, fetch }));
    const form = { event_type: "form_action", payload: { ok: true } };
    void agent.submit("one");
    const source = await sourceOf(1);
    await until(() => posted.length === 1, "the message");
    source.give(say("A"));
    await until(() => texts().length === 2, "a part");
    agent.send(form);
    await until(() => posted.length === 2, "what is sent");
    assert.deepEqual(posted[1], form);
    await agent.stop();
    assert.throws(() => agent.send(form), (error) => error.code === "not-sent");
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
    overSocket({}, { answerEnds: ({ event_type }) => { if (event_type === "error") throw new Error("mine"); return event_type === "lifecycle"; } });
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
    for (const data of ["", "[]", "null", "7", '"x"', "{", "{}", '{"event_type":7}', '{"event_type":"lifecycle","payload":null,"target":[]}', '{"type":"RUN_FINISHE']) socket.onmessage({ data });
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
    agent = createInWorker({
      transport: webSocket({ url: "wss://host/", WebSocket: Socket, keepOpen: true }),
      dialect: "chio",
      threadId: "s1",
      notify: "microtask",
      worker: () => (worker = threadWorker("worker-full.js")),
    });
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
