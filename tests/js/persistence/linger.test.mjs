// The time that a run takes after the last component of its thread is unmounted: `saving.linger`.

import assert from "node:assert/strict";
import { describe, it, mock } from "node:test";
import { deferred, load, real, storeOf, until } from "../lib.mjs";
import { agents, memory, texts, turn } from "./over-stores.mjs";

describe("saving.linger", { skip: !real }, () => {
  /** A component of a thread at a server whose requests are answered by the test. */
  async function component(store, saving, requests = [], more = {}) {
    const { createMountedAgent } = await load("agent/mounted");
    const fetch = async (_, { body, signal }) => {
      let controller;
      const stream = new ReadableStream({ start: (made) => void (controller = made) });
      const request = { input: JSON.parse(body), aborted: false };
      request.say = (...events) => {
        const { threadId, runId } = request.input;
        for (const event of events) controller.enqueue(new TextEncoder().encode(`data: ${JSON.stringify({ threadId, runId, ...event })}\n\n`));
      };
      request.end = () => (request.say({ type: "RUN_FINISHED" }), controller.close());
      signal?.addEventListener("abort", () => ((request.aborted = true), controller.error(new Error("aborted"))));
      requests.push(request);
      return new Response(stream, { headers: { "content-type": "text/event-stream" } });
    };
    const agent = createMountedAgent({ url: "http://agent/", threadId: "t", notify: "sync", persist: store, saving, fetch, ...more });
    agents.push(agent);
    return { agent, requests, unmount: agent.subscribe(() => {}) };
  }

  /** The same in the middle of an answer. */
  async function answering(store, saving) {
    const made = await component(store, saving);
    const run = made.agent.submit({ message: "1", runId: "r" });
    await until(() => made.requests.length);
    const text = { type: "TEXT_MESSAGE_CONTENT", messageId: "a" };
    made.requests[0].say({ type: "RUN_STARTED" }, { type: "TEXT_MESSAGE_START", messageId: "a", role: "assistant" }, { ...text, delta: "so " });
    await until(() => texts(made.agent).length === 2);
    return { ...made, run, more: () => made.requests[0].say({ ...text, delta: "far" }) };
  }
  /** The messages of a save. */
  const said = ({ messages }) => messages.map(({ content }) => content);
  /** The outcome of a run: the timers alone keep no process alive. */
  const outcomeOf = async (run) => {
    let result;
    run.then((ended) => (result = ended));
    await until(() => result);
    return result.outcome;
  };
  const task = () => new Promise((done) => setTimeout(done));

  it("without it, a run goes on to its end and is saved", async () => {
    const store = memory();
    const { run, unmount, more, requests } = await answering(store);
    unmount();
    await task();
    more();
    requests[0].end();
    assert.equal(await outcomeOf(run), "success");
    await until(() => store.now.running !== true && said(store.now)[1] === "so far");
    assert.equal(requests[0].aborted, false);
  });

  it("0: after the last component a run is saved and hung up; the next one begins with the save", async () => {
    const store = memory();
    const { agent, run, unmount, requests } = await answering(store, { linger: 0 });
    unmount();
    assert.equal(await outcomeOf(run), "aborted");
    assert.deepEqual([requests[0].aborted, agent.getSnapshot().isLoading, said(store.now)], [true, false, ["1", "so "]]);
    const next = await component(store, { linger: 0 }, requests);
    assert.deepEqual(texts(next.agent), ["1", "so "]);
    const again = next.agent.retry();
    await until(() => requests.length === 2);
    requests[1].say({ type: "RUN_STARTED" });
    requests[1].end();
    assert.equal((await again).outcome, "success");
  });

  it("0: a component that is made anew in one task, as under StrictMode, is no end", async () => {
    const { agent, run, unmount, requests } = await answering(memory(), { linger: 0 });
    unmount();
    agent.subscribe(() => {});
    await task();
    assert.equal(requests[0].aborted, false);
    requests[0].end();
    assert.equal(await outcomeOf(run), "success");
  });

  it("0: an agent that is shown again, as by Activity, begins with the save and works", async () => {
    const { agent, run, unmount, requests } = await answering(memory(), { linger: 0 });
    unmount();
    await outcomeOf(run);
    agent.subscribe(() => {});
    assert.deepEqual(texts(agent), ["1", "so "]);
    const second = agent.submit("2");
    await until(() => requests.length === 2);
    requests[1].say({ type: "RUN_STARTED" });
    requests[1].end();
    assert.equal((await second).outcome, "success");
    assert.deepEqual(requests[1].input.messages.map(({ content }) => content), ["1", "so ", "2"]);
  });

  it("a number: so many milliseconds, in which another component may come", async () => {
    mock.timers.enable({ apis: ["setTimeout"] });
    const store = memory();
    const { run, unmount, more, requests } = await answering(store, { linger: 1000 });
    const shown = ({ agent }) => [agent.getSnapshot().isLoading, requests.length];
    /** Unmounts it, and lets so many milliseconds pass. */
    const leave = (made, ms) => {
      made.unmount();
      mock.timers.tick(1);
      mock.timers.tick(ms);
    };
    leave({ unmount }, 500);
    const second = await component(store, { linger: 1000 }, requests);
    leave(second, 999);
    const third = await component(store, { linger: 1000 }, requests);
    assert.deepEqual(shown(third), [true, 1], "the time began anew");
    mock.timers.tick(1000);
    assert.deepEqual(shown(third), [true, 1], "somebody is there");
    more();
    await until(() => texts(third.agent)[1] === "so far");
    leave(third, 999);
    assert.deepEqual(shown(third), [true, 1]);
    mock.timers.tick(1);
    assert.equal(await outcomeOf(run), "aborted");
    assert.deepEqual(said(store.now), ["1", "so far"]);
  });

  it("a component that comes while a slow store writes begins with what is written", async () => {
    const written = deferred();
    let slow = false;
    const store = storeOf({
      load: async () => store.now,
      save: async (saved) => {
        if (slow) await written.promise;
        store.now = saved;
      },
      clear: () => {},
    });
    const { run, unmount, more, requests, agent } = await answering(store, { linger: 0, waitMs: 10_000 });
    more();
    await until(() => texts(agent)[1] === "so far");
    slow = true;
    unmount();
    assert.equal(await outcomeOf(run), "aborted");
    const next = await component(store, { linger: 0 }, requests);
    const second = next.agent.submit("2");
    await turn();
    assert.equal(requests.length, 1, "it waits for the store");
    written.resolve();
    await until(() => requests.length === 2);
    assert.deepEqual(requests[1].input.messages.map(({ content }) => content), ["1", "so far", "2"]);
    requests[1].say({ type: "RUN_STARTED" });
    requests[1].end();
    assert.equal((await second).outcome, "success");
  });

  it("0: a submit that waits for the store when its component goes is not lost", async () => {
    const loaded = deferred();
    const store = memory(undefined, { load: () => loaded.promise });
    const { agent, unmount, requests } = await component(store, { linger: 0 });
    const run = agent.submit({ message: "1", runId: "r" });
    unmount();
    for (let tasks = 0; tasks < 5; tasks++) await task();
    assert.equal(agent.getSnapshot().messages.length, 1);
    store.load = () => store.now;
    loaded.resolve();
    assert.equal(await outcomeOf(run), "aborted");
    assert.deepEqual([said(store.now), store.now.queue.map(({ runId }) => runId), texts(agent)], [[], ["r"], []], "in the queue alone");
    await component(store, { linger: 0 }, requests);
    await until(() => requests.length === 1);
    assert.deepEqual([requests[0].input.runId, requests[0].input.messages.map(({ content }) => content)], ["r", ["1"]]);
  });

  it("0: a decision that waits for the store when its component goes is made for the next one", async () => {
    const store = memory();
    const tools = [{ name: "f", description: "d", needsApproval: true, execute: () => {} }];
    const one = await component(store, {}, [], { tools });
    void one.agent.submit("1");
    await until(() => one.requests.length);
    one.requests[0].say({ type: "RUN_STARTED" }, { type: "TOOL_CALL_START", toolCallId: "c", toolCallName: "f" }, { type: "TOOL_CALL_END", toolCallId: "c" });
    one.requests[0].end();
    await until(() => store.now.turn && !store.now.running);
    one.agent.dispose();
    const loaded = deferred();
    const two = await component({ ...store, load: () => loaded.promise }, { linger: 0 }, [], { tools });
    two.agent.deny("c", "no");
    two.unmount();
    for (let tasks = 0; tasks < 5; tasks++) await task();
    loaded.resolve(store.now);
    for (let tasks = 0; tasks < 5; tasks++) await task();
    assert.equal(two.requests.length, 0);
    two.agent.subscribe(() => {});
    await until(() => two.requests.length);
    assert.equal(two.requests[0].input.messages.at(-1).error, "no");
  });
});
