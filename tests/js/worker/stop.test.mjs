// A stop is meant for the run that was shown: where that has ended meanwhile in the worker, and the next one has begun, it ends nothing.

import assert from "node:assert/strict";
import { afterEach, describe, it, mock } from "node:test";
import { carried, load, real, until } from "../lib.mjs";
import { localWorkers } from "../thread.mjs";

const { createWorkerAgentWith } = await load("worker/agent");

describe("a page that is busy while a run ends in its worker", { skip: !real && "the core is a stand-in" }, () => {
  afterEach(() => mock.restoreAll());

  it("stops that run, or nothing, but not the one that waited for it", async () => {
    const requests = [];
    // The worker's, which is in this thread.
    mock.method(globalThis, "fetch", async (_, { body }) => {
      const { runId, threadId } = JSON.parse(body);
      let controller;
      const stream = new ReadableStream({ start: (made) => void (controller = made) });
      const say = (type) => controller.enqueue(new TextEncoder().encode(`data: ${JSON.stringify({ type, threadId, runId })}\n\n`));
      say("RUN_STARTED");
      requests.push(() => (say("RUN_FINISHED"), controller.close()));
      return new Response(stream, { headers: { "content-type": "text/event-stream" } });
    });
    const core = await carried();
    const { spawn } = await localWorkers(core);
    const agent = createWorkerAgentWith(core, spawn, undefined, { url: "http://host/", threadId: "t", notify: "sync" });
    agent.subscribe(() => {});
    const results = [agent.submit({ message: "1", runId: "one" })];
    await until(() => requests.length === 1);
    results.push(agent.submit({ message: "2", runId: "two" }));
    await until(() => agent.getSnapshot().queue.length === 1);
    requests[0]();
    // The worker hears of the end at once, and the page in a task of its own.
    for (let n = 0; n < 100; n++) await null;
    const { runId, isLoading, queue } = agent.getSnapshot();
    assert.deepEqual([runId, isLoading, queue.length], ["one", true, 1]);
    void agent.stop();
    await until(() => requests.length === 2);
    requests[1]();
    assert.deepEqual((await Promise.all(results)).map(({ outcome }) => outcome), ["success", "success"]);
    agent.dispose();
  });
});
