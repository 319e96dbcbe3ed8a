// Sessions of Chio over a socket that stays open: several messages, events that nobody asked for, losses.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { load, until } from "../lib.mjs";
import { agent, chat, done, event, idle, make, overSocket, say, skip, Socket, socketOf, texts, toast } from "./chio-lines.mjs";

const { webSocket, AgentError } = await load("index");

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

  test("is opened anew where it was given up while it was being opened", async () => {
    overSocket();
    const first = agent.connect();
    await until(() => Socket.all.length === 1, "the first socket");
    const left = agent.disconnect();
    const second = agent.connect();
    await assert.rejects(first, { kind: "connection" });
    await left;
    await socketOf(2);
    await second;
    assert.equal(agent.getSnapshot().connection.phase, "open");
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

  test("an agent with a guard can send as soon as it is connected", async () => {
    overSocket({ guard: { restrictedClassifications: [], allowDisplayWithoutCapability: true, inbound: { allowClassifications: ["submit"] } } });
    const connected = agent.connect();
    const socket = await socketOf(1);
    await connected;
    assert.equal(agent.send({ event_type: "form_action", classification: "submit" }).allowed, true);
    assert.equal(agent.send({ event_type: "navigation" }).allowed, false);
    assert.deepEqual(socket.sent.map(({ event_type }) => event_type), ["form_action"]);
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
