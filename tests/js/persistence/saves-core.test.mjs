// Saves of the core itself.

import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, describe, it, mock } from "node:test";
import { carried, load, real, until } from "../lib.mjs";
import { inWorker } from "../thread.mjs";
import { agents, core, memory, never, page, texts, turn, waiting } from "./over-stores.mjs";

describe("with the core itself", { skip: !real }, () => {
  /** A server that says what it is told to, one answer a request. */
  async function talking(options, make) {
    const createAgent = make ?? (await load("index")).createAgent;
    const sent = [];
    const fetch = (_, { body, signal }) => {
      sent.push(JSON.parse(body));
      let controller;
      const stream = new ReadableStream({ start: (made) => void (controller = made) });
      signal?.addEventListener("abort", () => controller.error(new Error("aborted")));
      const say = (...events) => {
        for (const event of events) controller.enqueue(new TextEncoder().encode(`data: ${JSON.stringify(event)}\n\n`));
      };
      Object.defineProperty(sent.at(-1), "say", { value: say });
      Object.defineProperty(sent.at(-1), "end", { value: () => controller.close() });
      return Promise.resolve(new Response(stream, { headers: { "content-type": "text/event-stream" } }));
    };
    const agent = createAgent({ url: "http://agent/", threadId: "t", notify: "sync", fetch, ...options });
    agents.push(agent);
    return { agent, sent };
  }
  const started = ({ runId }) => ({ type: "RUN_STARTED", threadId: "t", runId });
  const finished = ({ runId }) => ({ type: "RUN_FINISHED", threadId: "t", runId });
  const call = [{ type: "TOOL_CALL_START", toolCallId: "c", toolCallName: "f" }, { type: "TOOL_CALL_END", toolCallId: "c" }];

  it("what waits in a save begins with what was edited before the core was there", async () => {
    const user = (id) => ({ id, role: "user", content: id });
    const waits = { start: "submit", runId: "w", messages: [user("w")], tools: [], pageTools: [] };
    const save = { v: 1, threadId: "t", messages: [user("a")], state: { n: 1 }, interrupts: [], handled: [], unsent: [], queue: [waits] };
    for (const make of [undefined, await inWorker()]) {
      for (const options of [{ restore: save }, { persist: memory(save) }]) {
        const { agent, sent } = await talking(options, make);
        agent.subscribe(() => {});
        agent.setState(({ n }) => ({ n, x: 2 }));
        agent.setMessages((messages) => messages.map((message) => ({ ...message, content: "edited" })));
        await until(() => sent.length);
        assert.deepEqual([sent[0].state, sent[0].messages.map(({ content }) => content)], [{ n: 1, x: 2 }, ["edited", "w"]]);
      }
    }
  });

  it("a page that is left while a tool works and a submit waits: neither is done again, nor lost", async () => {
    const store = memory();
    const execute = mock.fn(never);
    const tools = [{ name: "f", description: "d", execute }];
    const one = await talking({ persist: store, tools });
    void one.agent.submit("1");
    await until(() => one.sent.length);
    void one.agent.submit({ message: "2", runId: "second" });
    one.sent[0].say(started(one.sent[0]), ...call);
    await until(() => execute.mock.callCount());
    assert.ok(store.saves.find(({ handled }) => handled.includes("c")));
    one.agent.dispose();
    assert.deepEqual([store.now.handled, waiting(store.now)], [["c"], ["second"]]);
    const two = await talking({ persist: store, tools });
    two.agent.subscribe(() => {});
    void two.agent.retry();
    await until(() => two.sent.length);
    two.sent[0].say(started(two.sent[0]), ...call, finished(two.sent[0]));
    two.sent[0].end();
    await until(() => two.sent.length === 2);
    // The answer that was cut is asked for first, then what waited.
    assert.deepEqual(two.sent.map(({ runId }) => runId === "second"), [false, true]);
    const said = ({ messages }) => messages.filter(({ role }) => role === "user").map(({ content }) => content);
    assert.deepEqual(two.sent.map(said), [["1"], ["1", "2"]]);
    assert.equal(execute.mock.callCount(), 1);
  });

  it("a store that is late holds back the request and the call, each until the save that knows of it", async () => {
    const steps = [];
    const store = memory(undefined, {
      save: async (saved) => {
        await turn();
        steps.push(saved.handled.includes("c") ? "call saved" : saved.running ? "run saved" : "saved");
      },
    });
    const execute = mock.fn(() => void steps.push("executed"));
    const { agent, sent } = await talking({ persist: store, tools: [{ name: "f", description: "d", execute, followUp: false }], saving: { waitMs: 9999 } });
    void agent.submit("1");
    await until(() => sent.length);
    steps.push("sent");
    sent[0].say(started(sent[0]), ...call);
    await until(() => steps.includes("executed"));
    assert.ok(steps.indexOf("run saved") < steps.indexOf("sent"), steps.join());
    assert.ok(steps.indexOf("call saved") < steps.indexOf("executed"), steps.join());
  });

  for (const needsApproval of [true, () => true]) {
    it(`a call that was approved waits for its save, and is not asked about again (${needsApproval})`, async () => {
      const store = memory(undefined, { save: () => new Promise((saved) => setTimeout(saved, 5)) });
      const { createAgent } = await load("index");
      for (const make of [createAgent, await inWorker()]) {
        const execute = mock.fn(() => 1);
        const { agent, sent } = await talking({ persist: store, tools: [{ name: "f", description: "d", execute, needsApproval, followUp: false }] }, make);
        const run = agent.submit("1");
        await until(() => sent.length);
        sent[0].say(started(sent[0]), ...call, finished(sent[0]));
        sent[0].end();
        assert.equal((await run).outcome, "success");
        const phases = [];
        agent.subscribe(() => phases.push(agent.getSnapshot().toolCalls[0].phase));
        agent.approve("c");
        await until(() => ["awaiting-approval", "output-available"].includes(phases.at(-1)));
        assert.deepEqual([execute.mock.callCount(), phases.at(-1)], [1, "output-available"]);
        agent.dispose();
      }
    });
  }

  it("what is said while the core cannot be loaded stays, beside a queue that was saved", async () => {
    const store = memory();
    const one = await talking({ persist: store });
    void one.agent.submit("1");
    await until(() => one.sent.length);
    void one.agent.submit({ message: "2", runId: "second" });
    one.agent.dispose();
    const [{ createAgentWith }, inline] = await Promise.all([load("agent/agent"), carried()]);
    let fails = true;
    const two = await talking({ persist: store }, (options) => createAgentWith(() => (fails ? Promise.reject(new Error("offline")) : inline()), options));
    for (const { outcome } of await Promise.all(["3", "4"].map((message) => two.agent.submit(message)))) assert.equal(outcome, "error");
    assert.deepEqual(texts(two.agent), ["1", "3", "4"]);
    fails = false;
    void two.agent.retry();
    await until(() => two.sent.length);
    // The answer that failed is asked for first. What waited before is said after it.
    assert.deepEqual(two.sent[0].messages.map(({ content }) => content), ["1", "3", "4"]);
    assert.deepEqual(two.agent.getSnapshot().queue.map(({ runId }) => runId), ["second"]);
  });

  it("a submit waits on in the store for a while where the core is refused, as browsers do where a page is left that loads it", async () => {
    const store = memory();
    const { createAgentWith } = await load("agent/agent");
    const refusing = (options) => createAgentWith(() => Promise.reject(new Error("left")), options);
    const { agent } = await talking({ persist: store, saving: { everyMs: 50 } }, refusing);
    assert.equal((await agent.submit({ message: "1", runId: "first" })).outcome, "error");
    assert.deepEqual(waiting(store.now), ["first"]);
    await until(() => !waiting(store.now).length);
    assert.deepEqual(store.now.messages.map(({ content }) => content), ["1"]);
  });

  const question = (run, ...ids) => ({ ...finished(run), outcome: { type: "interrupt", interrupts: ids.map((id) => ({ id, reason: "confirmation" })) } });
  /** An agent whose run has ended with two questions. */
  async function asked(store, make) {
    const one = await talking({ persist: store }, make);
    const run = one.agent.submit("1");
    await until(() => one.sent.length);
    one.sent[0].say(started(one.sent[0]), question(one.sent[0], "a", "b"));
    one.sent[0].end();
    assert.equal((await run).outcome, "interrupted");
    return one;
  }

  it("what is said while the core cannot be loaded stays, beside open questions of the agent", async () => {
    const store = memory();
    const one = await asked(store);
    one.agent.dispose();
    const [{ createAgentWith }, inline] = await Promise.all([load("agent/agent"), carried()]);
    let fails = true;
    const two = await talking({ persist: store }, (options) => createAgentWith(() => (fails ? Promise.reject(new Error("offline")) : inline()), options));
    assert.equal((await two.agent.submit("2")).outcome, "error");
    fails = false;
    void two.agent.resume({ a: { payload: 1 }, b: { payload: 2 } });
    await until(() => two.sent.length);
    assert.deepEqual(texts(two.agent), ["1", "2"]);
    assert.deepEqual(two.sent[0].messages.map(({ content }) => content), ["1", "2"]);
  });

  it("what is said while the core cannot be loaded stays, beside a thread that the server keeps", async () => {
    const messages = [{ id: "a", role: "user", content: "1" }, { id: "b", role: "assistant", content: "2" }];
    const store = memory({ v: 1, threadId: "t", messages, state: {}, interrupts: [], unsent: [], handled: [], queue: [] });
    const [{ createAgentWith }, inline] = await Promise.all([load("agent/agent"), carried()]);
    let fails = true;
    const make = (options) => createAgentWith(() => (fails ? Promise.reject(new Error("offline")) : inline()), options);
    const { agent } = await talking({ persist: store, threadId: "t", thread: { load: async () => ({ messages }) } }, make);
    assert.equal((await agent.submit("3")).outcome, "error");
    fails = false;
    await agent.load();
    assert.deepEqual(texts(agent), ["1", "2", "3"]);
  });

  it("a reply that waits for another one stays with the next page", async () => {
    const { createAgent } = await load("index");
    for (const make of [createAgent, await inWorker()]) {
      const store = memory();
      const one = await asked(store, make);
      const reply = one.agent.resume({ id: "a", payload: "typed" });
      await until(() => one.agent.getSnapshot().interrupts[0].answered);
      await until(() => store.now.replies);
      one.agent.dispose();
      assert.equal((await reply).outcome, "aborted");
      const two = await talking({ persist: store }, make);
      const answered = () => two.agent.getSnapshot().interrupts.map((interrupt) => !!interrupt.answered);
      assert.deepEqual(answered(), [true, false], "before the core is there");
      void two.agent.resume({ id: "b", payload: 2 });
      await until(() => two.sent.length);
      assert.deepEqual(two.sent[0].resume.map(({ interruptId, payload }) => [interruptId, payload]), [["a", "typed"], ["b", 2]]);
      two.agent.dispose();
    }
  });

  it("what is stopped before the core is there stays, beside a queue that was saved", async () => {
    const store = memory();
    const one = await talking({ persist: store });
    void one.agent.submit("1");
    await until(() => one.sent.length);
    void one.agent.submit({ message: "2", runId: "second" });
    one.agent.dispose();
    const two = await talking({ persist: store });
    const stopped = two.agent.submit("3");
    void two.agent.stop();
    assert.equal((await stopped).outcome, "aborted");
    void two.agent.submit("4");
    await until(() => two.sent.length);
    assert.deepEqual(two.sent[0].messages.map(({ content }) => content), ["1", "3", "2"]);
  });

  it("a queue from before a tool needed approval: it is asked for now", async () => {
    const store = memory();
    const execute = mock.fn();
    const one = await talking({ persist: store, tools: [{ name: "f", description: "d", execute }] });
    void one.agent.submit("1");
    await until(() => one.sent.length);
    void one.agent.submit("2");
    one.agent.dispose();
    const two = await talking({ persist: store, tools: [{ name: "f", description: "d", execute, needsApproval: true }] });
    two.agent.subscribe(() => {});
    void two.agent.retry();
    await until(() => two.sent.length);
    two.sent[0].say(started(two.sent[0]), ...call);
    await until(() => two.agent.getSnapshot().toolCalls[0]?.phase === "awaiting-approval");
    assert.equal(execute.mock.callCount(), 0);
  });

  it("joins a run by itself after a reload", async () => {
    const store = memory();
    const resume = { by: "replay", url: () => "http://agent/join" };
    const one = await talking({ persist: store, resume });
    void one.agent.submit({ message: "1", runId: "r" });
    await until(() => one.sent.length);
    one.sent[0].say(started(one.sent[0]));
    await until(() => one.agent.getSnapshot().connection.phase === "open");
    const left = structuredClone(store.now);
    const asked = [];
    const fetch = async (url) => {
      asked.push(url);
      const events = [started({ runId: "r" }), { type: "TEXT_MESSAGE_START", messageId: "m" }, { type: "TEXT_MESSAGE_CONTENT", messageId: "m", delta: "yes" }, {
        type: "TEXT_MESSAGE_END",
        messageId: "m",
      }, finished({ runId: "r" })];
      return new Response(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(""), { headers: { "content-type": "text/event-stream" } });
    };
    const two = await talking({ persist: memory(left), resume, fetch });
    two.agent.subscribe(() => {});
    // A page that calls attach() itself joins the same run.
    assert.equal((await two.agent.attach()).outcome, "success");
    assert.deepEqual([texts(two.agent), asked], [["1", "yes"], ["http://agent/join"]]);
    // Nor has anybody to.
    const own = await talking({ persist: memory(left), resume, fetch });
    own.agent.subscribe(() => {});
    await until(() => texts(own.agent).at(-1) === "yes");
    asked.length = 1;
    const three = await talking({ persist: memory(left), resume, fetch, autoAttach: false });
    three.agent.subscribe(() => {});
    await until(() => three.agent.getSnapshot().outcome === "truncated");
    assert.equal(asked.length, 1);
  });
});
