// An agent of ngaf: the fixtures, its methods, and the table of its snapshot.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { load, until } from "../lib.mjs";
import { body, comparable, create, error, eventStream, finished, fixture, fixtures, json, openBody, skip, sse, started } from "./ngaf-server.mjs";

const { NgafError } = await load("systems/ngaf/index");

describe("the fixtures", { skip }, () => {
  for (const name of fixtures) {
    for (const version of [1, 2]) {
      it(`${name}, version ${version}`, async () => {
        const expected = json(`${name}.expected.json`);
        const { agent: wanted, events$ } = expected[`agentV${version}`];
        const frames = fixture(`${name}.sse`).split(/(?<=\n\n)/);
        const open = openBody();
        let now = 0;
        const { agent, ngaf } = create([open.response], version, { now: () => now, agent: { notify: "sync" } });
        const told = [];
        ngaf.events$.subscribe((event) => told.push(event));
        let events = 0;
        agent.on("event", () => events++);
        const run = ngaf.submit({});
        for (const [at, frame] of frames.entries()) {
          now = expected.arrivalClockMs[at];
          const before = events;
          open.send(frame);
          if (!frame.includes("FUTURE_EVENT")) await until(() => events > before);
        }
        open.end();
        await run;
        assert.deepEqual(comparable(ngaf.getSnapshot(), wanted), wanted);
        assert.deepEqual(told, events$);
      });

      it(`${name}, version ${version}, cut at every byte`, async () => {
        const expected = json(`${name}.expected.json`)[`agentV${version}`].agent;
        const bytes = new TextEncoder().encode(fixture(`${name}.sse`));
        const stream = new ReadableStream({
          start: (controller) => {
            for (const byte of bytes) controller.enqueue(Uint8Array.of(byte));
            controller.close();
          },
        });
        const { ngaf } = create([new Response(stream, eventStream)], version, { now: () => 0 });
        await ngaf.submit({});
        const timed = (agent) => JSON.parse(JSON.stringify(agent, (key, value) => (key === "reasoningDurationMs" ? 0 : value)));
        assert.deepEqual(timed(comparable(ngaf.getSnapshot(), expected)), timed(expected));
      });
    }
  }
});

describe("submit", { skip }, () => {
  for (const { name, input, appended, runAgentParameters, statePatchMerged } of json("submit-vectors.json")) {
    it(name, async () => {
      const call = [
        { type: "TOOL_CALL_START", toolCallId: "tc_9", toolCallName: "get_location" },
        { type: "TOOL_CALL_END", toolCallId: "tc_9" },
      ];
      const catalog = [{ name: "get_location", description: "Browser location", parameters: { type: "object", properties: {} } }];
      const answers = !input || name.includes("client tool");
      const { ngaf, sent } = create(input ? [body()] : [body(...call), body()], 2);
      if (answers) ngaf.clientTools.setCatalog(catalog);
      if (input) await ngaf.submit(input);
      else {
        await ngaf.submit({ message: "where?" });
        assert.deepEqual(ngaf.clientTools.pending.get().map(({ id }) => id), ["tc_9"]);
        const failed = appended.content.startsWith("Error");
        await ngaf.clientTools.resolve("tc_9", failed ? { ok: false, error: "denied" } : { ok: true, value: { lat: 1, lon: 2 } });
        assert.deepEqual(ngaf.clientTools.pending.get(), []);
      }
      const request = sent.at(-1);
      assert.deepEqual(Object.keys(request).sort(), ["context", "forwardedProps", "messages", "protocolVersion", "runId", "state", "threadId", "tools"]);
      if (appended) {
        const { id, ...last } = request.messages.at(-1);
        assert.deepEqual({ id: appended.id === "<random>" ? appended.id : id, ...last }, appended);
        if (appended.role === "user") {
          assert.match(id, /^[0-9a-z]+$/);
          assert.deepEqual(ngaf.messages.get().map(({ id, content }) => ({ id, content })), [{ id, content: appended.content }]);
        }
      } else assert.deepEqual(request.messages, []);
      const { tools, ...rest } = runAgentParameters ?? {};
      if (tools) assert.deepEqual(request.tools, tools[0] === "<catalog>" ? catalog : tools);
      for (const [member, value] of Object.entries(rest)) assert.deepEqual(request[member], value);
      if (statePatchMerged) {
        assert.deepEqual(request.state, statePatchMerged);
        assert.deepEqual(ngaf.state.get(), statePatchMerged);
      }
    });
  }

  it("answers the question, and a new message leaves it", async () => {
    const ask = body({ type: "CUSTOM", name: "on_interrupt", value: '{"question":"Sure?"}' });
    const { ngaf, agent, sent } = create([ask, ask, body()]);
    await ngaf.submit({ message: "go" });
    assert.deepEqual(ngaf.interrupt.get().value, { question: "Sure?" });
    assert.equal(ngaf.interrupt.get().resumable, true);
    assert.deepEqual(ngaf.messages.get().map(({ delivery }) => delivery?.outcome), ["success"]);
    await ngaf.submit({ resume: "yes" });
    assert.deepEqual(sent[1].forwardedProps, { command: { resume: "yes" } });
    assert.equal("resume" in sent[1], false);
    assert.equal(sent[1].messages.length, 1);
    await ngaf.submit({ message: "never mind" });
    assert.deepEqual(sent[2].forwardedProps, {});
    assert.equal(ngaf.interrupt.get(), undefined);
    assert.deepEqual(agent.getSnapshot().interrupts, []);
  });

  it("works with questions of AG-UI 1.0", async () => {
    const outcome = { type: "interrupt", interrupts: [{ id: "i", reason: "confirmation", message: "Sure?" }] };
    const { ngaf, sent } = create([sse(started, { ...finished, outcome }), body()], 2, { agent: { dialect: undefined } });
    await ngaf.submit({ message: "go" });
    assert.equal(ngaf.interrupt.get().id, "i");
    await ngaf.submit({ resume: true });
    assert.deepEqual(sent[1].resume, [{ interruptId: "i", status: "resolved", payload: true }]);
  });

  it("takes the place of a run that is on", async () => {
    const open = openBody();
    const { ngaf } = create([open.response, body({ type: "TEXT_MESSAGE_CHUNK", messageId: "b", delta: "two" })]);
    const first = ngaf.submit({ message: "one" });
    await until(() => ngaf.isLoading.get());
    await new Promise((done) => setImmediate(done));
    open.send(sse(started, { type: "TEXT_MESSAGE_START", messageId: "a", role: "assistant" }, { type: "TEXT_MESSAGE_CONTENT", messageId: "a", delta: "par" }));
    await until(() => ngaf.messages.get().at(-1).content === "par");
    assert.deepEqual(ngaf.messages.get().at(-1).delivery, { generation: 1, phase: "streaming" });
    await Promise.all([first, ngaf.submit({ message: "another" })]);
    assert.deepEqual(
      ngaf.messages.get().map(({ content, delivery }) => [content, delivery.outcome]),
      [["one", "success"], ["par", "interrupted"], ["another", "success"], ["two", "success"]],
    );
    assert.equal(ngaf.status.get(), "idle");
  });
});

describe("the end of a run", { skip }, () => {
  const partial = sse(started, { type: "TEXT_MESSAGE_START", messageId: "a", role: "assistant" }, {
    type: "TEXT_MESSAGE_CONTENT",
    messageId: "a",
    delta: "par",
  });

  it("is an abort by the user, without an error", async () => {
    for (const version of [1, 2]) {
      const open = openBody();
      const { ngaf } = create([open.response], version);
      const run = ngaf.submit({});
      await new Promise((done) => setTimeout(done));
      open.send(partial);
      await until(() => ngaf.messages.get().length);
      await ngaf.stop();
      await run;
      assert.equal(ngaf.status.get(), "idle");
      assert.equal(ngaf.error.get(), error(version));
      if (version === 2) assert.equal(ngaf.messages.get()[0].delivery.outcome, "aborted");
    }
  });

  it("comes without RUN_FINISHED", async () => {
    const { ngaf } = create([partial]);
    await ngaf.submit({});
    assert.equal(ngaf.status.get(), "idle");
    assert.equal(ngaf.error.get(), undefined);
    assert.equal(ngaf.messages.get()[0].delivery.outcome, "interrupted");
  });

  it("is a lost connection", async () => {
    const open = openBody();
    const { ngaf } = create([open.response]);
    const run = ngaf.submit({});
    await new Promise((done) => setTimeout(done));
    open.send(partial);
    await until(() => ngaf.messages.get().length);
    open.fail();
    await run;
    assert.equal(ngaf.status.get(), "error");
    assert.ok(ngaf.error.get() instanceof NgafError);
    assert.equal(ngaf.messages.get()[0].delivery.outcome, "error");
  });

  it("is an error where the server withdraws the credentials during the run", async () => {
    const resume = { by: "last-event-id", url: "/again", method: "POST" };
    const cut = new Response(`id: 1\n${partial}`, eventStream);
    const { ngaf } = create([cut, new Response("", { status: 401 })], 2, { agent: { resume, retry: { baseMs: 0, minMs: 0 } } });
    await ngaf.submit({});
    assert.deepEqual([ngaf.status.get(), ngaf.error.get()?.kind], ["error", "auth"]);
  });

  it("is RUN_ERROR", async () => {
    const failed = sse(started, { type: "RUN_ERROR", message: "model overloaded", code: "X" });
    const one = create([failed], 1).ngaf;
    await one.submit({});
    assert.deepEqual([one.status.get(), one.isLoading.get(), one.error.get()], ["error", false, "model overloaded"]);
    const two = create([failed], 2).ngaf;
    await two.submit({});
    const { kind, retryable, message } = two.error.get();
    assert.deepEqual([two.status.get(), kind, retryable, message], ["error", "server", true, "model overloaded"]);
  });

  it("is a refusal; retry runs the same again", async () => {
    const { ngaf, sent } = create([new Response("no", { status: 503 }), new Response("no", { status: 401 }), body()]);
    await ngaf.retry();
    assert.equal(sent.length, 0);
    await ngaf.submit({ message: "hi" });
    assert.deepEqual(ngaf.error.get().toJSON(), { kind: "server", retryable: true, status: 503, message: ngaf.error.get().message });
    await ngaf.retry();
    assert.equal(ngaf.error.get().kind, "auth");
    await ngaf.retry();
    assert.equal(ngaf.status.get(), "idle");
    assert.deepEqual(sent.map(({ messages }) => messages.map(({ content }) => content)), [["hi"], ["hi"], ["hi"]]);
    assert.equal(ngaf.messages.get().length, 1);
  });
});

describe("regenerate", { skip }, () => {
  const say = (id, delta) => body({ type: "TEXT_MESSAGE_CHUNK", messageId: id, role: "assistant", delta });

  it("runs again after the user message", async () => {
    const { ngaf, agent, sent } = create([say("a", "one"), say("b", "two"), say("c", "three")]);
    await ngaf.submit({ message: "first" });
    await ngaf.submit({ message: "second" });
    await assert.rejects(ngaf.regenerate(0));
    await assert.rejects(ngaf.regenerate(9));
    await ngaf.regenerate(1);
    assert.deepEqual(sent[2].messages.map(({ content }) => content), ["first"]);
    assert.deepEqual(ngaf.messages.get().map(({ content }) => content), ["first", "three"]);
    assert.deepEqual(agent.getSnapshot().messages.map(({ content }) => content), ["first", "three"]);
  });

  it("needs a user message, and no run", async () => {
    const open = openBody();
    const { ngaf } = create([say("a", "hello"), open.response]);
    await ngaf.submit({});
    await assert.rejects(ngaf.regenerate(0), /user message/);
    const run = ngaf.submit({ message: "go" });
    await assert.rejects(ngaf.regenerate(0), /in progress/);
    await ngaf.stop();
    await run;
  });
});

describe("the table", { skip }, () => {
  const run = async (version, ...events) => {
    const { ngaf } = create([body(...events)], version);
    await ngaf.submit({});
    return ngaf.getSnapshot();
  };

  it("brings messages of a snapshot", async () => {
    const messages = [
      { id: "u", role: "user", content: "q" },
      { id: "m", role: "assistant", content: "a", toolCalls: [{ id: "c", type: "function", function: { name: "f", arguments: '{"x":1}' } }] },
    ];
    const events = [
      { type: "STATE_SNAPSHOT", snapshot: { citations: { m: ["https://a.example"] } } },
      { type: "TEXT_MESSAGE_START", messageId: "s", role: "assistant" },
      { type: "MESSAGES_SNAPSHOT", messages },
    ];
    const one = await run(1, ...events, { type: "TEXT_MESSAGE_END", messageId: "s" });
    assert.deepEqual(one.messages, messages);
    const two = await run(2, ...events, { type: "TEXT_MESSAGE_END", messageId: "s" });
    assert.deepEqual(two.messages.map(({ id }) => id), ["u", "m"], "the running answer takes the place of what streamed");
    const asked = await run(2, events[1], { type: "MESSAGES_SNAPSHOT", messages: messages.slice(0, 1) });
    assert.deepEqual(asked.messages.map(({ id }) => id), ["u", "s"], "no answer takes its place");
    assert.deepEqual(two.messages[1].toolCallIds, ["c"]);
    assert.equal("toolCalls" in two.messages[1], false);
    assert.deepEqual(two.messages[1].citations, [{ id: "c1", index: 1, url: "https://a.example" }]);
    assert.deepEqual(two.toolCalls, [{ id: "c", name: "f", args: { x: 1 }, status: "complete" }]);
  });

  it("reads arguments, each piece alone or all together", async () => {
    const start = { type: "TOOL_CALL_START", toolCallId: "c", toolCallName: "f" };
    const piece = (delta) => ({ type: "TOOL_CALL_ARGS", toolCallId: "c", delta });
    const end = { type: "TOOL_CALL_END", toolCallId: "c" };
    const events = [start, piece('{"a":{"b":"}"}'), piece(',"n":[1,{}]}'), end];
    assert.deepEqual((await run(2, ...events)).toolCalls[0].args, { a: { b: "}" }, n: [1, {}] });
    assert.deepEqual((await run(1, ...events)).toolCalls[0].args, {});
    assert.deepEqual((await run(2, start, piece('{"a":1}'), piece("rubbish"), end)).toolCalls[0].args, { a: 1 });
    assert.deepEqual((await run(2, start, piece("[1]"), end)).toolCalls[0].args, {});
  });

  it("expands chunks as the official client does", async () => {
    const { messages, toolCalls } = await run(
      2,
      { type: "REASONING_MESSAGE_CHUNK", messageId: "m", delta: "hm" },
      { type: "TEXT_MESSAGE_CHUNK", messageId: "m", role: "assistant", delta: "a" },
      { type: "TEXT_MESSAGE_CHUNK", delta: "b" },
      { type: "TOOL_CALL_CHUNK", toolCallId: "c", toolCallName: "f", parentMessageId: "m", delta: '{"x"' },
      { type: "TOOL_CALL_CHUNK", delta: ":1}" },
      { type: "TOOL_CALL_RESULT", messageId: "t", toolCallId: "c", content: "7" },
    );
    assert.equal(messages.length, 1);
    const { content, reasoning, reasoningDurationMs, toolCallIds } = messages[0];
    assert.deepEqual([content, reasoning, typeof reasoningDurationMs, toolCallIds], ["ab", "hm", "number", ["c"]]);
    assert.deepEqual(toolCalls, [{ id: "c", name: "f", args: { x: 1 }, status: "complete", result: 7 }]);
  });

  it("keeps what a failing patch would change, and tells the agent what RFC 6902 refuses", async () => {
    const { ngaf, agent } = create([
      body({ type: "STATE_SNAPSHOT", snapshot: { a: 1 } }, { type: "STATE_DELTA", delta: [{ op: "remove", path: "/b" }] }, {
        type: "STATE_DELTA",
        delta: [{ op: "replace", path: "/c", value: 2 }],
      }),
    ]);
    await ngaf.submit({});
    assert.deepEqual(ngaf.state.get(), { a: 1, c: 2 });
    assert.deepEqual(agent.getSnapshot().state, { a: 1, c: 2 });
  });

  it("tells custom events", async () => {
    const custom = (name, value) => ({ type: "CUSTOM", name, value });
    const { customEvents } = await run(2, custom("x", '{"a":1}'), custom("y", "text"), custom("state_update", 7));
    assert.deepEqual(customEvents, [{ name: "x", data: { a: 1 } }, { name: "y", data: "text" }, { name: "state_update", data: 7 }]);
  });

  it("has subagents of AG-UI 1.0 too", async () => {
    const { subagents } = await run(
      2,
      { type: "SUBAGENT_STARTED", subagentRunId: "__proto__", name: "writer", parentToolCallId: "c" },
      { type: "SUBAGENT_FINISHED", subagentRunId: "__proto__" },
    );
    assert.deepEqual(Object.entries(subagents), [
      ["__proto__", { toolCallId: "c", name: "writer", status: "complete", messages: [], toolCalls: [], state: {} }],
    ]);
    assert.equal(Object.getPrototypeOf(subagents), Object.prototype);
  });
});
