// The remains of a session that was lost, and the next session with them: the same after a trap in the page as after one in a worker.

import assert from "node:assert/strict";
import { after, before, beforeEach, describe, it, mock } from "node:test";
import { Session } from "../fake-core.mjs";
import { carried, load, real, storeOf, until } from "../lib.mjs";
import { localWorkers } from "../thread.mjs";

const [{ createAgentWith }, { createWorkerAgentWith }, { scriptedAgent, text, toolCall }] = await Promise.all(
  ["agent/agent", "worker/agent", "testing"].map(load),
);

/** A store that has what was last saved. */
const memoryStore = () => {
  const store = { kept: undefined, load: () => store.kept, save: (save) => void (store.kept = structuredClone(save)), clear() {} };
  return storeOf(store);
};

for (const where of ["the page", "a worker"]) {
  describe(`a trap in ${where}`, { skip: !real && "the core is a stand-in" }, () => {
    // The method of the core that traps, and how often.
    let traps, times;
    let core, workers;
    const made = [];
    before(async () => {
      const { CoreSession, ...rest } = await (await carried())();
      class Trapping extends CoreSession {
        call(method, json) {
          if (method !== traps) return super.call(method, json);
          if (!--times) traps = undefined;
          throw new WebAssembly.RuntimeError("unreachable");
        }
      }
      core = async () => ({ ...rest, CoreSession: Trapping });
      workers = await localWorkers(core);
    });
    beforeEach(() => ([traps, times] = [undefined, 1]));
    after(() => made.forEach((agent) => agent.dispose()));

    const make = (options) => {
      const server = scriptedAgent();
      const own = { url: "http://host/", threadId: "t", fetch: server.fetch, notify: "sync", persist: memoryStore(), ...options };
      const agent = where === "a worker" ? createWorkerAgentWith(core, workers.spawn, undefined, own) : createAgentWith(core, own);
      made.push(agent);
      return { agent, server, now: () => agent.getSnapshot() };
    };
    /** Makes the core trap. */
    const trap = async ({ agent, now }) => {
      traps = "editState";
      agent.setState({ n: 1 });
      await until(() => now().status === "error");
    };
    const said = ({ now }) => now().messages.map(({ content }) => content);
    /** The end of a run that asks these. */
    const asks = (...ids) => {
      const interrupts = ids.map((id) => ({ id, reason: "ask" }));
      return { type: "RUN_FINISHED", threadId: "t", runId: "r", outcome: { type: "interrupt", interrupts } };
    };
    const streaming = async (side) => {
      side.server.open(text("half"));
      const run = side.agent.submit({ message: "1", runId: "r" });
      await until(() => said(side).at(-1) === "half");
      return run;
    };

    it("takes no call away that waits for approval", async () => {
      const execute = mock.fn(() => 2);
      const side = make({ tools: [{ name: "add", description: "adds", parameters: {}, execute, needsApproval: true }] });
      side.server.reply(toolCall("add", { a: 1 }, "c"));
      await side.agent.submit("1");
      await until(() => side.agent.save().turn);
      await trap(side);
      assert.equal(side.now().toolCalls[0].phase, "awaiting-approval");
      side.server.reply(text("done"));
      side.agent.approve("c");
      await until(() => said(side).at(-1) === "done" && !side.now().isLoading);
      assert.deepEqual([execute.mock.callCount(), side.now().toolCalls[0].result, side.now().status], [1, 2, "idle"]);
    });

    it("goes on with the thread without a store, and says what became of a call", async () => {
      const execute = mock.fn(() => 2);
      const tools = [{ name: "add", description: "adds", parameters: {}, execute, needsApproval: true }];
      const side = make({ persist: undefined, tools });
      side.server.reply(toolCall("add", { a: 1 }, "c"));
      await side.agent.submit({ message: { id: "1", content: "1" } });
      await until(() => side.now().toolCalls[0].phase === "awaiting-approval");
      await trap(side);
      side.server.reply(text("done"));
      assert.equal((await side.agent.submit("2")).outcome, "success");
      assert.deepEqual([said(side)[0], ...said(side).slice(-2)], ["1", "2", "done"]);
      assert.deepEqual(side.server.requests.at(-1).input.messages.map(({ role }) => role), ["user", "assistant", "tool", "user"]);
      assert.deepEqual([side.now().toolCalls[0].status, execute.mock.callCount()], ["error", 0]);
    });

    it("begins nothing that waited before somebody asks, and keeps it in the save", async () => {
      const side = make();
      const run = streaming(side);
      await until(() => said(side).at(-1) === "half");
      const waits = side.agent.submit({ message: "2", runId: "q" });
      await until(() => side.now().queue.length && side.agent.save().queue.length);
      await trap(side);
      assert.deepEqual([(await run).outcome, (await waits).outcome], ["error", "error"]);
      assert.deepEqual(side.agent.save().queue.map(({ runId }) => runId), ["q"]);
      const requests = side.server.requests.length;
      side.agent.addToolResult({ toolCallId: "none", result: 1 });
      await until(() => side.now().queue.length);
      assert.equal(side.server.requests.length, requests);
      for (const answer of ["one", "two"]) side.server.reply(text(answer));
      await side.agent.retry();
      await until(() => said(side).at(-1) === "two" && !side.now().isLoading);
      assert.deepEqual(said(side), ["1", "half", "one", "2", "two"]);
    });

    for (const persisted of [true, false])
      it(`keeps a reply that waits for others${persisted ? "" : ", or asks for it again without a store"}`, async () => {
        const side = make({ persist: persisted ? memoryStore() : undefined });
        side.server.reply(asks("a", "b"));
        await side.agent.submit({ message: "1", runId: "r" });
        const answered = () => side.now().interrupts.map((interrupt) => !!interrupt.answered);
        const reply = (id) => side.agent.resume({ id, payload: id });
        void reply("a");
        await until(() => answered()[0]);
        await trap(side);
        side.server.reply(text("done"));
        const last = reply("b");
        if (!persisted && where === "the page") {
          // The next core has neither.
          await until(() => answered().join() === "false,true");
          void reply("a");
        }
        assert.equal((await last).outcome, "success");
        assert.deepEqual(side.server.requests.at(-1).input.resume.map(({ payload }) => payload).sort(), ["a", "b"]);
      });

    it("does not take back that a submit was refused", async () => {
      const side = make();
      side.server.reply(asks("a"));
      await side.agent.submit({ message: "1", runId: "r" });
      const refused = assert.rejects(side.agent.submit("2"), { code: "interrupts-open" });
      await trap(side);
      await refused;
      assert.deepEqual(said(side), ["1"]);
    });

    if (where === "a worker")
      it("asks again where the patch has a reply, and the save does not", async () => {
        const side = make();
        side.server.reply(asks("a", "b"));
        await side.agent.submit({ message: "1", runId: "r" });
        await until(() => side.agent.save().runId);
        const answered = () => side.now().interrupts.map((interrupt) => !!interrupt.answered).join();
        const reply = (id) => side.agent.resume({ id, payload: id });
        traps = "record";
        assert.equal((await reply("a")).outcome, "error");
        assert.equal(answered(), "false,false");
        void reply("a");
        await until(() => answered() === "true,false");
        side.server.reply(text("done"));
        assert.equal((await reply("b")).outcome, "success");
        assert.deepEqual(side.server.requests.at(-1).input.resume.map(({ payload }) => payload), ["a", "b"]);
      });

    it("has what waited without a store in place of the message that it replaces", async () => {
      const side = make({ persist: undefined });
      side.server.reply(text("one"));
      await side.agent.submit("first");
      side.server.open(text("half"));
      const runs = [side.agent.submit({ message: { id: "old", content: "old" } })];
      await until(() => said(side).at(-1) === "half");
      runs.push(side.agent.submit({ message: "new", replaces: "old" }), side.agent.submit("last"));
      await until(() => side.now().queue.length === 2);
      await trap(side);
      assert.deepEqual((await Promise.all(runs)).map(({ outcome }) => outcome), ["error", "error", "error"]);
      assert.deepEqual(said(side), ["first", "one", "new", "last"]);
      side.server.reply(text("done"));
      assert.equal((await side.agent.retry()).outcome, "success");
      assert.deepEqual(said(side), ["first", "one", "new", "last", "done"]);
    });

    it("puts a save aside that it has trapped at, and keeps what was done, asked and decided", async () => {
      const execute = mock.fn(() => 2);
      const tools = [{ name: "add", description: "adds", parameters: {}, execute, needsApproval: true }];
      const store = memoryStore();
      const put = [];
      const persist = { ...store, quarantine: (saved) => void put.push(saved) };
      const one = make({ tools, persist });
      one.server.reply(toolCall("add", { a: 1 }, "done"));
      await one.agent.submit("1");
      await until(() => one.agent.save().turn);
      one.server.reply(toolCall("add", { a: 2 }, "waits"));
      one.agent.approve("done");
      await until(() => one.agent.save().turn?.calls[0].id === "waits" && !one.now().isLoading);
      one.agent.dispose();
      const poisonous = store.kept;
      const codes = [];
      traps = "restore";
      const two = make({ tools, persist, onWarning: ({ code }) => codes.push(code) });
      two.agent.subscribe(() => {});
      await until(() => codes.length && two.now().status === "error");
      assert.deepEqual([codes, put.map(({ runId, turn }) => [runId, turn])], [["quarantined"], [[poisonous.runId, poisonous.turn]]]);
      assert.equal(two.now().toolCalls.find(({ id }) => id === "waits").phase, "awaiting-approval");
      two.server.reply(text("end"));
      two.agent.approve("waits");
      await until(() => said(two).at(-1) === "end" && !two.now().isLoading);
      assert.deepEqual(execute.mock.calls.map(({ arguments: [{ a }] }) => a), [1, 2]);
    });

    it("puts a save aside that it cannot read", async () => {
      const queue = [{ runId: "q", start: "submit", messages: [], tools: [{ name: "without a description" }] }];
      const whole = { v: 1, threadId: "t", messages: [{ id: "m1", role: "user", content: "1" }], state: {}, interrupts: [], unsent: [], handled: [], queue };
      const [put, codes] = [[], []];
      const persist = { ...storeOf({ load: () => whole, save() {}, clear() {} }), quarantine: (saved) => void put.push(saved) };
      const side = make({ persist, onError: ({ code }) => codes.push(code), onWarning: ({ code }) => codes.push(code) });
      side.server.reply(text("done"));
      await side.agent.submit("2");
      assert.deepEqual([codes, put, said(side)], [["restore", "quarantined"], [whole], ["2", "done"]]);
    });

    it("begins with the messages alone where it traps at what is left, too", async () => {
      const put = [];
      const whole = {
        ...{ v: 1, threadId: "t", messages: [{ id: "m1", role: "user", content: "1" }], state: { n: 1 }, unsent: [], handled: [], queue: [] },
        interrupts: [{ id: "i", reason: "ask" }],
      };
      const persist = { ...storeOf({ load: () => whole, save() {}, clear() {} }), quarantine: (saved) => void put.push(saved) };
      [traps, times] = ["restore", 2];
      const side = make({ persist });
      assert.equal((await side.agent.submit("2")).outcome, "error");
      assert.deepEqual(side.now().interrupts.map(({ id }) => id), ["i"]);
      assert.equal((await side.agent.submit("3")).outcome, "error");
      side.server.reply(text("done"));
      await side.agent.submit("4");
      assert.deepEqual([...said(side), side.now().state.n, put.length], ["1", "2", "3", "4", "done", 1, 1]);
    });

    for (const persisted of [true, false])
      it(`keeps what waits in a save that it has trapped at${persisted ? "" : ", without a store"}`, async () => {
        const save = { v: 1, threadId: "t", state: { n: 1 }, interrupts: [], unsent: [], handled: [] };
        const message = (id, content) => ({ id, role: "user", content });
        const queue = [{ runId: "q", start: "submit", messages: [message("m2", "2")] }];
        const whole = { ...save, messages: [message("m1", "1")], queue };
        const persist = storeOf({ load: () => whole, save() {}, clear() {} });
        traps = "restore";
        const side = make(persisted ? { persist } : { persist: undefined, restore: whole });
        assert.equal((await side.agent.submit("3")).outcome, "error");
        assert.deepEqual([side.now().status, ...said(side)], ["error", "1", "3", "2"]);
        side.server.reply(text("done"));
        await side.agent.submit("4");
        assert.deepEqual([...said(side), side.now().state.n], ["1", "3", "2", "4", "done", 1]);
      });

    describe("with a thread that the server keeps", () => {
      const messages = [{ id: "m1", role: "user", content: "1" }];
      const saved = { v: 1, threadId: "t", messages, state: {}, interrupts: [], unsent: [], handled: [], queue: [] };
      const persist = (save) => storeOf({ load: () => save, save() {}, clear() {} });
      const resume = { by: "run-url", url: (id) => `http://host/runs/${id}` };

      it("opens it anew where that has waited for a run that was joined", async () => {
        let asked = 0;
        const load = async () => (asked++, { messages: [...messages, { id: "m2", role: "assistant", content: "2" }] });
        const side = make({ persist: persist({ ...saved, runId: "r", running: true }), thread: { load }, resume });
        side.server.open({ type: "RUN_STARTED", threadId: "t", runId: "r" }, { type: "TEXT_MESSAGE_START", messageId: "m2", role: "assistant" });
        side.agent.subscribe(() => {});
        await until(() => side.now().messages.length === 2);
        await trap(side);
        side.server.reply(text("done"));
        assert.equal((await side.agent.submit("3")).outcome, "success");
        // The part of the answer that was lost with the core is no message that somebody has removed.
        assert.deepEqual([...said(side), asked, side.now().queue], ["1", "2", "3", "done", 2, []]);
      });

      it("leaves a submit in the queue that has waited for it", async () => {
        traps = "submit";
        const side = make({ persist: persist(saved), thread: { load: () => new Promise(() => {}) } });
        assert.equal((await side.agent.submit({ message: "2", runId: "q" })).outcome, "error");
        const saves = side.agent.save().queue.map(({ runId }) => runId);
        // A worker has not said that it has read the save: what waits there is shown.
        assert.deepEqual([said(side), side.now().queue.map(({ id }) => id), saves], where === "the page" ? [["1"], ["q"], ["q"]] : [["1", "2"], [], []]);
      });
    });

    it("keeps what waits there in place of the message that it replaces, and what was said since", async () => {
      const message = (id) => ({ id, role: "user", content: id });
      const queue = [{ runId: "q", start: "submit", messages: [message("new")], replaces: "old" }];
      const whole = { v: 1, threadId: "t", messages: ["first", "old"].map(message), state: {}, interrupts: [], unsent: [], handled: [], queue };
      traps = "restore";
      const side = make({ persist: storeOf({ load: () => whole, save() {}, clear() {} }) });
      assert.equal((await side.agent.submit("since")).outcome, "error");
      assert.deepEqual(said(side), ["first", "new", "since"]);
    });
  });
}

it("a call that a worker has begun before all of its patch was there is begun once", async (test) => {
  Session.all = [];
  const inPage = async () => ({ CoreSession: Session });
  const workers = await localWorkers(inPage);
  const execute = mock.fn(() => workers.all[0].crash("out of memory"));
  const tool = { name: "add", description: "adds", parameters: {}, execute };
  const agent = createWorkerAgentWith(inPage, workers.spawn, undefined, { url: "http://host/", threadId: "t", notify: "sync", tools: [tool] });
  test.after(() => agent.dispose());
  const run = agent.submit("1");
  await until(() => Session.last && agent.getSnapshot().runId);
  for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
  Session.last.parted = true;
  Session.last.host.execute("c", "add", "{}");
  Session.last.say(..."many parts");
  Session.last.changed(true);
  assert.equal((await run).outcome, "error");
  void agent.submit("2");
  await until(() => Session.all.length === 2 && Session.last.restored);
  assert.deepEqual([execute.mock.callCount(), Session.last.restored.handled], [1, ["kept", "c"]]);
});

describe("a trap during a run", () => {
  for (const resume of [undefined, { by: "run-url", url: (id) => `http://host/runs/${id}` }])
    it(`continues with the thread ${resume ? "that the server was read up to, and what was said since" : "as it is shown"}`, async (test) => {
      Session.all = [];
      const persist = memoryStore();
      const agent = createAgentWith(async () => ({ CoreSession: Session }), { url: "http://host/", threadId: "t", notify: "sync", persist, resume });
      test.after(() => agent.dispose());
      const run = agent.submit({ message: { id: "1", content: "1" }, runId: "r" });
      await until(() => Session.last && agent.getSnapshot().runId);
      const session = Session.last;
      const [asked] = agent.getSnapshot().messages;
      const report = { v: 1, threadId: "t", messages: [asked], state: {}, interrupts: [], handled: [], unsent: [], queue: [] };
      session.host.save(1, JSON.stringify({ ...report, runId: "r", running: true, cursor: "7" }), false);
      session.say("half");
      session.trap();
      assert.equal((await run).outcome, "error");
      void agent.submit({ message: { id: "2", content: "2" } });
      await until(() => Session.all.length === 2);
      const { cursor, messages, running } = Session.last.restored;
      assert.deepEqual([cursor, running, messages.map(({ content }) => content)], ["7", true, resume ? ["1"] : ["1", "half"]]);
    });
});
