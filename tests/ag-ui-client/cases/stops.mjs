// Each hook once stops its event, changes the messages, changes the state, throws, rejects, aborts or leaves the run.

import { call, finished, hooks, left, openBody, recorder, server, settled, started, text, until, user } from "../client.mjs";

const events = [
  started(),
  { type: "STEP_STARTED", stepName: "s" },
  ...text("m", "Hel", "lo"),
  ...call("c", "f", '{"a"', ":1}"),
  { type: "TOOL_CALL_RESULT", messageId: "res", toolCallId: "c", content: "yes", role: "tool" },
  { type: "STATE_SNAPSHOT", snapshot: { a: 1 } },
  { type: "STATE_DELTA", delta: [{ op: "replace", path: "/a", value: 2 }] },
  { type: "REASONING_START", messageId: "q" },
  { type: "REASONING_MESSAGE_START", messageId: "q1", role: "reasoning" },
  { type: "REASONING_MESSAGE_CONTENT", messageId: "q1", delta: "h" },
  { type: "REASONING_MESSAGE_CONTENT", messageId: "q1", delta: "m" },
  { type: "REASONING_MESSAGE_END", messageId: "q1" },
  { type: "REASONING_ENCRYPTED_VALUE", subtype: "message", entityId: "q1", encryptedValue: "e" },
  { type: "REASONING_END", messageId: "q" },
  { type: "ACTIVITY_SNAPSHOT", messageId: "a", activityType: "plan", content: { steps: [] }, replace: true },
  { type: "ACTIVITY_DELTA", messageId: "a", activityType: "plan", patch: [{ op: "add", path: "/steps/0", value: 2 }] },
  { type: "CUSTOM", name: "n", value: { v: 1 } },
  { type: "RAW", event: { raw: 1 } },
  { type: "STEP_FINISHED", stepName: "s" },
  { type: "MESSAGES_SNAPSHOT", messages: [user("u", "hi"), { id: "m", role: "assistant", content: "Hello!" }] },
  finished({ result: 7 }),
];
const withError = [...events.slice(0, 6), { type: "RUN_ERROR", message: "no" }];
const url = "https://x.test/agent";
const own = hooks.filter((name) =>
  !["onNewMessage", "onNewToolCall", "onRunFailed", "onSubagentStartedEvent", "onSubagentFinishedEvent", "onSubagentErrorEvent"].includes(name)
);
const streamOf = (name) => (name === "onRunErrorEvent" ? withError : events);
const make = ({ HttpAgent }, stream) =>
  new HttpAgent({ url, threadId: "t", fetch: server(stream).fetch, initialMessages: [user("u", "hi")], initialState: { s: 0 } });
const short = (log) =>
  log.map(({ hook, event, message, toolCall, textMessageBuffer, toolCallBuffer }) =>
    [hook, event?.type, message?.id, toolCall?.id, textMessageBuffer, toolCallBuffer].filter((part) => part !== undefined).join(" ")
  );

/** Each hook returns something the first time that it is called. */
const each = (returns, listened = hooks) => async (client) => {
  const seen = {};
  for (const name of own) {
    const log = [];
    const agent = make(client, streamOf(name));
    let once = false;
    agent.subscribe({ [name]: (params) => (once ? undefined : ((once = true), returns(params))) });
    agent.subscribe(recorder(log, {}, listened));
    const end = await settled(agent.runAgent());
    await new Promise((resolve) => setTimeout(resolve));
    seen[name] = [short(log), end, left(agent)];
  }
  return seen;
};

export const eachHookStops = each(() => ({ stopPropagation: true }));
export const eachHookStopsWithoutOnEvent = each(() => ({ stopPropagation: true }), hooks.filter((name) => name !== "onEvent"));
export const eachHookDoesNotStop = each(() => ({ stopPropagation: false }));
export const eachHookReturnsNull = each(() => null);
export const eachHookReturnsNothingOfInterest = each(() => ({}));
export const eachHookThrows = each(() => {
  throw new Error("mine");
});
export const eachHookRejects = each(() => Promise.reject(new Error("mine")));
export const eachHookReturnsTheSameObjects = each(({ messages, state }) => ({ messages, state }));
export const eachHookReplacesTheState = each(() => ({ state: { mine: 1 } }));
export const eachHookStopsAndReplaces = each(({ messages }) => ({ messages: [...messages, user("x", "added")], state: [1], stopPropagation: true }));

/** As long as no message grows in which the hook replaces the list. */
const between = own.filter((name) => !/Content|Args|onEvent/.test(name));
export async function eachHookAddsAMessage(client) {
  const seen = {};
  for (const name of between) {
    const log = [];
    const agent = make(client, streamOf(name).filter(({ type }) => type !== "MESSAGES_SNAPSHOT" || name === "onMessagesSnapshotEvent"));
    let once = false;
    agent.subscribe({ [name]: async ({ messages }) => (once ? undefined : ((once = true), { messages: [...messages, user("x", "added")] })) });
    agent.subscribe(recorder(log, {}, [name]));
    const end = await settled(agent.runAgent());
    await new Promise((resolve) => setTimeout(resolve));
    seen[name] = [log, end, left(agent)];
  }
  return seen;
}

export async function theRunIsAbortedInEachHook(client) {
  const seen = {};
  for (const name of own.filter((name) => !["onRunFinalized", "onRunFinishedEvent", "onRunErrorEvent"].includes(name))) {
    const log = [];
    let body;
    const fetch = async (_, init) => {
      if (init.signal.aborted) throw init.signal.reason;
      body = openBody(init);
      body.send(events.slice(0, -1));
      return body.response;
    };
    const agent = new client.HttpAgent({ url, threadId: "t", fetch });
    agent.subscribe({ [name]: () => void agent.abortRun() });
    agent.subscribe(recorder(log, {}, ["onRunFailed", "onRunFinishedEvent", "onRunErrorEvent", "onRunFinalized"]));
    const end = await settled(agent.runAgent());
    seen[name] = [log.map(({ hook, event }) => [hook, event?.code, event?.message]), end.failed, agent.isRunning];
  }
  return seen;
}

export async function theRunIsLeftInEachHook(client) {
  const seen = {};
  for (const name of own.filter((name) => !["onRunFinalized", "onRunInitialized", "onRunErrorEvent"].includes(name))) {
    const log = [];
    const agent = make(client, events);
    agent.subscribe({ [name]: () => void agent.detachActiveRun() });
    agent.subscribe(recorder(log, {}, ["onRunFailed", "onRunFinalized"]));
    const end = await settled(agent.runAgent());
    seen[name] = [short(log), end, left(agent)];
  }
  return seen;
}

export async function whatCameBeforeTheRunWasLeftCounts(client) {
  let body;
  const agent = new client.HttpAgent({ url, threadId: "t", fetch: async () => (body = openBody()).response });
  const seen = [];
  const run = settled(agent.runAgent({}, { onEvent: ({ event }) => void seen.push(event.type) }));
  await until(() => body);
  body.send([started(), ...text("m", "one")]);
  await until(() => seen.length === 4);
  body.send([...text("n", "two")]);
  await new Promise((resolve) => setTimeout(resolve, 10));
  await agent.detachActiveRun();
  try {
    body.send([...text("late", "three"), finished()]);
  } catch {
    // Nobody reads from here on: the body has been cancelled.
  }
  return [await run, seen, left(agent)];
}

export async function anAsyncHookIsAwaitedWhenTheRunIsLeft(client) {
  let body, open;
  const gate = new Promise((resolve) => (open = resolve));
  const log = [];
  const agent = new client.HttpAgent({ url, threadId: "t", fetch: async () => (body = openBody()).response });
  const run = settled(agent.runAgent({}, {
    onTextMessageContentEvent: async () => {
      log.push("in");
      await gate;
      log.push("out");
    },
    onRunFinalized: () => void log.push("final"),
  }));
  await until(() => body);
  body.send([started(), ...text("m", "one")]);
  await until(() => log.length);
  const detached = agent.detachActiveRun().then(() => log.push("detached"));
  await new Promise((resolve) => setTimeout(resolve, 5));
  log.push("opened");
  open();
  await detached;
  return [await run, log, left(agent)];
}
