// The document "Event Mapping" of @ngaf/ag-ui, one test a line. Each names the line's place. It describes version 1 of the contract.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { load, real, until } from "../js/lib.mjs";
import { answering } from "../js/systems/systems.mjs";

const { createAgent } = await load("index");
const { toNgafAgent } = await load("systems/ngaf/index");

const sse = (events) => events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
const started = { type: "RUN_STARTED", threadId: "t", runId: "r" };
const finished = { type: "RUN_FINISHED", threadId: "t", runId: "r" };
const start = (messageId) => ({ type: "TEXT_MESSAGE_START", messageId, role: "assistant" });
const content = (messageId, delta) => ({ type: "TEXT_MESSAGE_CONTENT", messageId, delta });
const call = (toolCallId) => ({ type: "TOOL_CALL_START", toolCallId, toolCallName: "f" });
const args = (toolCallId, delta) => ({ type: "TOOL_CALL_ARGS", toolCallId, delta });

function make(version, given = {}) {
  const agent = createAgent({ url: "http://localhost/", threadId: "t", dialect: "ngaf", ...given });
  return { agent, view: toNgafAgent(agent, { version, now: () => 0 }) };
}

/** The view after a run with these events. */
async function run(events, { version = 1, ...given } = {}) {
  const { fetch, requests } = answering(sse(events));
  const { agent, view } = make(version, { fetch, ...given });
  const told = [];
  view.events$.subscribe((event) => told.push(event));
  await view.submit({});
  return { ...view.getSnapshot(), told, requests, agent, view };
}
const whole = (events, options) => run([started, ...events, finished], options);

/** A body that comes frame by frame. */
function stepping() {
  let controller;
  const stream = new ReadableStream({ start: (given) => (controller = given) });
  const fetch = async () => new Response(stream, { headers: { "content-type": "text/event-stream" } });
  const send = (...events) => controller.enqueue(new TextEncoder().encode(sse(events)));
  return { fetch, send, end: () => controller.close(), fail: (cause) => controller.error(cause) };
}

describe("ngaf", { skip: !real && "needs the built core" }, () => {
  describe("Summary", () => {
    it("row 1: RUN_STARTED sets running and loading, and clears the error", async () => {
      const { fetch } = answering(sse([started, { type: "RUN_ERROR", message: "no" }]));
      const body = stepping();
      let fetches = 0;
      const { view } = make(1, { fetch: (...given) => (fetches++ ? body.fetch() : fetch(...given)) });
      await view.submit({});
      assert.equal(view.error.get(), "no");
      const second = view.submit({});
      body.send(started);
      await until(() => view.status.get() === "running");
      assert.deepEqual([view.isLoading.get(), view.error.get()], [true, null]);
      body.send(finished);
      body.end();
      await second;
    });

    it("row 2: RUN_FINISHED sets idle and not loading", async () => {
      const { status, isLoading } = await whole([]);
      assert.deepEqual([status, isLoading], ["idle", false]);
    });

    it("row 3: RUN_ERROR sets error, stops loading and stores the message", async () => {
      const { status, isLoading, error } = await run([started, { type: "RUN_ERROR", message: "no" }]);
      assert.deepEqual([status, isLoading, error], ["error", false, "no"]);
    });

    it("rows 4 to 6: text makes or reuses an assistant message, and grows; END changes nothing", async () => {
      const events = [start("m"), content("m", "a"), content("m", "b")];
      const before = (await whole(events)).messages;
      assert.deepEqual(before, [{ id: "m", role: "assistant", content: "ab" }]);
      assert.deepEqual((await whole([...events, { type: "TEXT_MESSAGE_END", messageId: "m" }])).messages, before);
    });

    it("rows 7 to 10: reasoning shares the message; a chunk is content; END adds the duration", async () => {
      const of = (type, more) => ({ type: `REASONING_MESSAGE_${type}`, messageId: "m", ...more });
      const events = [of("START"), of("CONTENT", { delta: "a" }), of("CHUNK", { delta: "b" }), of("END"), start("m"), content("m", "c")];
      const { messages } = await whole(events);
      assert.deepEqual(messages, [{ id: "m", role: "assistant", content: "c", reasoning: "ab", reasoningDurationMs: 0 }]);
    });

    it("rows 11 to 14: a call runs, takes arguments and a result, and is complete", async () => {
      const result = { type: "TOOL_CALL_RESULT", messageId: "r", toolCallId: "c", content: "7" };
      const { toolCalls } = await whole([call("c"), args("c", '{"x":1}'), result, { type: "TOOL_CALL_END", toolCallId: "c" }]);
      assert.deepEqual(toolCalls, [{ id: "c", name: "f", args: { x: 1 }, status: "complete", result: "7" }]);
    });

    it("rows 15 and 16: state is replaced, then patched; citations reach their messages", async () => {
      const citations = { m: ["https://a.example"] };
      const { state, messages } = await whole([
        start("m"),
        { type: "STATE_SNAPSHOT", snapshot: { n: 1 } },
        { type: "STATE_DELTA", delta: [{ op: "add", path: "/citations", value: citations }] },
      ]);
      assert.deepEqual(state, { n: 1, citations });
      assert.deepEqual(messages[0].citations, [{ id: "c1", index: 1, url: "https://a.example" }]);
    });

    it("row 17: MESSAGES_SNAPSHOT replaces the list", async () => {
      const messages = [{ id: "u", role: "user", content: "q" }];
      assert.deepEqual((await whole([start("m"), { type: "MESSAGES_SNAPSHOT", messages }])).messages, messages);
    });

    it("row 18: CUSTOM reaches events$", async () => {
      const { told } = await whole([{ type: "CUSTOM", name: "n", value: 1 }]);
      assert.deepEqual(told, [{ type: "custom", name: "n", data: 1 }]);
    });

    it("row 19: an unknown event is ignored", async () => {
      const { status, messages } = await whole([{ type: "FROM_THE_FUTURE", x: 1 }, start("m")]);
      assert.deepEqual([status, messages.length], ["idle", 1]);
    });
  });

  describe("Run lifecycle", () => {
    for (const version of [1, 2]) {
      it(`paragraph 3: a failed run shows an error with the thrown value as its cause, version ${version}`, async () => {
        const thrown = new TypeError("fetch failed");
        const unreached = make(version, { fetch: async () => Promise.reject(thrown), retry: false }).view;
        await unreached.submit({});
        assert.deepEqual([unreached.status.get(), unreached.isLoading.get(), unreached.error.get().cause], ["error", false, thrown]);
        const body = stepping();
        const cut = make(version, { fetch: body.fetch, retry: false }).view;
        const run = cut.submit({});
        body.send(started, start("m"), content("m", "a"));
        await until(() => cut.messages.get()[0]?.content === "a");
        body.fail(thrown);
        await run;
        assert.equal(cut.error.get().cause, thrown);
      });
    }

    it("paragraph 3: the agent's own error has the thrown value as its cause too", async () => {
      for (const thrown of [new TypeError("fetch failed"), "text", { any: 1 }]) {
        const agent = createAgent({ url: "http://localhost/", fetch: () => Promise.reject(thrown), retry: false });
        const { error } = await agent.submit("hi");
        assert.equal(error.cause, thrown);
        assert.equal(agent.getSnapshot().error, error);
        agent.dispose();
      }
    });
  });

  describe("Messages", () => {
    const answer = { id: "lc_1", role: "assistant", content: "Hello" };
    const question = { id: "u", role: "user", content: "q" };
    const events = [
      ...[started, start("run-1"), content("run-1", "Hel"), content("run-1", "lo"), { type: "TEXT_MESSAGE_END", messageId: "run-1" }],
      ...[{ type: "MESSAGES_SNAPSHOT", messages: [question, answer] }, finished],
    ];

    it("paragraph 5: an answer that the snapshot names anew is there once, however reads and notifications fall", async () => {
      const text = new TextEncoder().encode(sse(events));
      for (const notify of ["sync", "microtask", "frame"]) {
        for (const size of [1, 7, 40, 90, 200, 100_000]) {
          for (const early of [false, true]) {
            const list = early ? [...events.slice(0, 3), events[5], ...events.slice(3, 5), events[6]] : events;
            const bytes = early ? new TextEncoder().encode(sse(list)) : text;
            const body = new ReadableStream({
              start: (controller) => {
                for (let at = 0; at < bytes.length; at += size) controller.enqueue(bytes.slice(at, at + size));
                controller.close();
              },
            });
            const fetch = async () => new Response(body, { headers: { "content-type": "text/event-stream" } });
            const { view } = make(2, { fetch, notify });
            view.messages.subscribe(() => {});
            await view.submit({});
            await new Promise(setImmediate);
            const shown = view.messages.get().map(({ id, content }) => [id, content]);
            assert.deepEqual(shown, [["u", "q"], ["lc_1", "Hello"]], `${notify}, ${size} bytes a read, early: ${early}`);
          }
        }
      }
    });

    it("paragraph 5: an answer from before the run takes nothing's place", async () => {
      const { fetch } = answering(
        sse(events),
        sse([started, start("run-2"), content("run-2", "Again"), { type: "MESSAGES_SNAPSHOT", messages: [question, answer] }, finished]),
      );
      const { view } = make(2, { fetch });
      await view.submit({});
      await view.submit({});
      assert.deepEqual(view.messages.get().map(({ id }) => id), ["u", "lc_1", "run-2"]);
    });
  });

  describe("Tool calls", () => {
    it("paragraph 3: each delta is read alone and replaces the arguments; what is no JSON makes them {}", async () => {
      const of = async (...deltas) => (await whole([call("c"), ...deltas.map((delta) => args("c", delta))])).toolCalls[0].args;
      assert.deepEqual(await of('{"a":1}', '{"b":2}'), { b: 2 });
      assert.deepEqual(await of('{"a":1}', '{"b"'), {});
    });
  });

  describe("Custom events", () => {
    it("paragraph 2: state_update with an object is emitted as such, and any other as custom", async () => {
      const { told } = await whole([{ type: "CUSTOM", name: "state_update", value: { a: 1 } }, { type: "CUSTOM", name: "state_update", value: 1 }]);
      assert.deepEqual(told, [{ type: "state_update", data: { a: 1 } }, { type: "custom", name: "state_update", data: 1 }]);
    });
  });

  describe("Submit and stop", () => {
    it("paragraph 1: submit appends a user message and runs", async () => {
      const { fetch, requests } = answering(sse([started, finished]));
      const { view } = make(1, { fetch });
      await view.submit({ message: "hi" });
      assert.deepEqual(view.messages.get().map(({ role, content }) => [role, content]), [["user", "hi"]]);
      assert.equal(requests[0].messages[0].content, "hi");
    });

    it("paragraph 2: without a message nothing is appended, and the run goes", async () => {
      const { messages, requests } = await whole([]);
      assert.deepEqual([messages, requests.length], [[], 1]);
    });

    it("paragraph 3: stop aborts the request", async () => {
      const body = stepping();
      let signal;
      const { view } = make(1, { fetch: (_url, init) => ((signal = init.signal), body.fetch()) });
      const run = view.submit({});
      body.send(started);
      await until(() => view.status.get() === "running");
      await view.stop();
      await run;
      assert.deepEqual([signal.aborted, view.status.get(), view.error.get()], [true, "idle", null]);
    });
  });
});
