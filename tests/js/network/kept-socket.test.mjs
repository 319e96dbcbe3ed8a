// A socket that is kept open for many runs of AG-UI: each answer is the one to its own message, whatever else comes.

import assert from "node:assert/strict";
import { afterEach, describe, it, mock } from "node:test";
import { load, real, until } from "../lib.mjs";
import { Socket } from "../systems/chio-sockets.mjs";

const { createAgent, webSocket } = await load("index");

let agent;
afterEach(() => {
  mock.timers.reset();
  agent.dispose();
  Socket.all = [];
});
const make = (keepOpen = true, more = {}) => (agent = createAgent({
  transport: webSocket({ url: "ws://host/", WebSocket: Socket, keepOpen }),
  threadId: "t",
  notify: "sync",
  retry: { attempts: 3, baseMs: 1, minMs: 0, maxMs: 2 },
  ...more,
}));
const socketOf = async (number) => {
  await until(() => Socket.all.length >= number, `socket ${number}`);
  Socket.all[number - 1].open();
  return Socket.all[number - 1];
};
const sent = (socket, number) => until(() => socket.sent.length === number, `message ${number}`);
const started = (runId) => ({ type: "RUN_STARTED", threadId: "t", runId });
const text = (messageId, delta) => [
  { type: "TEXT_MESSAGE_START", messageId, role: "assistant" },
  { type: "TEXT_MESSAGE_CONTENT", messageId, delta },
  { type: "TEXT_MESSAGE_END", messageId },
];
const finished = (runId) => ({ type: "RUN_FINISHED", threadId: "t", runId });
const run = (runId, words) => [started(runId), ...text(`${runId}-a`, words), finished(runId)];
const submit = (id) => agent.submit({ message: { id, content: id }, runId: id });
const shown = () => agent.getSnapshot().messages.map(({ id, content }) => `${id}: ${content}`);

describe("a socket that is kept open for runs of AG-UI", { skip: !real && "needs the built core" }, () => {
  it("carries a message once the answer to the last one has ended", async () => {
    make();
    const runs = [submit("one"), submit("two")];
    const socket = await socketOf(1);
    await sent(socket, 1);
    socket.give(...run("one", "1").slice(0, -1));
    await until(() => shown().includes("one-a: 1"));
    assert.deepEqual([socket.sent.length, agent.getSnapshot().queue.length], [1, 1]);
    socket.give(finished("one"));
    await sent(socket, 2);
    socket.give(...run("two", "2"));
    assert.deepEqual((await Promise.all(runs)).map(({ outcome }) => outcome), ["success", "success"]);
    assert.deepEqual(shown(), ["one: one", "one-a: 1", "two: two", "two-a: 2"]);
  });

  it("carries a run that nobody has asked for beside a message: both are read, and a submit that waits gets its own answer", async () => {
    make();
    const runs = [submit("one"), submit("two")];
    const socket = await socketOf(1);
    await sent(socket, 1);
    socket.give(...run("news", "0"), ...run("one", "1"));
    assert.equal((await runs[0]).outcome, "success");
    assert.ok(shown().includes("one-a: 1"), "it has its answer");
    await sent(socket, 2);
    socket.give(...run("more", "3"), ...run("two", "2"));
    assert.equal((await runs[1]).outcome, "success");
    await until(() => shown().includes("more-a: 3"));
    assert.deepEqual(shown().sort(), ["more-a: 3", "news-a: 0", "one-a: 1", "one: one", "two-a: 2", "two: two"]);
  });

  it("has answers of a server that names runs itself", async () => {
    make({ idleMs: 20 });
    const first = submit("one");
    const socket = await socketOf(1);
    await sent(socket, 1);
    socket.give(...run("its own", "1"));
    assert.equal((await first).outcome, "success");
    const second = submit("two");
    await sent(socket, 2);
    socket.give(started("its second"), ...text("b", "2"));
    await until(() => shown().includes("b: 2"));
    socket.give(finished("its second"));
    assert.equal((await second).outcome, "success");
    assert.deepEqual(shown(), ["one: one", "its own-a: 1", "two: two", "b: 2"]);
  });

  it("takes no run for an answer that has come before the message was sent", async (test) => {
    mock.timers.enable({ apis: ["setTimeout", "Date"] });
    test.mock.method(performance, "now", () => Date.now());
    make({ idleMs: 50 });
    const outcomes = [];
    for (const id of ["one", "two"]) void submit(id).then(({ outcome }) => outcomes.push(outcome));
    const socket = await socketOf(1);
    await sent(socket, 1);
    socket.give(...run("news", "0"));
    socket.lose();
    await until(() => (mock.timers.tick(1), Socket.all.length > 1));
    const other = await socketOf(2);
    await until(() => (mock.timers.tick(1), other.sent.length > 0));
    for (let ms = 0; ms < 100; ms += 50) {
      await new Promise(setImmediate);
      mock.timers.tick(50);
    }
    other.give(...run("two", "2"));
    await until(() => outcomes.length > 1 && shown().includes("news-a: 0"));
    assert.deepEqual([outcomes, shown()], [["error", "success"], ["one: one", "two: two", "two-a: 2", "news-a: 0"]]);
  });

  it("is opened anew after a run that is silent for too long, and what comes late stands in no other answer", async () => {
    make({ waitMs: 20 });
    const first = submit("one");
    const socket = await socketOf(1);
    await sent(socket, 1);
    socket.give(started("one"), text("a", "1")[0]);
    assert.equal((await first).outcome, "truncated");
    assert.equal(socket.readyState, 3);
    const second = submit("two");
    const other = await socketOf(2);
    await sent(other, 1);
    other.give(...run("two", "2"));
    assert.equal((await second).outcome, "success");
  });

  it("gives a run that is joined no event twice", async () => {
    make({ idleMs: 20 }, { resume: { by: "socket-cursor", path: "seq" } });
    const first = submit("one");
    const socket = await socketOf(1);
    await sent(socket, 1);
    const events = run("one", "1").map((event, seq) => ({ ...event, seq }));
    socket.give(...events.slice(0, 2));
    const other = await socketOf(2);
    socket.onmessage({ data: JSON.stringify(events[2]) });
    await sent(other, 1);
    other.give(...events.slice(1 + other.sent[0].forwardedProps.lastSeenEventId));
    assert.equal((await first).outcome, "success");
    assert.deepEqual(shown(), ["one: one", "one-a: 1"]);
  });
});
