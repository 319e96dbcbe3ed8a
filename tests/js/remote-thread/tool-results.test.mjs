// Results of the page's tools while the thread is opened: the run that sends them waits for the thread, as submits do.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { deferred, load, until } from "../lib.mjs";
import { answer, create, createServer, finished, ids, sse, started, user } from "./server.mjs";

const { createStore } = await load("persistence/stores");
const call = { id: "c", type: "function", function: { name: "f", arguments: "{}" } };
const stored = [user("u", "call"), { id: "a", role: "assistant", toolCalls: [call] }];
const result = { id: "c-result", role: "tool", toolCallId: "c", content: "5" };

/** A server that calls the tool, and answers other requests once `gate` is open. */
function calling(gate = Promise.resolve()) {
  return createServer(async ({ body }) => {
    if (body?.messages.at(-1)?.content !== "call") return void (await gate);
    const { runId, threadId } = body;
    return answer(
      sse(
        started(runId, threadId),
        { type: "TOOL_CALL_START", toolCallId: "c", toolCallName: "f", parentMessageId: "a" },
        { type: "TOOL_CALL_ARGS", toolCallId: "c", delta: "{}" },
        { type: "TOOL_CALL_END", toolCallId: "c" },
        finished(runId, threadId),
      ),
    );
  });
}

const tool = (execute) => ({ name: "f", description: "f", parameters: {}, ...(execute && { execute }) });
const sent = ({ requests }) => requests.map(({ body }) => body.messages.map(({ id }) => id).join());
const turn = () => new Promise((done) => setTimeout(done, 20));

/** A store in memory, for pages one after the other. */
function createPages() {
  let text;
  return () =>
    createStore({
      key: "results",
      load: async () => text && JSON.parse(text),
      save: async (saved) => void (text = JSON.stringify(saved)),
      clear: async () => {},
    });
}

/** A page that was left while its tool was at work. */
async function leftAtWork(store, server) {
  const first = create({ persist: store(), tools: [tool(() => new Promise(() => {}))] }, server);
  void first.submit({ message: { id: "u", content: "call" } }).catch(() => {});
  await until(() => first.save().turn?.calls[0]?.stage === "executing" && first.save().running === false);
  first.dispose();
}

describe("the run that sends results", () => {
  it("waits for the thread where the page was left while its tool was at work", async () => {
    const store = createPages();
    const server = calling();
    await leftAtWork(store, server);
    const page = deferred();
    const agent = create({ persist: store(), thread: { load: () => page.promise }, tools: [tool(() => assert.fail("executed twice"))] }, server);
    agent.subscribe(() => {});
    const waits = agent.submit({ message: { id: "q", content: "q" } });
    await until(() => agent.getSnapshot().queue.length === 1);
    await turn();
    assert.deepEqual([sent(server), agent.getSnapshot().thread.status], [["u"], "loading"]);
    page.resolve({ messages: stored });
    await waits;
    assert.deepEqual(sent(server), ["u", "u,a,c-result", "u,a,c-result,c-result-answer,q"]);
    assert.equal(agent.getSnapshot().thread.status, "ready");
    agent.dispose();
  });

  it("waits over a load that fails, and over another reload", async () => {
    const store = createPages();
    const server = calling();
    await leftAtWork(store, server);
    const failing = create({ persist: store(), thread: { load: async () => Promise.reject(new Error("no network")) }, tools: [tool(() => 1)] }, server);
    failing.subscribe(() => {});
    await assert.rejects(failing.ready);
    await turn();
    assert.deepEqual(sent(server), ["u"]);
    failing.dispose();
    const agent = create({ persist: store(), thread: { load: async () => ({ messages: stored }) }, tools: [tool(() => 1)] }, server);
    agent.subscribe(() => {});
    await until(() => server.requests.length === 2 && !agent.getSnapshot().isLoading);
    assert.deepEqual(sent(server), ["u", "u,a,c-result"]);
    agent.dispose();
  });

  it("is none where the thread has the result by then", async () => {
    const store = createPages();
    const server = calling();
    await leftAtWork(store, server);
    const agent = create({
      persist: store(),
      thread: { load: async () => ({ messages: [...stored, result, { id: "b", role: "assistant", content: "done" }] }) },
      tools: [tool(() => 1)],
    }, server);
    agent.subscribe(() => {});
    await agent.ready;
    await turn();
    assert.deepEqual([sent(server), ids(agent)], [["u"], ["u", "a", "c-result", "b"]]);
    agent.dispose();
  });

  for (const [how, respond, outcome] of [["", undefined, "success"], [", and its failure is its own", () => Promise.reject(new Error("down")), "error"]]) {
    it(`follows on the load where a person answers meanwhile${how}`, async () => {
      const gate = deferred();
      const server = calling(gate.promise);
      const ends = [];
      let page = Promise.resolve({ messages: [] });
      const agent = create({ thread: { load: () => page }, tools: [tool()], onFinish: ({ runId, outcome }) => ends.push([runId, outcome]) }, server);
      await agent.ready;
      await agent.submit({ message: { id: "u", content: "call" }, runId: "run" });
      const later = deferred();
      page = later.promise;
      const loaded = agent.load();
      await turn();
      agent.addToolResult({ toolCallId: "c", result: 5 });
      await turn();
      assert.deepEqual([sent(server), agent.getSnapshot().thread.status], [["u"], "loading"]);
      later.resolve({ messages: stored });
      await loaded;
      await until(() => server.requests.length === 2);
      assert.deepEqual([sent(server)[1], agent.getSnapshot().thread.status, agent.getSnapshot().isLoading, agent.getSnapshot().runId], [
        "u,a,c-result",
        "ready",
        true,
        "run-1",
      ]);
      gate.resolve(respond?.());
      await until(() => !agent.getSnapshot().isLoading);
      assert.deepEqual([agent.getSnapshot().thread.status, agent.getSnapshot().outcome, ends], ["ready", outcome, [["run", "success"], ["run-1", outcome]]]);
      agent.dispose();
    });
  }

  it("comes before the thread where its tool was at work before that was asked for", async () => {
    const server = calling();
    const slow = deferred();
    const asked = [];
    const agent = create({
      thread: {
        load:
          async () => (asked.push(server.requests.length),
            { messages: server.requests.length ? [...stored, result, { id: "c-result-answer", role: "assistant", content: "done" }] : [] }),
      },
      tools: [tool(() => slow.promise)],
    }, server);
    await agent.ready;
    const run = agent.submit({ message: { id: "u", content: "call" } });
    await until(() => agent.getSnapshot().toolCalls[0]?.phase === "executing");
    const loaded = agent.load();
    slow.resolve(5);
    assert.equal((await run).outcome, "success");
    await loaded;
    assert.deepEqual([sent(server), ids(agent)], [["u", "u,a,c-result"], ["u", "a", "c-result", "c-result-answer"]]);
    agent.dispose();
  });
});
