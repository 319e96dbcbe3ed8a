// `useChat` over an agent: the SDK's own chat, our transport, the real core.

import { lastAssistantMessageIsCompleteWithApprovalResponses, lastAssistantMessageIsCompleteWithToolCalls } from "ai";
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { until } from "../lib.mjs";
import { inWorker } from "../thread.mjs";
import { call, create, createStore, loadUIMessages, serve, shown, skip, text, toChatTransport, toUIMessages, tool } from "./server.mjs";

const texts = (chat) => chat.messages.map(({ role, parts }) => `${role}: ${parts.map((part) => part.text ?? "").join("")}`);

describe("a chat", { skip }, () => {
  it("streams an answer, and shows what the agent shows", async () => {
    const { agent, chat, requests } = create();
    const sent = chat.sendMessage({ text: "hello" });
    await until(() => requests.length === 1);
    assert.deepEqual(requests[0].messages.map(({ role, content }) => [role, content]), [["user", "hello"]]);
    requests[0].begin({ type: "TEXT_MESSAGE_START", messageId: "a", role: "assistant" }, { type: "TEXT_MESSAGE_CONTENT", messageId: "a", delta: "Hel" });
    await until(() => texts(chat)[1] === "assistant: Hel");
    assert.equal(chat.status, "streaming");
    requests[0].end({ type: "TEXT_MESSAGE_CONTENT", messageId: "a", delta: "lo" }, { type: "TEXT_MESSAGE_END", messageId: "a" });
    await sent;
    assert.equal(chat.status, "ready");
    assert.deepEqual(texts(chat), ["user: hello", "assistant: Hello"]);
    assert.equal(chat.messages[1].id, "a");
    assert.deepEqual(chat.messages.map(shown), toUIMessages(agent.getSnapshot()).map(shown));
    assert.equal(chat.messages[0].id, agent.getSnapshot().messages[0].id);
  });

  it("shows reasoning, calls of the server with streaming input, activities, state and custom events", async () => {
    const { agent, chat, requests, data } = create();
    const sent = chat.sendMessage({ text: "go" });
    await until(() => requests.length === 1);
    requests[0].answer(
      { type: "REASONING_MESSAGE_START", messageId: "r", role: "reasoning" },
      { type: "REASONING_MESSAGE_CONTENT", messageId: "r", delta: "hm" },
      { type: "REASONING_MESSAGE_END", messageId: "r" },
      ...call("c", "weather", { city: "Rome" }, "a"),
      { type: "TOOL_CALL_RESULT", messageId: "t", toolCallId: "c", content: '{"degrees":20}' },
      { type: "ACTIVITY_SNAPSHOT", messageId: "p", activityType: "PLAN", content: { steps: 1 } },
      { type: "CUSTOM", name: "progress", value: 0.5 },
      { type: "STATE_SNAPSHOT", snapshot: { n: 1 } },
      ...text("b", "20 degrees"),
    );
    await sent;
    const parts = shown(chat.messages[1]);
    assert.deepEqual(parts.filter(({ type }) => type === "reasoning").map(({ text, state }) => [text, state]), [["hm", "done"]]);
    const weather = parts.find(({ type }) => type === "tool-weather");
    assert.deepEqual([weather.state, weather.input, weather.output, weather.providerExecuted], ["output-available", { city: "Rome" }, { degrees: 20 }, true]);
    assert.deepEqual(parts.filter(({ type }) => type.startsWith("data-")).map(({ type, data }) => [type, data]).sort(), [
      ["data-PLAN", { steps: 1 }],
      ["data-progress", 0.5],
      ["data-state", { n: 1 }],
    ]);
    assert.deepEqual(new Set(data.map(({ type }) => type)), new Set(["data-PLAN", "data-progress", "data-state"]));
    const ofThread = parts.filter(({ type }) => !["data-progress", "data-state"].includes(type)).map(({ id: _, ...part }) => part);
    assert.deepEqual(ofThread.map(({ type }) => type), shown(toUIMessages(agent.getSnapshot())[1]).map(({ type }) => type));
  });

  it("writes anew what a list of messages has changed in mid-run", async () => {
    const { agent, chat, requests } = create();
    const sent = chat.sendMessage({ text: "go" });
    await until(() => requests.length === 1);
    requests[0].begin(...text("a", "one"), ...text("b", "two"));
    await until(() => texts(chat)[1] === "assistant: onetwo");
    const user = agent.getSnapshot().messages[0];
    const messages = [{ id: user.id, role: "user", content: "go" }, { id: "b", role: "assistant", content: "TWO" }, {
      id: "c",
      role: "assistant",
      content: "three",
    }];
    requests[0].end({ type: "MESSAGES_SNAPSHOT", messages }, ...text("d", "!"));
    await sent;
    assert.deepEqual(texts(chat), ["user: go", "assistant: TWOthree!"]);
  });

  it("writes anew a text that the server opens once more", async () => {
    const { chat, requests } = create();
    const sent = chat.sendMessage({ text: "go" });
    await until(() => requests.length === 1);
    const [start, ...more] = text("a", "one");
    requests[0].begin(start, ...more);
    await until(() => texts(chat)[1] === "assistant: one");
    requests[0].send(start);
    await new Promise(setImmediate);
    requests[0].send({ type: "TEXT_MESSAGE_CONTENT", messageId: "a", delta: " more" });
    await until(() => texts(chat)[1] === "assistant: one more" || chat.error);
    requests[0].end(more.at(-1));
    await sent;
    assert.deepEqual([chat.status, texts(chat)[1]], ["ready", "assistant: one more"]);
  });

  it("regenerates, and edits under the same id", async () => {
    const { chat, requests } = create();
    const ask = async (run, ...events) => {
      const count = requests.length;
      const done = run();
      await until(() => requests.length > count);
      requests.at(-1).answer(...events);
      await done;
    };
    await ask(() => chat.sendMessage({ text: "one" }), ...text("a", "first"));
    await ask(() => chat.regenerate(), ...text("b", "second"));
    assert.deepEqual(texts(chat), ["user: one", "assistant: second"]);
    assert.deepEqual(requests[1].messages.map(({ content }) => content), ["one"]);
    const [{ id }] = chat.messages;
    await ask(() => chat.sendMessage({ text: "two", messageId: id }), ...text("c", "third"));
    assert.deepEqual(texts(chat), ["user: two", "assistant: third"]);
    assert.deepEqual(requests[2].messages.map(({ id, content }) => [id, content]), [[id, "two"]]);
  });

  it("sends the body of a request, also where it asks again", async () => {
    const { agent, chat, requests } = create();
    const run = async (call, event) => {
      const done = call();
      const count = requests.length + 1;
      await until(() => requests.length === count);
      requests.at(-1).begin();
      if (event) requests.at(-1).send(event);
      if (event) requests.at(-1).cut();
      else requests.at(-1).end(...text("a", "one"));
      await done;
    };
    await run(() => chat.sendMessage({ text: "go" }, { body: { n: 1 } }));
    await run(() => chat.regenerate({ body: { n: 2 } }), { type: "RUN_ERROR", message: "no" });
    await run(() => chat.regenerate({ body: { n: 3 } }));
    await run(() => chat.regenerate());
    assert.deepEqual(requests.map(({ forwardedProps }) => forwardedProps), [{ n: 1 }, { n: 2 }, { n: 3 }, {}]);
    agent.dispose();
  });

  it("goes on with a question that the server has given another id", async () => {
    const { agent, chat, requests } = create();
    const first = chat.sendMessage({ text: "go" });
    await until(() => requests.length === 1);
    requests[0].begin(...text("a", "one"));
    await until(() => texts(chat).includes("assistant: one"));
    const messages = [{ id: "theirs", role: "user", content: "go" }, { id: "a", role: "assistant", content: "one" }];
    requests[0].send({ type: "MESSAGES_SNAPSHOT", messages });
    requests[0].end(...text("b", "two"));
    await first;
    assert.deepEqual([chat.status, ...texts(chat)], ["ready", "user: go", "assistant: onetwo"]);
    const again = chat.regenerate();
    await until(() => requests.length === 2);
    assert.deepEqual(requests[1].messages.map(({ id }) => id), ["theirs"]);
    requests[1].answer(...text("c", "three"));
    await again;
    assert.deepEqual(texts(chat), ["user: go", "assistant: three"]);
    assert.deepEqual(agent.getSnapshot().messages.map(({ id }) => id), ["theirs", "c"]);
    agent.dispose();
  });

  it("sends the answers that were given before another message", async () => {
    const tools = [{ name: "ask", description: "d", parameters: { type: "object" } }];
    const { agent, chat, requests } = create({ agent: { tools }, chat: { sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithToolCalls } });
    const first = chat.sendMessage({ text: "go" });
    await until(() => requests.length === 1);
    requests[0].answer(...call("c1", "ask", {}, "a"), ...call("c2", "ask", {}, "a"));
    await first;
    await chat.addToolOutput({ tool: "ask", toolCallId: "c1", output: "yes" });
    const second = chat.sendMessage({ text: "never mind" });
    await until(() => requests.length === 2);
    const results = requests[1].messages.filter(({ role }) => role === "tool").map(({ toolCallId, content }) => [toolCallId, content]);
    assert.deepEqual(results, [["c1", "yes"], ["c2", "The user continued without answering."]]);
    requests[1].answer(...text("b", "well"));
    await second;
    agent.dispose();
  });

  it("stops, and the thread goes on after that", async () => {
    const { agent, chat, requests } = create();
    const sent = chat.sendMessage({ text: "one" });
    await until(() => requests.length === 1);
    requests[0].begin({ type: "TEXT_MESSAGE_START", messageId: "a", role: "assistant" }, { type: "TEXT_MESSAGE_CONTENT", messageId: "a", delta: "Hel" });
    await until(() => texts(chat)[1] === "assistant: Hel");
    await chat.stop();
    await sent;
    assert.deepEqual([chat.status, agent.getSnapshot().outcome], ["ready", "aborted"]);
    const next = chat.sendMessage({ text: "two" });
    await until(() => requests.length === 2);
    requests[1].answer(...text("b", "again"));
    await next;
    assert.deepEqual(texts(chat), ["user: one", "assistant: Hel", "user: two", "assistant: again"]);
  });

  it("shows an error, and asks again", async () => {
    const errors = [];
    const { chat, requests } = create({ chat: { onError: (error) => errors.push(error.message) } });
    const sent = chat.sendMessage({ text: "one" });
    await until(() => requests.length === 1);
    requests[0].begin(...text("a", "Hel"));
    requests[0].send({ type: "RUN_ERROR", message: "out of memory" });
    requests[0].cut();
    await sent;
    assert.equal(chat.status, "error");
    assert.match(errors[0], /out of memory/);
    const again = chat.regenerate();
    await until(() => requests.length === 2);
    requests[1].answer(...text("b", "Hello"));
    await again;
    assert.deepEqual([chat.status, ...texts(chat)], ["ready", "user: one", "assistant: Hello"]);
  });

  it("answers the calls of the page", async () => {
    const asked = [];
    const { agent, chat, requests } = create({
      agent: { tools: [tool({ name: "color", description: "d", parameters: { type: "object" } })] },
      chat: {
        sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithToolCalls,
        onToolCall: ({ toolCall }) => void asked.push(toolCall.input),
      },
    });
    const sent = chat.sendMessage({ text: "one" });
    await until(() => requests.length === 1);
    requests[0].answer(...call("c", "color", { of: "sky" }, "a"));
    await sent;
    assert.deepEqual(asked, [{ of: "sky" }]);
    const answered = chat.addToolOutput({ tool: "color", toolCallId: "c", output: { color: "blue" } });
    await until(() => requests.length === 2);
    assert.deepEqual(requests[1].messages.at(-1).content, '{"color":"blue"}');
    requests[1].answer(...text("b", "It is blue"));
    await answered;
    await until(() => chat.status === "ready" && texts(chat).at(-1).endsWith("It is blue"));
    assert.equal(chat.messages.length, 2);
    assert.equal(requests.length, 2);
    assert.deepEqual(shown(chat.messages[1]).map(({ type, state }) => [type, state]), [["tool-color", "output-available"], ["text", "done"]]);
    assert.equal(agent.getSnapshot().messages.length, 4);
  });

  it("shows what is added to a text and an activity after a tool of the page", async () => {
    const tools = [{ name: "ask", description: "d", parameters: { type: "object" } }];
    const { chat, requests } = create({ agent: { tools }, chat: { sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithToolCalls } });
    const sent = chat.sendMessage({ text: "go" });
    const plan = (steps) => ({ type: "ACTIVITY_SNAPSHOT", messageId: "p", activityType: "PLAN", content: { steps } });
    await until(() => requests.length === 1);
    requests[0].answer(plan(1), ...text("a", "one"), ...call("c", "ask", {}));
    await sent;
    const answered = chat.addToolOutput({ tool: "ask", toolCallId: "c", output: "yes" });
    await until(() => requests.length === 2);
    requests[1].answer(plan(2), ...text("a", ", two"));
    await answered;
    await until(() => chat.status === "ready");
    const parts = shown(chat.messages[1]).map(({ text, data, toolCallId }) => text ?? data ?? toolCallId);
    assert.deepEqual(parts, [{ steps: 2 }, "one", "c", ", two"]);
  });

  it("answers a call of an agent in a worker, which hears of it a moment later, once", async () => {
    const tools = [{ name: "ask", description: "d", parameters: { type: "object" } }];
    const { requests, fetch } = serve();
    const agent = (await inWorker())({ url: "https://agent.test/", fetch, tools });
    const { chat } = create({ chat: { transport: toChatTransport(agent), sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithToolCalls } });
    const sent = chat.sendMessage({ text: "go" });
    await until(() => requests.length === 1);
    requests[0].answer(...call("c", "ask", {}, "a"));
    await sent;
    const answered = chat.addToolOutput({ tool: "ask", toolCallId: "c", output: "yes" });
    await until(() => requests.length === 2);
    requests[1].answer(...text("b", "well"));
    await answered;
    await until(() => chat.status === "ready" && texts(chat).at(-1).endsWith("well"));
    assert.deepEqual([requests.length, requests[1].messages.at(-1).content], [2, "yes"]);
    agent.dispose();
  });

  it("says where the agent has no such call, and does not send the answer forever", async () => {
    const { agent, chat, requests } = create({
      agent: { tools: [{ name: "ask", description: "d", parameters: { type: "object" } }] },
      chat: { sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithToolCalls },
    });
    const sent = chat.sendMessage({ text: "go" });
    await until(() => requests.length === 1);
    requests[0].answer(...call("c", "ask", {}, "a"));
    await sent;
    agent.reset();
    await chat.addToolOutput({ tool: "ask", toolCallId: "c", output: "yes" });
    await until(() => chat.status === "error");
    assert.match(chat.error.message, /has no call that waits/);
    assert.equal(requests.length, 1);
    agent.dispose();
  });

  for (const approved of [true, false]) {
    it(`asks for approval, and takes ${approved ? "yes" : "no"}`, async () => {
      let ran = 0;
      const { chat, requests } = create({
        agent: { tools: [tool({ name: "pay", description: "d", parameters: { type: "object" }, needsApproval: true, execute: () => (ran++, "paid") })] },
        chat: { sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses },
      });
      const sent = chat.sendMessage({ text: "pay" });
      await until(() => requests.length === 1);
      requests[0].answer(...call("c", "pay", { amount: 1 }, "a"));
      await sent;
      const [part] = shown(chat.messages[1]);
      assert.deepEqual([part.state, part.approval.id], ["approval-requested", "c"]);
      const answered = chat.addToolApprovalResponse({ id: "c", approved });
      await until(() => requests.length === 2);
      requests[1].answer(...text("b", "done"));
      await answered;
      await until(() => chat.status === "ready" && texts(chat).at(-1).endsWith("done"));
      assert.equal(ran, Number(approved));
      assert.equal(shown(chat.messages[1])[0].state, approved ? "output-available" : "output-denied");
      assert.deepEqual([chat.messages.length, requests.length], [2, 2]);
    });
  }

  it("answers interrupts", async () => {
    const { agent, chat, requests } = create();
    const sent = chat.sendMessage({ text: "go" });
    await until(() => requests.length === 1);
    requests[0].begin(...text("a", "Sure?"));
    requests[0].send({ type: "RUN_FINISHED", ...requests[0].ids, outcome: { type: "interrupt", interrupts: [{ id: "i", reason: "confirmation" }] } });
    requests[0].cut();
    await sent;
    assert.equal(shown(chat.messages[1]).find(({ type }) => type === "data-interrupt").data.id, "i");
    assert.equal(shown(toUIMessages(agent.getSnapshot())[1]).find(({ type }) => type === "data-interrupt").data.id, "i");
    const answered = chat.sendMessage(undefined, { body: { resume: { i: { payload: true } }, more: 1 } });
    await until(() => requests.length === 2);
    assert.deepEqual([requests[1].resume[0].payload, requests[1].forwardedProps], [true, { more: 1 }]);
    requests[1].answer(...text("b", " Done."));
    await answered;
    assert.deepEqual(texts(chat), ["user: go", "assistant: Sure? Done."]);
  });

  it("shows a run in progress to a chat that comes later, also where it asks twice", async () => {
    const first = create();
    const sent = first.chat.sendMessage({ text: "go" });
    await until(() => first.requests.length === 1);
    first.requests[0].begin({ type: "TEXT_MESSAGE_START", messageId: "a", role: "assistant" }, { type: "TEXT_MESSAGE_CONTENT", messageId: "a", delta: "Hel" });
    await until(() => texts(first.chat)[1] === "assistant: Hel");
    const { chat } = create({ chat: { transport: first.chat.transport }, messages: toUIMessages(first.agent.getSnapshot()) });
    chat.resumeStream();
    const resumed = chat.resumeStream();
    await until(() => chat.status === "streaming");
    first.requests[0].end({ type: "TEXT_MESSAGE_CONTENT", messageId: "a", delta: "lo" }, { type: "TEXT_MESSAGE_END", messageId: "a" });
    await Promise.all([sent, resumed]);
    assert.deepEqual(texts(chat), ["user: go", "assistant: Hello"]);
    assert.equal(first.agent.getSnapshot().outcome, "success");
    await chat.resumeStream();
    assert.equal(chat.status, "ready");
  });

  it("shows what stands before a custom event before it", async () => {
    const { chat, requests } = create({ agent: { notify: { throttleMs: 1e6 } } });
    const sent = chat.sendMessage({ text: "go" });
    await until(() => requests.length === 1);
    requests[0].answer(...text("a", "one"), { type: "CUSTOM", name: "progress", value: 1 }, ...text("b", "two"));
    await sent;
    assert.deepEqual(shown(chat.messages[1]).map(({ type, text }) => text ?? type), ["one", "data-progress", "two"]);
  });

  it("continues with a thread that comes from a store, and with its run", async () => {
    let saved;
    const at = (key) => createStore({ key, load: async () => saved, save: async (given) => void (saved = given), clear: () => {} });
    const options = { threadId: "t", saving: { everyMs: 1 }, resume: { by: "replay", url: "https://agent.test/run" } };
    const first = create({ agent: { ...options, persist: at("chat") } });
    assert.deepEqual(await loadUIMessages(first.agent, at("chat")), []);
    const sent = first.chat.sendMessage({ text: "go" });
    await until(() => first.requests.length === 1);
    first.requests[0].begin({ type: "TEXT_MESSAGE_START", messageId: "a", role: "assistant" }, { type: "TEXT_MESSAGE_CONTENT", messageId: "a", delta: "Hel" });
    await until(() => saved?.messages.length === 2);
    const left = structuredClone(saved);
    await first.agent.disconnect();
    await sent;
    first.agent.dispose();
    saved = left;

    const { agent, requests, chat: { transport } } = create({ agent: { ...options, persist: at("later") } });
    const messages = await loadUIMessages(agent, at("later"));
    const { chat } = create({ messages, chat: { transport } });
    assert.deepEqual(texts(chat), ["user: go", "assistant: Hel"]);
    const resumed = chat.resumeStream();
    await until(() => requests.length === 1);
    const { ids } = first.requests[0];
    requests[0].send({ type: "RUN_STARTED", ...ids }, ...text("a", "Hel", "lo"), { type: "RUN_FINISHED", ...ids });
    requests[0].cut();
    await resumed;
    assert.deepEqual([chat.status, ...texts(chat)], ["ready", "user: go", "assistant: Hello"]);
    assert.equal(requests.length, 1);

    // A thread without a run in progress.
    await until(() => saved.running === false || saved.running === undefined);
    agent.dispose();
    const last = create({ agent: { ...options, persist: at("last") } });
    assert.deepEqual((await loadUIMessages(last.agent, at("last"))).map(({ id }) => id), ["g1", "a"]);
  });

  it("waits until the agent has its thread, without a word to the console", async (t) => {
    const console_ = t.mock.method(console, "error", () => {});
    const saved = create();
    const sent = saved.chat.sendMessage({ text: "go" });
    await until(() => saved.requests.length === 1);
    saved.requests[0].answer(...text("a", "one"));
    await sent;
    const save = await saved.agent.save();
    const loads = [];
    const store = createStore({ key: "waits", load: () => new Promise((resolve) => loads.push(resolve)), save: () => {}, clear: () => {} });
    const { agent } = create({ agent: { persist: store } });
    agent.getSnapshot();
    const messages = loadUIMessages(agent, store);
    await until(() => loads.length === 2);
    let there = false;
    messages.then(() => (there = true));
    // The one of the chat: it is asked last.
    loads[1](structuredClone(save));
    await new Promise(setImmediate);
    assert.equal(there, false);
    loads[0](structuredClone(save));
    assert.deepEqual((await messages).map(({ role }) => role), ["user", "assistant"]);
    assert.equal(console_.mock.callCount(), 0);
    agent.dispose();
  });

  it("begins without a store that fails or does not answer", async () => {
    const { agent } = create();
    for (const load of [() => Promise.reject(new Error("no")), () => {
      throw new Error("no");
    }, () => new Promise(() => {})]) {
      assert.deepEqual(await loadUIMessages(agent, { load }, { waitMs: 1 }), []);
    }
  });

  it("says what it is not made for", async () => {
    assert.throws(() => toChatTransport({ url: "/agent" }), { name: "AgentError", code: "input", message: /expects an agent, got object/ });
    const { chat } = create();
    await assert.rejects(chat.transport.sendMessages({ trigger: "submit-user-message", messages: [] }), {
      name: "AgentError",
      message: /version 7 of the package "ai"/,
    });
  });

  it("leaves out parts that nobody knows", () => {
    const content = [{ type: "text", text: "a" }, { type: "hologram" }, { type: "image", source: { type: "file", fileId: "f" } }];
    const [{ parts }] = toUIMessages({ messages: [{ id: "u", role: "user", content }], toolCalls: [] });
    assert.deepEqual(parts, [{ type: "text", text: "a" }]);
  });

  it("sends files as parts of their kind, and shows them again", async () => {
    const { agent, chat, requests } = create();
    const files = [
      { type: "file", mediaType: "image/png", url: "data:image/png;base64,QQ==", filename: "a.png" },
      { type: "file", mediaType: "application/pdf", url: "https://files.test/b.pdf" },
    ];
    const sent = chat.sendMessage({ text: "look", files });
    await until(() => requests.length === 1);
    assert.deepEqual(requests[0].messages[0].content.map(({ type, source, metadata }) => [type, source?.type, metadata?.filename]), [
      ["image", "data", "a.png"],
      ["document", "url", undefined],
      ["text", undefined, undefined],
    ]);
    requests[0].answer(...text("a", "ok"));
    await sent;
    assert.deepEqual(shown(toUIMessages(agent.getSnapshot())[0]), shown(chat.messages[0]));
  });
});
