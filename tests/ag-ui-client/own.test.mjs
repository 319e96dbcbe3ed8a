// Differences from the official client: tolerance by setting, a hook call a frame, announced changes of upstream, and agents
// of this package shown as theirs.

import assert from "node:assert/strict";
import { test } from "node:test";
import * as official from "@ag-ui/client";
import { createAgent, createStore } from "ag-ui-wasm";
import { AbstractAgent, HttpAgent, isHttpAgent, toHttpAgent } from "ag-ui-wasm/ag-ui-client";
import { of, Subject } from "rxjs";
import { answer, call, finished, openBody, recorder, server, settled, sse, started, text, until, user } from "./client.mjs";

const url = "https://x.test/agent";
const make = (events, config = {}) => new HttpAgent({ url, threadId: "t", fetch: server(events).fetch, onWarning: () => {}, ...config });
const quiet = async (work) => {
  const { error } = console;
  console.error = () => {};
  try {
    return await work();
  } finally {
    console.error = error;
  }
};

test("tolerant rules, the default, repair and report; strict ones fail the run and keep what came before", async () => {
  const events = [started(), ...text("m", "x"), { type: "TEXT_MESSAGE_CONTENT", messageId: "n", delta: "y" }, finished()];
  const warnings = [];
  const agent = make(events, { onWarning: ({ code, rule }) => void warnings.push([code, rule]) });
  await agent.runAgent();
  assert.deepEqual(agent.messages.map(({ content }) => content), ["x", "y"]);
  assert.deepEqual(warnings.map(([, rule]) => rule), ["V11", "V38"]);
  const strict = make(events, { rules: "strict" });
  const failed = await quiet(() => strict.runAgent().then(() => undefined, (error) => error));
  assert.equal(failed.kind, "protocol");
  assert.equal(failed.rule, "V11");
  assert.deepEqual(strict.messages.map(({ content }) => content), ["x"]);
});

test("without onWarning, warnings go to the console", async () => {
  const { warn } = console;
  const lines = [];
  console.warn = (line) => void lines.push(line);
  try {
    await make([started(), { type: "LATER" }, finished()], { onWarning: undefined }).runAgent();
  } finally {
    console.warn = warn;
  }
  assert.equal(lines.length, 1);
  assert.match(lines[0], /event-unknown/);
});

test("reasoning that has the id of its answer is a message of its own, shown and sent", async () => {
  const thoughts = [
    { type: "REASONING_MESSAGE_START", messageId: "m", role: "reasoning" },
    { type: "REASONING_MESSAGE_CONTENT", messageId: "m", delta: "hm" },
    { type: "REASONING_MESSAGE_END", messageId: "m" },
    { type: "REASONING_ENCRYPTED_VALUE", subtype: "message", entityId: "m", encryptedValue: "e" },
  ];
  const body = openBody();
  const { fetch, requests } = server(body.response, [started(), ...text("n", "y"), finished()]);
  const agent = new HttpAgent({ url, threadId: "t", fetch, initialMessages: [user("u", "hi")] });
  const own = agent.messages[0];
  const run = agent.runAgent();
  body.send([started(), ...thoughts]);
  await until(() => agent.messages.length === 2);
  const reasoning = { id: "m", role: "reasoning", content: "hm", encryptedValue: "e" };
  assert.deepEqual(agent.messages[1], reasoning);
  body.send(text("m", "x").slice(0, 2));
  await until(() => agent.messages[2]?.content === "x");
  const [, shown] = agent.messages;
  body.send([{ type: "TEXT_MESSAGE_CONTENT", messageId: "m", delta: "!" }, { type: "TEXT_MESSAGE_END", messageId: "m" }, finished()]);
  body.end();
  const { newMessages } = await run;
  const both = [reasoning, { id: "m", role: "assistant", content: "x!" }];
  assert.deepEqual(newMessages, both);
  assert.equal(agent.messages[1], shown, "it is the same object as long as it has not changed");
  await agent.runAgent();
  assert.deepEqual(requests[1].body.messages, [own, ...both]);
  assert.deepEqual(agent.messages.map(({ id, role }) => `${role} ${id}`), ["user u", "reasoning m", "assistant m", "assistant n"]);
});

test("an agent of this package keeps such reasoning when a message is added by its surface", async () => {
  const reasoning = ["START", "CONTENT", "END"].map((part) => ({ type: `REASONING_MESSAGE_${part}`, messageId: "m", role: "reasoning", delta: "hm" }));
  const { fetch, requests } = server([started(), ...reasoning, ...text("m", "x"), finished()], [started(), finished()]);
  const own = createAgent({ url, fetch });
  const agent = toHttpAgent(own);
  for (const id of ["u", "v"]) {
    agent.addMessage(user(id, "hi"));
    await agent.runAgent();
  }
  assert.deepEqual(requests[1].body.messages.map(({ role, content }) => `${role} ${content}`), ["user hi", "reasoning hm", "assistant x", "user hi"]);
  assert.equal(own.getSnapshot().messages[1].reasoning, "hm");
  own.dispose();
});

test("subscribers hear of a read once, however many events it brings, and of its last state", async () => {
  const deltas = Array.from({ length: 200 }, (_, at) => `${at} `);
  const agent = make([started(), ...text("m", ...deltas), finished()]);
  const seen = [];
  agent.subscribe({ onMessagesChanged: ({ messages }) => void seen.push(messages.at(-1).content) });
  await agent.runAgent();
  assert.ok(seen.length <= 3, `${seen.length} notifications`);
  assert.equal(seen.at(-1), deltas.join(""));
});

test("a throttle of notifications, on the exact way: fewer, and the last one is of everything", async () => {
  const letters = [..."ABCDEFGHIJKLMNOPQRST"];
  const heard = async (config) => {
    const seen = [];
    const agent = make([started(), ...text("m", ...letters), finished()], config);
    agent.use((input, next) => next.run(input));
    agent.subscribe({ onMessagesChanged: ({ messages }) => void seen.push(messages.at(-1).content) });
    await agent.runAgent();
    assert.equal(seen.at(-1), letters.join(""));
    return seen.length;
  };
  assert.ok((await heard({})) >= letters.length);
  assert.ok((await heard({ notificationThrottleMs: 60_000 })) <= 2);
  const some = await heard({ notificationThrottleMs: 60_000, notificationMinChunkSize: 10 });
  assert.ok(some >= 2 && some <= 4, `${some} notifications`);
});

test("joinDeltas: one hook call for the deltas of a frame", async () => {
  const events = [started(), ...text("m", "a", "b", "c"), ...call("c", "f", '{"a"', ":1}"), finished()];
  const heard = async (config) => {
    const log = [];
    const agent = make(events, config);
    await agent.runAgent({}, recorder(log, {}, ["onTextMessageContentEvent", "onToolCallArgsEvent"]));
    return log.map(({ event, textMessageBuffer, toolCallBuffer }) => [event.delta, textMessageBuffer ?? toolCallBuffer]);
  };
  assert.deepEqual(await heard({ joinDeltas: true }), [["abc", ""], ['{"a":1}', ""]]);
  assert.deepEqual(await heard({}), [["a", ""], ["b", "a"], ["c", "ab"], ['{"a"', ""], [":1}", '{"a"']]);
});

test("a hook sees the messages as they are before its event", async () => {
  const agent = make([started(), ...text("m", "a", "b"), finished()]);
  const seen = [];
  agent.subscribe({ onEvent: ({ event, messages }) => void seen.push([event.type, messages.at(-1)?.content]) });
  await agent.runAgent();
  assert.deepEqual(seen.slice(1, 5), [
    ["TEXT_MESSAGE_START", undefined],
    ["TEXT_MESSAGE_CONTENT", ""],
    ["TEXT_MESSAGE_CONTENT", "a"],
    ["TEXT_MESSAGE_END", "ab"],
  ]);
});

test("the text before a delta is right also around what other hooks return, and deltas of several messages", async () => {
  const [start, a, b, end] = text("m", "a", "b");
  const [start2, c, d, end2] = text("n", "c", "d");
  const agent = make([started(), start, start2, a, c, b, d, a, end, end2, finished()]);
  const seen = [];
  agent.subscribe({
    onTextMessageContentEvent: ({ event, textMessageBuffer, messages }) => {
      seen.push([event.delta, textMessageBuffer]);
      if (event.delta === "b") return { messages: messages.map((message) => ({ ...message, content: `<${message.content}>` })) };
      return { stopPropagation: event.delta === "d" };
    },
  });
  await agent.runAgent();
  assert.deepEqual(seen, [["a", ""], ["c", ""], ["b", "a"], ["d", "<c>"], ["a", "<a>b"]]);
  assert.deepEqual(agent.messages.map(({ content }) => content), ["<a>ba", "<c>"]);
});

test("partial arguments are read as far as they go", async () => {
  const agent = make([started(), ...call("c", "f", '{"a":[1', ',2],"b"', ":3}"), finished()]);
  const seen = [];
  agent.subscribe({ onToolCallArgsEvent: ({ partialToolCallArgs }) => void seen.push(partialToolCallArgs) });
  await agent.runAgent();
  // A number may continue.
  assert.deepEqual(seen, [{}, { a: [] }, { a: [1, 2] }]);
});

test("messages that the application adds during a run stay", async () => {
  let body;
  const agent = new HttpAgent({ url, fetch: async (_, init) => (body = openBody(init)).response });
  const run = agent.runAgent();
  await until(() => body);
  const [start, a, b, end] = text("m", "a", "b");
  body.send([started(), start, a]);
  await until(() => agent.messages[0]?.content === "a");
  agent.addMessage(user("u", "meanwhile"));
  agent.messages.push(user("v", "in place"));
  body.send([b, end, finished()]);
  body.end();
  await run;
  assert.deepEqual(agent.messages.map(({ id, content }) => [id, content]), [["m", "ab"], ["u", "meanwhile"], ["v", "in place"]]);
});

test("a body that stays open after its run does not keep the run", async () => {
  let body;
  const agent = new HttpAgent({ url, limits: { graceMs: 5 }, fetch: async (_, init) => (body = openBody(init)).response });
  const run = agent.runAgent();
  await until(() => body);
  body.send([started(), finished({ result: 1 })]);
  assert.equal((await run).result, 1);
});

test("abort ends a run whose fetch does not listen to its signal", async () => {
  const agent = new HttpAgent({ url, fetch: () => new Promise(() => {}) });
  const run = agent.runAgent();
  await new Promise((resolve) => setTimeout(resolve));
  agent.abortRun();
  assert.deepEqual((await run).newMessages, []);
});

test("connect: an address that the server does not have is an empty thread; other refusals reach the caller", async () => {
  for (const status of [404, 405]) {
    const { fetch, requests } = server(() => new Response("no", { status }));
    const agent = new HttpAgent({ url: "/api/agent", threadId: "t", fetch });
    assert.deepEqual((await agent.connectAgent()).newMessages, []);
    assert.equal(requests[0].url, "/api/agent/connect");
  }
  const failed = await quiet(() => settled(new HttpAgent({ url, fetch: async () => new Response("boom", { status: 500 }) }).connectAgent()));
  assert.match(failed.failed.message, /HTTP 500: boom/);
});

test("connect can leave the order of events unjudged", async () => {
  class Replay extends AbstractAgent {
    run() {
      return of();
    }
    connect() {
      const [, content, end] = text("m", "lo");
      return of(started(), content, end, finished());
    }
  }
  const agent = new Replay({ rules: "strict", initialMessages: [{ id: "m", role: "assistant", content: "Hel" }] });
  await agent.connectAgent(undefined, undefined, { verifyEvents: false });
  assert.equal(agent.messages[0].content, "Hello");
  assert.ok((await quiet(() => settled(agent.connectAgent()))).failed);
});

test("supportsConnect and isHttpAgent look at what is there", () => {
  class Local extends AbstractAgent {
    run() {
      return of();
    }
  }
  class Connecting extends Local {
    connect() {
      return of();
    }
  }
  assert.deepEqual([new Local(), new Connecting(), new HttpAgent({ url })].map((agent) => agent.supportsConnect()), [false, true, true]);
  const foreign = { url, headers: {}, abortController: new AbortController(), runAgent: async () => {} };
  assert.deepEqual([new HttpAgent({ url }), foreign, new Local(), null, undefined, url, 7].map(isHttpAgent), [true, true, false, false, false, false, false]);
});

test("an answer that is no stream of events is an error", async () => {
  const agent = new HttpAgent({ url, fetch: async () => answer("<html>", { headers: { "content-type": "text/html" } }) });
  const { failed } = await quiet(() => settled(agent.runAgent()));
  assert.match(failed.message, /text\/html/);
});

test("an agent of this package shown as theirs: its headers, its thread, tools that the other side answers", async () => {
  const { fetch, requests } = server(
    [started(), ...text("m", "Hel", "lo"), ...call("c", "look", '{"q":1}'), { type: "STATE_SNAPSHOT", snapshot: { n: 1 } }, finished({ result: 7 })],
    [started("r2"), ...text("n", "done"), finished({ runId: "r2" })],
  );
  const own = createAgent({
    url,
    threadId: "t",
    fetch: (to, init) => fetch(String(to), init),
    headers: async () => ({ authorization: "Bearer fresh" }),
    initialMessages: [user("u", "hi")],
  });
  const agent = toHttpAgent(own);
  assert.ok(agent instanceof HttpAgent && isHttpAgent(agent));
  assert.deepEqual([agent.threadId, agent.messages], ["t", [user("u", "hi")]]);
  const log = [];
  agent.subscribe(recorder(log, {}, ["onRunInitialized", "onTextMessageContentEvent", "onNewToolCall", "onRunFinishedEvent", "onRunFinalized"]));
  const first = await agent.runAgent({ runId: "r", tools: [{ name: "look", description: "d", parameters: {} }] });
  assert.equal(first.result, 7);
  assert.deepEqual(first.newMessages.map(({ id }) => id), ["m", "c"]);
  assert.deepEqual(log.map(({ hook, textMessageBuffer }) => [hook, textMessageBuffer]), [
    ["onRunInitialized", undefined],
    ["onTextMessageContentEvent", ""],
    ["onTextMessageContentEvent", "Hel"],
    ["onNewToolCall", undefined],
    ["onRunFinishedEvent", undefined],
    ["onRunFinalized", undefined],
  ]);
  assert.deepEqual(log[4].pendingToolCallIds, ["c"]);
  assert.deepEqual(agent.state, { n: 1 });
  agent.addMessage({ id: "res", role: "tool", toolCallId: "c", content: "found" });
  await agent.runAgent({ runId: "r2" });
  const [one, two] = requests;
  assert.equal(new Headers(one.headers).get("authorization"), "Bearer fresh");
  assert.equal(one.body.tools[0].name, "look");
  assert.equal("declared" in one.body.tools[0], false);
  assert.deepEqual(two.body.messages.map(({ id }) => id), ["u", "m", "c", "res"]);
  assert.deepEqual(two.body.state, { n: 1 });
  assert.deepEqual(own.getSnapshot().messages.map(({ id }) => id), ["u", "m", "c", "res", "n"]);
  own.dispose();
});

for (const where of ["the page", "a worker"]) {
  test(`a shown agent in ${where} keeps its headers, resumes a stream that is cut, and is continued from its save`, async () => {
    const create = where === "a worker" ? await (await import("../js/thread.mjs")).inWorker() : createAgent;
    let kept;
    const persist = createStore({ load: () => kept, save: (saved) => void (kept = saved), clear: () => (kept = undefined) });
    const numbered = (events, from = 0) => events.map((event, at) => `id: ${from + at}\n${sse(event)}`).join("");
    const events = [started(), ...text("m", "Hel", "lo"), finished()];
    const asked = [];
    const fetch = async (to, init) => {
      const headers = new Headers(init.headers);
      asked.push([init.method, headers.get("authorization"), headers.get("last-event-id"), init.body && JSON.parse(init.body).messages.map(({ id }) => id)]);
      if (asked.length === 1) return answer(numbered(events.slice(0, 3)));
      if (asked.length === 2) return answer(numbered(events.slice(3), 3));
      return answer(sse(started("r2"), ...text("n", "again"), finished({ runId: "r2" })));
    };
    const make = () =>
      create({
        url,
        threadId: "t",
        fetch,
        persist,
        headers: async () => ({ authorization: "Bearer fresh" }),
        resume: { by: "last-event-id", url: (runId) => `${url}/${runId}` },
        retry: { baseMs: 1, minMs: 0 },
      });
    const first = make();
    const shown = toHttpAgent(first);
    shown.addMessage(user("u", "hi"));
    const { newMessages } = await shown.runAgent({ runId: "r" });
    assert.deepEqual(newMessages.map(({ content }) => content), ["Hello"]);
    first.dispose();
    assert.deepEqual(asked, [
      ["POST", "Bearer fresh", null, ["u"]],
      ["GET", "Bearer fresh", "2", undefined],
    ]);

    const second = make();
    const again = toHttpAgent(second);
    second.subscribe(() => {});
    await until(() => again.messages.length === 2);
    await again.runAgent({ runId: "r2" });
    assert.deepEqual(asked[2][3], ["u", "m"]);
    assert.deepEqual(again.messages.map(({ content }) => content), ["hi", "Hello", "again"]);
    second.dispose();
  });
}

test("what happens to a shown agent elsewhere is seen, and its failures and stops are the official ones", async () => {
  let next = [started(), ...text("m", "x"), finished()];
  let body;
  const own = createAgent({
    url,
    threadId: "t",
    retry: false,
    fetch: async (_, init) => (next ? (next instanceof Response ? next : answer(sse(...next))) : (body = openBody(init)).response),
  });
  const agent = toHttpAgent(own);
  const seen = [];
  agent.subscribe({ onMessagesChanged: ({ messages }) => void seen.push(messages.length) });
  await own.submit("hello");
  await until(() => agent.messages.length === 2);
  assert.ok(seen.length > 0);
  next = Response.json({ error: "no" }, { status: 422 });
  const { failed } = await quiet(() => settled(agent.runAgent()));
  assert.deepEqual([failed.status, failed.payload], [422, { error: "no" }]);
  next = undefined;
  const run = agent.runAgent();
  await until(() => body);
  body.send([started("r2"), text("n", "half")[0], text("n", "half")[1]]);
  await until(() => agent.messages.at(-1).content === "half");
  agent.abortRun();
  await run;
  assert.equal(agent.messages.at(-1).content, "half");
  assert.equal(agent.isRunning, false);
  assert.throws(() => agent.clone(), /clone/);
  own.dispose();
});

test("joinDeltas on the exact way: the same joined deltas, in order with what stands between them", async () => {
  const [start, a, b, c, end] = text("m", "a", "b", "c");
  const events = [started(), start, a, b, { type: "CUSTOM", name: "n", value: 1 }, c, end, ...call("c", "f", '{"a"', ":1}"), finished()];
  const log = [];
  const agent = make(events, { joinDeltas: true });
  agent.use((input, next) => next.run(input));
  await agent.runAgent({}, { onEvent: ({ event }) => void log.push(event.delta ?? event.type) });
  assert.deepEqual(log, [
    "RUN_STARTED",
    "TEXT_MESSAGE_START",
    "ab",
    "CUSTOM",
    "c",
    "TEXT_MESSAGE_END",
    "TOOL_CALL_START",
    '{"a":1}',
    "TOOL_CALL_END",
    "RUN_FINISHED",
  ]);
  assert.equal(agent.messages[0].content, "abc");
});

test("joinDeltas on the exact way: what a frame brought is shown although the answer pauses, and deltas of two messages stay apart", async () => {
  class Local extends AbstractAgent {
    run() {
      return this.events$;
    }
  }
  const agent = new Local({ joinDeltas: true, onWarning: () => {} });
  agent.events$ = new Subject();
  const deltas = [];
  const run = agent.runAgent({}, { onTextMessageContentEvent: ({ event }) => void deltas.push([event.messageId, event.delta]) });
  await until(() => agent.events$.observed);
  const [start, a, b, end] = text("m", "a", "b");
  const [start2, c, d, end2] = text("n", "c", "d");
  for (const event of [started(), start, start2, a, b, c, d]) agent.events$.next(event);
  await until(() => agent.messages.length === 2 && agent.messages[1].content === "cd");
  assert.deepEqual(deltas, [["m", "ab"], ["n", "cd"]]);
  for (const event of [end, end2, finished()]) agent.events$.next(event);
  agent.events$.complete();
  await run;
});

/** The official client and a shown agent with the same server: the calls of hooks, the requests, and the state at the end. */
async function beside(answers, steps, shownConfig = {}, options = {}) {
  const play = async (make) => {
    const { fetch, requests } = server(...answers);
    const agent = make((to, init) => fetch(String(to), init));
    const heard = [];
    agent.subscribe({ onEvent: ({ event }) => void heard.push(event.delta ?? event.type) });
    await steps(agent);
    const { messages, state, threadId } = agent;
    return JSON.parse(JSON.stringify({ heard, asked: requests.map(({ body }) => [body.threadId, body.messages, body.state]), messages, state, threadId }));
  };
  const made = [];
  const own = (fetch, threadId) => (made.push(createAgent({ url, threadId, fetch, ...options })), made.at(-1));
  try {
    const expected = await play((fetch) => new official.HttpAgent({ url, threadId: "one", fetch, ...options }));
    const recorded = await play((fetch) => toHttpAgent(own(fetch, "one"), { clone: (threadId) => own(fetch, threadId), ...shownConfig }));
    return { expected, recorded, made };
  } finally {
    made.forEach((agent) => agent.dispose());
  }
}

test("a shown agent: chunks are full events for hooks, and a replaced state replaces, as the official client's", async () => {
  const chunk = (delta) => ({ type: "TEXT_MESSAGE_CHUNK", messageId: "m", role: "assistant", delta });
  const answers = [[started(), chunk("Hel"), chunk("lo"), finished()]];
  const steps = async (agent) => {
    agent.state = { kept: 1 };
    await agent.runAgent({ runId: "r" });
  };
  const options = { initialState: { kept: 1, gone: 2 } };
  const { expected, recorded } = await beside(answers, steps, {}, options);
  assert.deepEqual(recorded, expected);
  assert.deepEqual(recorded.asked, [["one", [], { kept: 1 }]]);
  const joined = await beside(answers, steps, { joinDeltas: true }, options);
  assert.deepEqual(joined.recorded.heard, ["RUN_STARTED", "TEXT_MESSAGE_START", "Hello", "TEXT_MESSAGE_END", "RUN_FINISHED"]);
});

test("a shown agent whose threadId was changed runs in that thread, as the official client does", async () => {
  const answers = ["r", "s", "u"].map((runId, at) => [started(runId), ...text(`m${at}`, `${at}`), finished({ runId })]);
  const { expected, recorded, made } = await beside(answers, async (agent) => {
    await agent.runAgent({ runId: "r" });
    agent.threadId = "two";
    agent.setMessages([user("u", "hi")]);
    await agent.runAgent({ runId: "s" });
    agent.threadId = "three";
    await agent.runAgent({ runId: "u" });
  });
  assert.deepEqual(recorded, expected);
  assert.deepEqual(recorded.asked.map(([threadId, messages]) => [threadId, messages.map(({ id }) => id)]), [["one", []], ["two", ["u"]], ["three", [
    "u",
    "m1",
  ]]]);
  assert.deepEqual(made.map((agent) => agent.getSnapshot().threadId), ["one", "two", "three"]);
});

test("a shown agent shows nothing of a thread that it has left, frees what it made for it, and says where it can make none", async () => {
  const { fetch } = server(...["r", "s", "u"].map((runId, at) => [started(runId), ...text(`m${at}`, `${at}`), finished({ runId })]));
  const make = (threadId) => createAgent({ url, threadId, fetch: (to, init) => fetch(String(to), init) });
  const own = make("one");
  const made = [];
  const agent = toHttpAgent(own, { clone: (threadId) => (made.push(make(threadId)), made.at(-1)) });
  agent.threadId = "two";
  await agent.runAgent({ runId: "r" });
  own.setMessages([user("elsewhere", "?"), user("too", "?")]);
  assert.deepEqual(agent.messages.map(({ id }) => id), ["m0"]);
  agent.threadId = "three";
  await agent.runAgent({ runId: "s" });
  await assert.rejects(made[0].submit("late"), { code: "disposed" });

  const warnings = [];
  const fixed = toHttpAgent(own, { onWarning: ({ code }) => warnings.push(code) });
  fixed.threadId = "four";
  await settled(fixed.runAgent({ runId: "u" }));
  assert.deepEqual(warnings, ["thread-fixed"]);
  own.dispose();
  made[1].dispose();
});
