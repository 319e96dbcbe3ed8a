// An agent that nobody holds is collected, with its part of WebAssembly's memory; but not before its run has ended.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { body, call, collected, run, say, sse, sweep, swept } from "../garbage.mjs";
import { carried, deferred, load, real, until } from "../lib.mjs";
import { localWorkers } from "../thread.mjs";

for (const mode of ["page", "worker"]) {
  describe(`in the ${mode}`, { skip: !real && "the core is a stand-in" }, async () => {
    const glue = await load("glue/core");
    const [{ createAgent: inPage }, { createAgent: elsewhere }] = await Promise.all(["index", "worker"].map(load));
    const { all: workers, spawn } = await localWorkers(await carried());
    const create = (options) => {
      const all = { url: "/agent", notify: "microtask", retry: { baseMs: 50, maxMs: 50, posts: true }, ...options };
      return mode === "page" ? inPage(all) : elsewhere({ ...all, worker: spawn });
    };
    /** Makes an agent that only its own work holds, once `use` has returned. */
    const make = (options, use) => {
      const agent = create(options);
      watch(agent);
      use(agent);
    };
    let watch, gone;
    const memory = async () => Object.values(await glue.default({})).find((value) => value instanceof WebAssembly.Memory).buffer.byteLength;
    const ended = () => mode === "page" || workers.every(({ dead }) => dead);

    it("100 agents that have run are collected, and the memory is used again", async () => {
      const text = "0123456789".repeat(10_000);
      const sizes = [];
      // It keeps the worker alive, so that it is the worker that gives each session back.
      const last = create({ fetch: async () => run() });
      await last.submit("hi");
      for (let round = 0; round < 4; round++) {
        ({ watch, gone } = collected());
        const runs = [];
        for (let i = 0; i < 100; i++) {
          const finish = deferred();
          runs.push(finish.promise);
          const options = { fetch: async () => run(...say(text)), onFinish: ({ outcome }) => finish.resolve(outcome) };
          make(options, (agent) => {
            const off = agent.subscribe(() => {});
            agent.on("custom", () => {});
            agent.events[Symbol.asyncIterator]();
            void agent.submit("hi").then(off);
          });
        }
        assert.deepEqual(new Set(await Promise.all(runs)), new Set(["success"]));
        await swept(() => gone() === 100);
        await sweep();
        sizes.push(await memory());
      }
      // The memory of the first hundred is enough for all that follow, except for losses between the pieces.
      assert.ok(sizes[3] - sizes[0] < (100 * text.length) / 4, sizes.join());
      last.dispose();
    });

    it("a run goes on to its end although nobody holds its agent", async () => {
      ({ watch, gone } = collected());
      const answer = deferred();
      const asked = deferred();
      const finish = deferred();
      const fetch = () => (asked.resolve(), answer.promise);
      make({ fetch, onFinish: ({ outcome }) => finish.resolve(outcome) }, (agent) => void agent.submit("hi"));
      await asked.promise;
      await sweep();
      assert.equal(gone(), 0);
      let controller;
      answer.resolve(body(new ReadableStream({ start: (given) => void (controller = given) })));
      await sweep();
      controller.enqueue(new TextEncoder().encode(sse([{ type: "RUN_STARTED", threadId: "t", runId: "r" }, ...say("x")])));
      await sweep();
      assert.equal(gone(), 0);
      controller.enqueue(new TextEncoder().encode(sse([{ type: "RUN_FINISHED", threadId: "t", runId: "r" }])));
      controller.close();
      assert.equal(await finish.promise, "success");
      await swept(() => gone() === 1 && ended());
    });

    it("so does one that waits for its next attempt, and one that waits in the queue", async () => {
      ({ watch, gone } = collected());
      const finished = [];
      let requests = 0;
      const fetch = async () => {
        if (++requests < 3) throw new TypeError("no network");
        return run(...say("x"));
      };
      make({ fetch, onFinish: ({ outcome }) => finished.push(outcome) }, (agent) => {
        void agent.submit("1");
        void agent.submit("2");
      });
      await swept(() => finished.length === 2);
      assert.deepEqual(finished, ["success", "success"]);
      await swept(() => gone() === 1 && ended());
    });

    it("so does a tool of the page, and the run with its result", async () => {
      ({ watch, gone } = collected());
      const finish = deferred();
      const result = deferred();
      let executes = false;
      const tools = [{ name: "tool", description: "", parameters: {}, execute: () => ((executes = true), result.promise) }];
      const answers = [() => run(...call()), () => run(...say("done"))];
      make({ tools, fetch: async () => answers.shift()(), onFinish: ({ outcome }) => finish.resolve(outcome) }, (agent) => void agent.submit("hi"));
      await until(() => executes);
      await sweep();
      assert.equal(gone(), 0);
      result.resolve(1);
      assert.equal(await finish.promise, "success");
      assert.equal(answers.length, 0);
      await swept(() => gone() === 1 && ended());
    });

    it("what waits for a person whom nobody can tell of it is collected", async () => {
      ({ watch, gone } = collected());
      let waits = false;
      const tools = [{ name: "tool", description: "", parameters: {}, needsApproval: true, execute: () => 1 }];
      make({ tools, fetch: async () => run(...call()) }, (agent) => {
        agent.subscribe(() => (waits ||= agent.getSnapshot().toolCalls[0]?.phase === "awaiting-approval"));
        void agent.submit("hi");
      });
      await until(() => waits);
      await swept(() => gone() === 1 && ended());
    });

    it("an agent that was stopped, failed, reset or disposed of is collected", async () => {
      ({ watch, gone } = collected());
      const never = () => new Promise(() => {});
      const finished = [];
      const onFinish = ({ outcome }) => finished.push(outcome);
      // Of this one not even the fetch ever ends.
      make({ fetch: never, onFinish }, (agent) => (agent.submit("1"), setTimeout(() => agent.dispose(), 20)));
      make({ fetch: never, onFinish }, (agent) => (agent.submit("1"), setTimeout(() => agent.stop(), 20)));
      make({ fetch: never, onFinish }, (agent) => (agent.submit("1"), setTimeout(() => agent.reset(), 20)));
      make({ fetch: async () => new Response("no", { status: 500 }), retry: false, onFinish }, (agent) => void agent.submit("1"));
      make({ fetch: async () => body(sse([{ type: "NONSENSE" }])), rules: "strict", onFinish }, (agent) => void agent.submit("1"));
      await swept(() => finished.length === 5);
      await swept(() => gone() === 5 && ended());
    });
  });
}
