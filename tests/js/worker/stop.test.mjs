// A stop is meant for the run that was shown: where that has ended meanwhile in the worker, and the next one has begun, it ends nothing.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { json } from "node:stream/consumers";
import { after, before, describe, it } from "node:test";
import { load, real, until } from "../lib.mjs";
import { threadWorker } from "../thread.mjs";

const { createAgent } = await load("worker");

describe("a page that is busy while a run ends in its worker", { skip: !real && "the core is a stand-in" }, () => {
  let server, requests;
  before(async () => {
    server = createServer(async (request, response) => {
      const { runId, threadId } = await json(request);
      const say = (type) => response.write(`data: ${JSON.stringify({ type, threadId, runId })}\n\n`);
      response.writeHead(200, { "content-type": "text/event-stream" });
      say("RUN_STARTED");
      requests.push({ runId, end: () => (say("RUN_FINISHED"), response.end()) });
    });
    await new Promise((done) => server.listen(0, "localhost", done));
  });
  after(() => (server.closeAllConnections(), server.close()));

  it("stops that run, or nothing, but not the one that waited for it", async () => {
    for (let n = 0; n < 5; n++) {
      requests = [];
      const url = `http://localhost:${server.address().port}/`;
      const agent = createAgent({ url, threadId: "t", notify: "sync", worker: () => threadWorker() });
      agent.subscribe(() => {});
      const results = [agent.submit({ message: "1", runId: "one" })];
      await until(() => requests.length === 1);
      results.push(agent.submit({ message: "2", runId: "two" }));
      await until(() => agent.getSnapshot().queue.length === 1);
      requests[0].end();
      // The response leaves, and the worker reads it while the page renders.
      await new Promise(setImmediate);
      for (const end = performance.now() + 30; performance.now() < end;);
      const { runId, isLoading, queue } = agent.getSnapshot();
      assert.deepEqual([runId, isLoading, queue.length], ["one", true, 1]);
      void agent.stop();
      await until(() => requests.length === 2 || !agent.getSnapshot().queue.length);
      requests[1]?.end();
      const [first, second] = (await Promise.all(results)).map(({ outcome }) => outcome);
      assert.match(first, /success|aborted/);
      assert.equal(second, "success");
      agent.dispose();
    }
  });
});
