// Submits before the chunk of the thread is there: shown and saved at once, and sent as they are later.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { until } from "../lib.mjs";
import { create, createServer, ids, said, user } from "./server.mjs";

const stored = [user("u1"), said("a1")];
const contents = (list) => list.map(({ content }) => content);
const sent = ({ requests }) => requests.map(({ body }) => body.messages.map(({ id }) => id));

describe("a submit before the code of stored threads has come", () => {
  it("is shown in the call, and sent once the thread is there", async () => {
    const server = createServer();
    const agent = create({ thread: { load: async () => ({ messages: stored }) } }, server);
    const one = agent.submit({ message: { id: "one", content: "one" } });
    const two = agent.submit({ message: { id: "two", content: "two" }, ifBusy: "reject" });
    assert.deepEqual(ids(agent), ["one", "two"]);
    assert.deepEqual([(await one).outcome, (await two).outcome], ["success", "success"]);
    assert.deepEqual(sent(server), [["u1", "a1", "one"], ["u1", "a1", "one", "one-answer", "two"]]);
    agent.dispose();
  });

  it("is dropped where another one waits, if it says so, and the thread is not loaded", async () => {
    const server = createServer();
    const agent = create({ thread: { send: "new" }, initialMessages: stored }, server);
    const one = agent.submit({ message: { id: "one", content: "one" } });
    assert.equal((await agent.submit({ message: "two", ifBusy: "drop" })).outcome, "dropped");
    await one;
    assert.deepEqual(sent(server), [["one"]]);
    agent.dispose();
  });

  it("waits where it is to steer a run, and none is in progress", async () => {
    const server = createServer();
    const agent = create({ thread: { load: async () => ({ messages: stored }), steer: true } }, server);
    const results = await Promise.all(["one", "two"].map((message) => agent.submit({ message, ifBusy: "steer" })));
    assert.deepEqual(results.map(({ outcome }) => outcome), ["success", "success"]);
    assert.deepEqual(contents(agent.getSnapshot().messages), ["u1", "a1", "one", "answer to one", "two", "answer to two"]);
    agent.dispose();
  });

  it("carries what the thread's options say, also where it has waited in a save", async () => {
    const server = createServer();
    const queue = [{ runId: "r", start: "submit", messages: [user("one")] }];
    const restore = { v: 1, threadId: "t", messages: stored, state: {}, interrupts: [], handled: [], unsent: [], queue };
    const agent = create({ restore, thread: { send: "new" } }, server);
    // Somebody looks, which loads the core in a page.
    globalThis.document = new EventTarget();
    agent.subscribe(() => {});
    await until(() => ids(agent).includes("one-answer"));
    assert.deepEqual(sent(server), [["one"]]);
    agent.dispose();
    delete globalThis.document;
  });
});
