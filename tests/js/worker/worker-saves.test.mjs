// Saves of a thread whose core is in a worker: the worker says what has changed, the page has the thread. Whatever moment the worker ends
// at, the store has what was said and answered, and nothing is done twice. Over the built core; the worker's script runs in this thread.

import assert from "node:assert/strict";
import { before, afterEach, describe, it, mock } from "node:test";
import { carried, load, real, storeOf, until } from "../lib.mjs";
import { localWorkers } from "../thread.mjs";

const [{ createWorkerAgentWith }, { createAgentWith }, { readStore }] = await Promise.all(
  ["worker/agent", "agent/agent", "persistence/record"].map(load),
);
const user = (id, content = id) => ({ id, role: "user", content });
const ids = ({ messages }) => messages.map(({ id }) => id);

describe("saves of a worker's session", { skip: !real && "the core is a stand-in" }, () => {
  let core, workers, crossed, ends, agents;
  before(async () => {
    core = await carried();
    workers = await localWorkers(core);
    agents = [];
  });
  afterEach(() => agents.splice(0).forEach((agent) => agent.dispose()));

  /** A worker of which the test hears each message. It ends in place of saying the one that `ends` counts down to. */
  const spawn = () => {
    const worker = workers.spawn();
    const { postMessage } = worker;
    worker.postMessage = (data, ports = []) => {
      for (const port of ports) {
        const post = port.postMessage.bind(port);
        port.postMessage = (said, transfers) => {
          if (ends-- === 0) return worker.crash("out of memory");
          for (const [name, args] of said) crossed += name === "fetch" ? 0 : JSON.stringify(args).length;
          post(said, transfers);
        };
      }
      postMessage.call(worker, data, ports);
    };
    return worker;
  };
  /** A store with a place for records, as one that was left like this. */
  const stored = ({ now, beside } = {}) => {
    const store = {
      ...{ now, beside, saves: 0 },
      load: () => store.now,
      save: (saved) => void (store.saves++, store.now = saved),
      clear() {},
      record: { load: () => store.beside, save: (record) => void (store.beside = JSON.parse(JSON.stringify(record))) },
    };
    return storeOf(store);
  };
  const found = ({ now, beside }) => readStore(stored(structuredClone({ now, beside })), { first: { messages: [], state: {} } });
  /** Answers a submit with a call of the page's tool, and the call's result with words. */
  const server = () => {
    const asked = [];
    const fetch = async (_, { body }) => {
      const { runId, messages } = JSON.parse(body);
      asked.push(messages.map(({ id }) => id));
      const { id } = messages.findLast(({ role }) => role === "user");
      const said = messages.some(({ toolCallId }) => toolCallId === `call ${id}`)
        ? [{ type: "TEXT_MESSAGE_START", messageId: `answer ${id}`, role: "assistant" }, {
          type: "TEXT_MESSAGE_CONTENT",
          messageId: `answer ${id}`,
          delta: "ok",
        }]
        : [{ type: "TOOL_CALL_START", toolCallId: `call ${id}`, toolCallName: "f", parentMessageId: `asks ${id}` }, {
          type: "TOOL_CALL_END",
          toolCallId: `call ${id}`,
        }];
      const events = [{ type: "RUN_STARTED", threadId: "t", runId }, ...said, { type: "RUN_FINISHED", threadId: "t", runId }];
      return new Response(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(""), { headers: { "content-type": "text/event-stream" } });
    };
    return { asked, fetch };
  };
  const open = (persist, more, make = (options) => createWorkerAgentWith(core, spawn, undefined, options)) => {
    const agent = make({ url: "http://host/", threadId: "t", notify: "sync", persist, saving: { everyMs: 1e6 }, ...more });
    agents.push(agent);
    agent.subscribe(() => {});
    return agent;
  };
  const tool = () => ({ name: "f", description: "d", parameters: {}, execute: mock.fn(() => 1) });
  const say = (id) => ({ message: user(id), runId: `run ${id}` });

  it("have what has changed alone, from the worker as in the store", async () => {
    [crossed, ends] = [0, Infinity];
    const persist = stored();
    const { fetch } = server();
    const initialMessages = Array.from({ length: 100 }, (_, at) => user(`m${at}`, "long ".repeat(200)));
    const agent = open(persist, { fetch, tools: [tool()], initialMessages });
    await agent.submit(say("1"));
    [crossed, persist.saves] = [0, 0];
    for (const id of ["2", "3", "4"]) await agent.submit(say(id));
    assert.ok(crossed < 20_000 && JSON.stringify(persist.beside).length < 10_000, `${crossed} crossed`);
    agent.setMessages((messages) => messages.map((message) => (message.id === "m9" ? user("m9", "changed") : message)));
    await agent.submit(say("5"));
    assert.equal(persist.saves, 0);
    assert.equal(found(persist).messages[9].content, "changed");
    assert.deepEqual(found(persist), agent.save());
  });

  it("have what waits in the queue alone, and edits in the thread, until the worker has begun it", async () => {
    ends = Infinity;
    const persist = stored();
    const records = [];
    const { save } = persist.record;
    persist.record.save = (record) => (save(record), records.push(found(persist)));
    const { fetch } = server();
    await open(stored(), { fetch, tools: [tool()] }).submit(say("0"));
    const agent = open(persist, { fetch, tools: [tool()] });
    await agent.ready;
    // The worker is there, and has nothing to do before somebody submits.
    for (let turn = 0; turn < 9; turn++) await new Promise(setImmediate);
    agent.setMessages([user("edit")]);
    await agent.submit(say("1"));
    const waiting = records.filter(({ queue }) => queue.length);
    assert.ok(waiting.length);
    for (const record of waiting) assert.deepEqual([ids(record), record.queue.map(({ runId }) => runId)], [["edit"], ["run 1"]]);
  });

  it("have the submit that begins after a stop before it is sent", async () => {
    ends = Infinity;
    const persist = stored();
    const sent = [];
    const fetch = async (_, { body, signal }) => {
      const { runId } = JSON.parse(body);
      sent.push([runId, ...ids(found(persist))]);
      const start = (controller) => {
        controller.enqueue(new TextEncoder().encode(`data: ${JSON.stringify({ type: "RUN_STARTED", threadId: "t", runId })}\n\n`));
        signal.addEventListener("abort", () => controller.error(signal.reason));
      };
      return new Response(new ReadableStream({ start }), { headers: { "content-type": "text/event-stream" } });
    };
    const agent = open(persist, { fetch });
    const runs = [agent.submit(say("1"))];
    await until(() => sent.length);
    runs.push(agent.submit(say("2")));
    await until(() => agent.getSnapshot().queue.length);
    void agent.stop();
    await until(() => sent.length === 2);
    assert.deepEqual(sent, [["run 1", "1"], ["run 2", "1", "2"]]);
    agent.dispose();
    await Promise.all(runs);
  });

  it("have all that was said and done wherever the worker ends", async () => {
    for (let at = 0, done = false; !done; at++) {
      ends = Infinity;
      const persist = stored();
      const tools = [tool()];
      const { asked, fetch } = server();
      const agent = open(persist, { fetch, tools });
      await agent.submit(say("1"));
      ends = at;
      agent.setState({ n: at });
      agent.setMessages((messages) => [...messages, user("note")]);
      await agent.submit(say("2"));
      done = ends >= 0;
      // Nothing is done twice, and what the store has is what was said.
      const kept = found(persist);
      assert.deepEqual(kept.messages.length, new Set(ids(kept)).size, `${at}`);
      const all = [...kept.messages, ...kept.queue.flatMap(({ messages }) => messages)].map(({ id }) => id);
      assert.ok(["1", "answer 1", "note", "2"].every((id) => all.includes(id)), `${at}: ${all.join()}`);
      assert.deepEqual(kept.state, { n: at }, `${at}`);
      const next = stored(structuredClone({ now: persist.now, beside: persist.beside }));
      const [then, again] = [tools[0].execute.mock.callCount(), tool()];
      const reloaded = open(next, { fetch, tools: [again] }, (options) => createAgentWith(core, options));
      if (!ids(agent.getSnapshot()).includes("answer 2")) await agent.retry();
      assert.ok(ids(agent.getSnapshot()).includes("answer 2"), `${at}`);
      assert.ok(tools[0].execute.mock.callCount() <= 2, `${at}`);
      await until(() => reloaded.getSnapshot().messages.length && !reloaded.getSnapshot().isLoading);
      if (!ids(reloaded.getSnapshot()).includes("answer 2")) await reloaded.retry();
      assert.ok(ids(reloaded.getSnapshot()).includes("answer 2"), `${at}`);
      assert.ok(then + again.execute.mock.callCount() <= 2, `${at}`);
      assert.ok(asked.every((list) => list.length === new Set(list).size));
      agents.splice(0).forEach((one) => one.dispose());
    }
  });
});
