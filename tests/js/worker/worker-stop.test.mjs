// A stop is meant for the run that is shown. The worker may have begun the next one by then, of which the page has heard nothing.

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { carried, load, real, until } from "../lib.mjs";
import { localWorkers } from "../thread.mjs";

describe("a stop while the worker is ahead of the page", { skip: !real && "the core is a stand-in" }, () => {
  const native = globalThis.fetch;
  after(() => (globalThis.fetch = native));

  it("ends no run that the page still shows as waiting", async () => {
    const core = await carried();
    const [{ createWorkerAgentWith }, workers] = await Promise.all([load("worker/agent"), localWorkers(core)]);
    const ends = [];
    // The messages of the worker, while the page is busy.
    let held;
    const spawn = () => {
      const worker = workers.spawn();
      const post = worker.postMessage.bind(worker);
      worker.postMessage = (data, ports = []) => {
        for (const port of ports) {
          const send = port.postMessage.bind(port);
          port.postMessage = (...message) => (held ? void held.push(() => send(...message)) : send(...message));
        }
        post(data, ports);
      };
      return worker;
    };
    // The worker's own, in this process.
    globalThis.fetch = async (_url, { body }) => {
      const { runId, threadId } = JSON.parse(body);
      let controller;
      const stream = new ReadableStream({ start: (made) => void (controller = made) });
      const say = (type) => controller.enqueue(new TextEncoder().encode(`data: ${JSON.stringify({ type, threadId, runId })}\n\n`));
      say("RUN_STARTED");
      ends.push(() => (say("RUN_FINISHED"), controller.close()));
      return new Response(stream, { headers: { "content-type": "text/event-stream" } });
    };
    const agent = createWorkerAgentWith(core, spawn, undefined, { url: "http://host/", threadId: "t", notify: "sync" });
    agent.subscribe(() => {});
    const results = [agent.submit({ message: "1", runId: "one" })];
    await until(() => ends.length === 1);
    results.push(agent.submit({ message: "2", runId: "two" }));
    await until(() => agent.getSnapshot().queue.length === 1);
    held = [];
    ends[0]();
    await until(() => held.length > 0);
    for (let turn = 0; turn < 12; turn++) await new Promise(setImmediate);
    const { runId, queue } = agent.getSnapshot();
    assert.deepEqual([runId, queue[0].runId], ["one", "two"]);
    void agent.stop();
    const messages = held;
    held = undefined;
    for (const send of messages) send();
    await until(() => agent.getSnapshot().runId === "two");
    await until(() => ends.length === 2);
    for (let turn = 0; turn < 12; turn++) await new Promise(setImmediate);
    ends[1]();
    assert.deepEqual((await Promise.all(results)).map(({ outcome }) => outcome), ["success", "success"]);
    agent.dispose();
  });
});
