// The script of the worker in a thread of its own, with the built core and a server.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, before, describe, it } from "node:test";
import { load, real, until } from "../lib.mjs";
import { threadWorker } from "../thread.mjs";

const event = (data) => `data: ${JSON.stringify(data)}\n\n`;
const text = (agent) => agent.getSnapshot().messages.at(-1).content;

for (const [file, more] of Object.entries({
  "worker-main.js": {},
  "worker-full.js": { guard: { allowDisplayWithoutCapability: true, restrictedClassifications: [] } },
})) {
  describe(file, { skip: !real && "the core is a stand-in" }, () => {
    let server, url, create, worker;
    const bodies = [];
    before(async () => {
      server = createServer(async (request, response) => {
        let body = "";
        for await (const chunk of request) body += chunk;
        const { threadId, runId, messages } = JSON.parse(body);
        bodies.push(JSON.parse(body));
        const last = messages.at(-1);
        response.writeHead(200, { "content-type": "text/event-stream" });
        response.write(event({ type: "RUN_STARTED", threadId, runId }));
        if (last.content === "add") {
          const call = { toolCallId: "c", toolCallName: "add" };
          response.write(event({ type: "TOOL_CALL_START", ...call, parentMessageId: "a" }));
          response.write(event({ type: "TOOL_CALL_ARGS", toolCallId: "c", delta: '{"a":1,' }));
          response.write(event({ type: "TOOL_CALL_ARGS", toolCallId: "c", delta: '"b":2}' }));
          response.write(event({ type: "TOOL_CALL_END", toolCallId: "c" }));
        } else {
          const messageId = `answer-${messages.length}`;
          response.write(event({ type: "TEXT_MESSAGE_START", messageId, role: "assistant" }));
          response.write(event({ type: "TEXT_MESSAGE_CONTENT", messageId, delta: `you said ${last.content}` }));
          if (last.content === "wait") return;
          response.write(event({ type: "TEXT_MESSAGE_END", messageId }));
        }
        response.end(event({ type: "RUN_FINISHED", threadId, runId }));
      });
      await new Promise((done) => server.listen(0, "127.0.0.1", done));
      url = `http://127.0.0.1:${server.address().port}/`;
      const { createAgent } = await load("worker");
      create = (options) => createAgent({ url, notify: "microtask", worker: () => (worker = threadWorker(file)), ...more, ...options });
    });
    after(() => {
      server?.close();
      server?.closeAllConnections();
    });

    it("streams, stops, and goes on", async () => {
      const warned = [];
      const agent = create({ onWarning: (warning) => warned.push(warning) });
      assert.equal((await agent.submit("hi")).outcome, "success");
      assert.equal(text(agent), "you said hi");
      const waiting = agent.submit("wait");
      await until(() => text(agent) === "you said wait");
      await agent.stop();
      assert.equal((await waiting).outcome, "aborted");
      assert.equal(agent.getSnapshot().messages.at(-1).delivery, "aborted");
      assert.equal((await agent.submit("more")).outcome, "success");
      assert.deepEqual(warned, []);
      agent.dispose();
    });

    it("waits for a person, runs a tool in the page, and runs again with its result", async () => {
      const execute = ({ a, b }) => a + b;
      const agent = create({ tools: [{ name: "add", description: "adds", parameters: {}, execute, needsApproval: ({ b }) => b > 1 }] });
      const run = agent.submit("add");
      await until(() => agent.getSnapshot().toolCalls[0]?.phase === "awaiting-approval");
      agent.approve("c", { a: 1, b: 3 });
      const { outcome } = await run;
      await until(() => text(agent) === "you said 4");
      assert.equal(outcome, "success");
      assert.deepEqual(agent.getSnapshot().toolCalls.map(({ phase, result }) => [phase, result]), [["output-available", 4]]);
      assert.equal(bodies.at(-1).messages.at(-1).content, "4");
      agent.dispose();
    });

    it("is restored from a save", async () => {
      const old = create({ threadId: "t" });
      await old.submit("hi");
      const restore = old.save();
      old.dispose();
      const agent = create({ threadId: "t", restore });
      assert.equal((await agent.submit("again")).outcome, "success");
      assert.deepEqual(agent.getSnapshot().messages.map(({ content }) => content), ["hi", "you said hi", "again", "you said again"]);
      assert.deepEqual(bodies.at(-1).messages.map(({ content }) => content), ["hi", "you said hi", "again"]);
      agent.dispose();
    });

    it("survives the end of its thread", async () => {
      const agent = create();
      const run = agent.submit("wait");
      await until(() => text(agent) === "you said wait");
      worker.thread.emit("error", new Error("out of memory"));
      const { outcome, error } = await run;
      assert.deepEqual([outcome, error.kind, text(agent)], ["error", "internal", "you said wait"]);
      const again = await agent.submit("again");
      assert.equal(again.outcome, "success", again.error?.message);
      assert.equal(text(agent), "you said again");
      agent.dispose();
    });
  });
}
