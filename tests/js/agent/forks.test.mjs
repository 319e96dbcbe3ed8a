// Calls of the page where its thread returns to a checkpoint, or begins anew, in a page and in a worker.

import assert from "node:assert/strict";
import { afterEach, describe, it } from "node:test";
import { carried, deferred, load, real, until } from "../lib.mjs";
import { localWorkers } from "../thread.mjs";

const [{ createAgentWith }, { createWorkerAgentWith }, { scriptedAgent, text, toolCall }] = await Promise.all(
  ["agent/agent", "worker/agent", "testing"].map(load),
);

for (const place of ["page", "worker"]) {
  describe(`a thread of a ${place} that returns or begins anew`, { skip: !real && "the core is a stand-in" }, () => {
    let agent, server, workers;
    const make = async (execute) => {
      const core = await carried();
      workers = await localWorkers(core);
      server = scriptedAgent();
      const tools = [{ name: "add", description: "adds", parameters: {}, execute }];
      const options = { url: "http://host/agent", fetch: server.fetch, notify: "sync", tools };
      agent = place === "page" ? createAgentWith(core, options) : createWorkerAgentWith(core, workers.spawn, undefined, options);
    };
    afterEach(() => agent.dispose());
    const texts = () => agent.getSnapshot().messages.filter(({ role }) => role !== "tool").map(({ content }) => content ?? "");

    it("executes no call of then, and sends no result of one", async () => {
      let executed = 0;
      await make(async () => {
        await until(() => agent.history.some(({ kind }) => kind === "run-finished"));
        return ++executed;
      });
      server.reply(toolCall("add", { a: 1 }));
      server.reply(text("two"));
      await agent.submit("1");
      const then = agent.history.find(({ id }) => agent.at(id).toolCalls.length && !agent.at(id).messages.some(({ role }) => role === "tool"));
      agent.fork(then);
      const calls = agent.getSnapshot().toolCalls.map(({ id }) => id);
      assert.deepEqual([calls.length, agent.save().handled], [1, calls], "a save says so");
      server.reply(text("three"));
      assert.equal((await agent.submit("2")).outcome, "success");
      assert.deepEqual([executed, texts().at(-1)], [1, "three"]);
    });

    it("has a save without the calls of before once it begins anew", async () => {
      await make(() => 1);
      server.reply(toolCall("add", { a: 1 }));
      server.reply(text("two"));
      await agent.submit("1");
      await until(() => agent.save().handled.length);
      agent.reset();
      const { handled, messages } = agent.save();
      assert.deepEqual([handled, messages], [[], []]);
    });

    for (const method of ["fork", "reset"]) {
      it(`ends the calls in progress with ${method}()`, async () => {
        const signals = [];
        const never = deferred();
        await make((_, { signal }) => (signals.push(signal), never.promise));
        server.reply(text("one"));
        await agent.submit("1");
        const then = agent.history.at(-1);
        server.reply(toolCall("add", { a: 1 }));
        const second = agent.submit("2");
        await until(() => signals.length);
        agent[method](then);
        assert.deepEqual(signals.map(({ aborted }) => aborted), [true]);
        assert.equal((await second).outcome, "aborted");
        assert.deepEqual(texts(), method === "fork" ? ["1", "one"] : []);
      });
    }

    if (place === "worker") {
      for (const method of ["fork", "reset"]) {
        it(`has nothing of before once the worker ends after ${method}()`, async () => {
          await make(() => 1);
          server.reply(text("one"));
          await agent.submit("1");
          const then = agent.history.at(-1);
          server.reply(text("two"));
          await agent.submit("2");
          agent[method](then);
          workers.all.at(-1).crash("out of memory");
          server.reply(text("three"));
          await agent.submit("3").catch(() => {});
          assert.deepEqual(texts(), method === "fork" ? ["1", "one", "3", "three"] : ["3", "three"]);
        });
      }
    }
  });
}
