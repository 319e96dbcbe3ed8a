// Differences between an agent in the page and one in a worker, each found by lockstep.mjs. Needs the built core.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe, it } from "node:test";
import { carried, load, real, storeOf, until } from "../lib.mjs";
import { localWorkers } from "../thread.mjs";

const [{ createAgentWith }, { createWorkerAgentWith }, { scriptedAgent, text, toolCall }] = await Promise.all(
  ["agent/agent", "worker/agent", "testing"].map(load),
);

const user = (id) => ({ id, role: "user", content: id });
const finished = (more) => ({ input: { threadId, runId } }) => ({ type: "RUN_FINISHED", threadId, runId, ...more });

/** A store in memory, and what it holds. */
function memoryStore() {
  const store = {
    kept: undefined,
    load: async () => store.kept,
    save: async (save) => void (store.kept = structuredClone(save)),
    clear: async () => void (store.kept = undefined),
  };
  return storeOf(store);
}

for (const where of ["the page", "a worker"]) {
  describe(`an agent in ${where}`, { skip: !real && "the core is a stand-in" }, () => {
    let core, workers;
    const made = [];
    before(async () => {
      core = await carried();
      workers = await localWorkers(core);
    });
    after(() => made.forEach((agent) => agent.dispose()));

    const make = (options) => {
      const server = scriptedAgent();
      const heard = [];
      const own = {
        ...{ url: "http://host/", threadId: "t", fetch: server.fetch, notify: "sync" },
        onFinish: ({ outcome, runId }) => heard.push(`${runId} ${outcome}`),
        onWarning: ({ code }) => heard.push(code),
        ...options,
      };
      const agent = where === "a worker" ? createWorkerAgentWith(core, workers.spawn, undefined, own) : createAgentWith(core, own);
      made.push(agent);
      return { agent, server, heard, now: () => agent.getSnapshot() };
    };
    const streaming = async ({ agent, server, now }, runId = "r") => {
      server.open(text("half"));
      const run = agent.submit({ message: user(`u ${runId}`), runId });
      await until(() => now().messages.at(-1)?.content === "half");
      return { run };
    };

    for (const method of ["stop", "reset"])
      it(`stops a tool whose call was answered by hand: ${method}()`, async () => {
        let signal;
        const tool = {
          name: "slow",
          description: "",
          parameters: {},
          execute: (_, given) => new Promise((done) => ((signal = given.signal), signal.addEventListener("abort", () => done(1)))),
        };
        const side = make({ tools: [tool] });
        side.server.open(...toolCall("slow", {}, "c"));
        const run = side.agent.submit("go");
        await until(() => signal);
        side.agent.addToolResult({ toolCallId: "c", result: 2 });
        await side.agent[method]();
        await run;
        assert.equal(signal.aborted, true);
        for (let turn = 0; turn < 12; turn++) await new Promise(setImmediate);
        assert.deepEqual(side.heard.filter((word) => /^(result-differs|call-unknown)$/.test(word)), []);
      });

    it("reports the end of its runs once when it is disposed of, and not of what a save has in the queue", async () => {
      const persist = memoryStore();
      const first = make({ persist });
      const { run } = await streaming(first);
      const waits = first.agent.submit({ message: user("v"), runId: "q" });
      await until(() => first.now().queue.length);
      first.agent.dispose();
      assert.deepEqual([(await run).outcome, (await waits).outcome], ["aborted", "aborted"]);
      assert.deepEqual(first.heard, ["r aborted", "q aborted"]);
      const second = make({ persist });
      second.agent.subscribe(() => {});
      await until(() => second.now().queue.length);
      second.agent.dispose();
      assert.deepEqual(second.heard, []);
      assert.equal(persist.kept.queue.length, 1);
    });

    it("forgets a submit that was refused during a run, also in the save", async () => {
      for (const ifBusy of ["reject", "drop"]) {
        const persist = memoryStore();
        const side = make({ persist });
        await streaming(side);
        const refused = side.agent.submit({ message: user("v"), runId: "q", ifBusy });
        // Nor was it in one before.
        assert.doesNotMatch(JSON.stringify(side.agent.save()), /"content":"v"/);
        if (ifBusy === "reject") await assert.rejects(refused, { code: "busy" });
        else assert.equal((await refused).outcome, "dropped");
        side.agent.dispose();
        await until(() => persist.kept);
        assert.deepEqual(persist.kept.queue, []);
      }
    });

    it("forgets a submit that the core refuses, also in the store", async () => {
      const persist = memoryStore();
      const side = make({ persist, saving: { everyMs: 1e9 } });
      await assert.rejects(side.agent.submit({ message: user("v"), runId: "q", replaces: "nobody" }), { code: "nothing-to-replace" });
      await until(() => persist.kept && !JSON.stringify(persist.kept).includes('"content":"v"'));
    });

    it("has what was submitted in the save before anything answers", async () => {
      for (const during of [false, true]) {
        const persist = memoryStore();
        const side = make({ persist });
        side.server.reply(text("one"));
        await side.agent.submit({ message: user("u") });
        if (during) await streaming(side, "s");
        side.server.open(text("two"));
        void side.agent.submit({ message: user("v"), runId: "q" });
        const { messages, queue } = side.agent.save();
        assert.ok(messages.some(({ id }) => id === "v") || queue.some(({ runId }) => runId === "q"));
        // No turn of the page passes, in which the worker could say something.
        for (let step = 0; step < 20; step++) await null;
        assert.ok(JSON.stringify(persist.kept).includes('"v"'));
        side.agent.dispose();
      }
    });

    it("keeps what has come while an edit is on its way", async () => {
      const side = make();
      await streaming(side);
      const lost = [];
      let shown = [];
      side.agent.subscribe(() => {
        const ids = side.now().messages.map(({ id }) => id);
        lost.push(...shown.filter((id) => !ids.includes(id)));
        shown = ids;
      });
      for (let n = 0; n < 72; n++) {
        side.server.send(...text(`${n}`));
        for (let turn = 0; turn < n % 18; turn++) await new Promise(setImmediate);
        side.agent.setMessages((messages) => messages.map((message) => ({ ...message, metadata: { n } })));
      }
      side.server.end();
      await until(() => !side.now().isLoading);
      assert.deepEqual([lost, side.now().messages.length], [[], 74]);
    });

    // Some 500 kB: the patch comes in parts, and the page applies it in several turns.
    it("shows the whole of a long thread in every snapshot, whatever is called first", async () => {
      const long = Array.from({ length: 500 }, (_, n) => ({ id: `m${n}`, role: n % 2 ? "assistant" : "user", content: `${n} `.repeat(250) }));
      const calls = {
        submit: ({ agent, server }) => (server.reply(text("answer")), agent.submit("go")),
        "a failing submit": ({ agent, server }) => (server.reply({ type: "RUN_ERROR", message: "no" }), agent.submit("go")),
        setMessages: async ({ agent, server }) => {
          server.open(text("half"));
          const run = agent.submit("go");
          await until(() => agent.getSnapshot().messages.at(-1)?.content === "half");
          agent.setMessages((messages) => messages.map((message) => ({ ...message, metadata: { seen: true } })));
          const edited = () => agent.getSnapshot().messages.filter(({ metadata }) => metadata?.seen).length;
          assert.equal(edited(), 502);
          let fewest = 502;
          agent.subscribe(() => (fewest = Math.min(fewest, edited())));
          for (let turn = 0; turn < 40; turn++) await new Promise(setImmediate);
          server.end();
          await run;
          assert.equal(fewest, 502);
        },
      };
      for (const [name, call] of Object.entries(calls)) {
        const side = make({ initialMessages: long, initialState: { rows: long } });
        let [fewest, rows] = [long.length, long.length];
        side.agent.subscribe(() => {
          fewest = Math.min(fewest, side.now().messages.length);
          rows = Math.min(rows, side.now().state?.rows?.length ?? 0);
        });
        await call(side);
        assert.deepEqual([name, fewest, rows], [name, 500, 500]);
      }
    });

    it("saves a queue as it was edited, without what was cancelled, and nothing of what was reset, also in the same task", async () => {
      for (const how of ["cancelQueued", "signal", "reset", "editQueued"]) {
        const persist = memoryStore();
        const side = make({ persist });
        const abort = new AbortController();
        await streaming(side);
        void side.agent.submit({ message: user("v"), runId: "q", signal: abort.signal });
        await until(() => persist.kept?.queue.length && side.now().queue.length);
        if (how === "cancelQueued") side.agent.cancelQueued(side.now().queue[0].id);
        else if (how === "signal") abort.abort();
        else if (how === "reset") side.agent.reset();
        else side.agent.editQueued(side.now().queue[0].id, "edited");
        const left = how === "editQueued" ? ["edited"] : [];
        const contents = ({ queue }) => queue.map(({ messages }) => messages[0].content);
        assert.deepEqual(contents(side.agent.save()), left, how);
        side.agent.dispose();
        await until(() => contents(persist.kept).join() === left.join());
      }
    });

    it("saves a run that was stopped as one that is over, also where the next call of that task is refused", async () => {
      const persist = memoryStore();
      const side = make({ persist });
      side.server.open();
      const run = side.agent.submit({ message: user("u"), runId: "r" });
      await until(() => persist.kept?.running && side.now().connection.phase === "open");
      void side.agent.stop();
      await assert.rejects(side.agent.regenerate("none"), { code: "nothing-to-regenerate" });
      assert.equal((await run).outcome, "aborted");
      for (let turn = 0; turn < 12; turn++) await new Promise(setImmediate);
      assert.equal(persist.kept.running, false);
      const second = make({ persist });
      second.agent.subscribe(() => {});
      await until(() => second.now().messages.length);
      assert.deepEqual([second.now().status, second.now().error], ["idle", undefined]);
    });

    it("saves a run as one that is over from within the callback that reports its end", async () => {
      for (const how of ["stop", "end"]) {
        const saves = [];
        const side = make({ persist: memoryStore(), onFinish: () => saves.push(side.agent.save()) });
        const { run } = await streaming(side);
        // The worker has reported the run as one in progress.
        for (let turn = 0; turn < 12; turn++) await new Promise(setImmediate);
        assert.equal(side.agent.save().running, true, how);
        if (how === "stop") void side.agent.stop();
        else side.server.end();
        await run;
        assert.deepEqual(saves.map(({ running }) => running), [false], how);
        const second = make({ restore: saves[0] });
        second.agent.subscribe(() => {});
        await until(() => second.now().messages.length);
        assert.deepEqual([second.now().status, second.now().error], ["idle", undefined], how);
      }
    });

    it("offers to ask again after a reload during a run, by the lines of docs/saving.md", async () => {
      const page = readFileSync(new URL("../../../docs/saving.md", import.meta.url), "utf8");
      const lines = page.split("## A reload during a run")[1].match(/```ts\n([^]*?)```/)[1];
      for (const store of ["slow", "at once"]) {
        const slow = memoryStore();
        const persist = store === "slow" ? slow : { ...slow, load: () => slow.kept };
        const first = make({ persist });
        first.server.open(text("half"));
        void first.agent.submit({ message: user("u") });
        await until(() => slow.kept?.running);
        const left = structuredClone(slow.kept);
        first.agent.dispose();
        for (let turn = 0; turn < 12; turn++) await new Promise(setImmediate);
        slow.kept = left;
        const second = make({ persist });
        const asked = [];
        second.server.reply(text("whole"));
        new Function("agent", "confirm", lines)(second.agent, (question) => asked.push(question));
        await until(() => second.now().outcome === "success");
        assert.deepEqual(second.now().messages.map(({ content }) => content), ["u", "whole"], store);
        assert.equal(asked.length, 1);
      }
    });

    it("is looked at after its store was read, by a page that has no locks", async () => {
      const persist = memoryStore();
      const first = make({ persist });
      first.server.reply(text("one"));
      await first.agent.submit({ message: user("u") });
      first.agent.dispose();
      const second = make({ persist: { ...persist, load: async () => persist.kept } });
      await until(() => second.now().messages.length);
      second.agent.subscribe(() => {});
      second.server.reply(text("two"));
      assert.equal((await second.agent.submit({ message: user("v") })).outcome, "success");
    });

    it("warns of a decision about a call that nobody knows, also before the core is there", async () => {
      const decisions = [
        (agent) => agent.approve("nobody's"),
        (agent) => agent.deny("nobody's"),
        (agent) => agent.addToolResult({ toolCallId: "nobody's", result: 1 }),
      ];
      for (const used of [false, true]) {
        for (const decide of decisions) {
          const side = make();
          side.server.reply(text("one"));
          if (used) await side.agent.submit("1");
          side.heard.length = 0;
          decide(side.agent);
          await until(() => side.heard.length);
          assert.deepEqual(side.heard, ["call-unknown"], `${decide}, ${used}`);
          side.agent.dispose();
        }
      }
    });

    it("tells the server why a call was denied", async () => {
      const side = make({ tools: [{ name: "ask", description: "", parameters: {}, needsApproval: true, execute: () => 1 }] });
      side.server.reply(...toolCall("ask", {}, "c"));
      side.server.reply(text("then not"));
      void side.agent.submit("go");
      await until(() => side.now().toolCalls[0]?.phase === "awaiting-approval");
      side.agent.deny("c", "much too early");
      await until(() => side.server.requests.length === 2);
      const result = side.server.requests.at(-1).input.messages.find(({ role }) => role === "tool");
      assert.match(JSON.stringify(result), /much too early/);
    });

    it("keeps the token counts of the thread over a reload", async () => {
      const persist = memoryStore();
      const usage = [{ model: "m", inputTokens: 3, outputTokens: 1 }];
      for (const times of [1, 2]) {
        const { agent, server, now } = make({ persist });
        server.reply(finished({ usage }));
        await agent.submit("go");
        assert.deepEqual(now().usage, [{ model: "m", inputTokens: 3 * times, outputTokens: times }]);
        agent.dispose();
      }
    });

    it("begins what waits before a submit that does not wait, after a run that it has left", async () => {
      const side = make();
      await streaming(side);
      void side.agent.submit({ message: user("v"), runId: "q" });
      await until(() => side.now().queue.length);
      await side.agent.disconnect();
      if (where === "a worker") workers.all.at(-1).crash("gone");
      side.server.open(text("next"));
      await assert.rejects(side.agent.submit({ message: user("w"), ifBusy: "reject" }), { code: "busy" });
      await until(() => side.now().runId === "q");
      assert.deepEqual(side.now().messages.filter(({ role }) => role === "user").map(({ id }) => id), ["u r", "v"]);
    });

    it("keeps a reply to one of two interrupts over a stop, and begins nothing after the only one was stopped", async () => {
      const asked = (...ids) => finished({ outcome: { type: "interrupt", interrupts: ids.map((id) => ({ id, reason: "confirmation" })) } });
      for (const session of ["there", "gone"]) {
        const gone = (side) => {
          if (session === "there") return side;
          const save = side.agent.save();
          side.agent.dispose();
          return make({ restore: save });
        };
        let side = make();
        side.server.reply(asked("i", "j"));
        await side.agent.submit({ message: user("u") });
        side = gone(side);
        const one = side.agent.resume({ id: "i", payload: 1 });
        await side.agent.stop();
        side.server.reply(text("done"));
        const other = side.agent.resume({ id: "j", payload: 2 });
        assert.deepEqual([(await one).outcome, (await other).outcome], ["success", "success"], session);
        assert.deepEqual(side.server.requests.at(-1).input.resume.map(({ payload }) => payload), [1, 2]);

        side = make();
        side.server.reply(asked("i"));
        await side.agent.submit({ message: user("u") });
        side = gone(side);
        side.server.open(text("never"));
        const only = side.agent.resume({ id: "i", payload: 1 });
        await side.agent.stop();
        assert.equal((await only).outcome, "aborted", session);
        assert.equal(side.now().isLoading, false);
      }
      if (where !== "a worker") return;
      const side = make();
      side.server.reply(asked("i", "j"));
      await side.agent.submit({ message: user("u") });
      const one = side.agent.resume({ id: "i", payload: 1 });
      await until(() => side.now().interrupts[0].answered);
      workers.all.at(-1).crash("gone");
      await side.agent.stop();
      side.server.reply(text("done"));
      const other = side.agent.resume({ id: "j", payload: 2 });
      assert.deepEqual([(await one).outcome, (await other).outcome], ["success", "success"]);
    });

    it("goes back to a checkpoint and its interrupts, and begins anew, also while there is no session", async () => {
      const persist = memoryStore();
      const side = make({ persist });
      side.server.reply(finished({ outcome: { type: "interrupt", interrupts: [{ id: "i", reason: "confirmation" }] } }));
      await side.agent.submit({ message: user("u") });
      const [, asked] = side.agent.history;
      if (where === "a worker") workers.all.at(-1).crash("gone");
      side.agent.fork(asked);
      assert.equal(side.now().interrupts.length, 1);
      side.server.open(text("more"));
      const run = side.agent.resume({ id: "i" });
      await until(() => side.now().messages.at(-1)?.content === "more");
      await side.agent.stop();
      assert.equal((await run).outcome, "aborted");
      if (where === "a worker") workers.all.at(-1).crash("gone");
      side.agent.reset();
      const { messages, interrupts, queue, handled } = side.agent.save();
      assert.deepEqual([messages, interrupts, queue, handled], [[], [], [], []]);
    });

    it("shows a result after its call, wherever an edit puts it", async () => {
      const side = make();
      const call = { id: "a", role: "assistant", toolCalls: [{ id: "c", type: "function", function: { name: "f", arguments: "{}" } }] };
      side.agent.setMessages([user("u"), call, { id: "t", role: "tool", toolCallId: "c", content: "1" }]);
      side.agent.setMessages((messages) => messages.toReversed());
      const ids = () => side.now().messages.map(({ id }) => id);
      assert.deepEqual(ids(), ["a", "t", "u"]);
      side.server.reply(text("done"));
      await side.agent.submit({ message: user("v") });
      assert.deepEqual(ids().slice(0, 4), ["a", "t", "u", "v"]);
    });
  });
}
