// Which hooks are called, in which order, with what.

import { call, finished, hooks, recorder, server, settled, started, text, until, user } from "../client.mjs";

const make = ({ HttpAgent }, ...events) =>
  new HttpAgent({ url: "https://x.test/agent", threadId: "t", fetch: server(events).fetch, initialMessages: [user("u", "hi")] });
const all = [
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
  { type: "ACTIVITY_SNAPSHOT", messageId: "a", activityType: "plan", content: { steps: [3] }, replace: true },
  { type: "SUBAGENT_STARTED", subagentRunId: "sub", name: "helper" },
  { type: "SUBAGENT_FINISHED", subagentRunId: "sub" },
  { type: "CUSTOM", name: "n", value: { v: 1 } },
  { type: "RAW", event: { raw: 1 } },
  { type: "STEP_FINISHED", stepName: "s" },
  { type: "MESSAGES_SNAPSHOT", messages: [user("u", "hi"), { id: "m", role: "assistant", content: "Hello!" }] },
  finished({ result: 7 }),
];

export async function everyHookInOrder(client) {
  const log = [];
  const agent = make(client, ...all);
  agent.subscribe(recorder(log));
  await agent.runAgent();
  // The parsed arguments are another case.
  return log;
}

export async function eachHookAlone(client) {
  const seen = {};
  for (const name of hooks) {
    const log = [];
    const agent = make(client, ...all);
    await agent.runAgent({}, recorder(log, {}, [name]));
    seen[name] = log;
  }
  return seen;
}

export async function chunksComeExpanded(client) {
  const log = [];
  const agent = make(
    client,
    started(),
    { type: "TEXT_MESSAGE_CHUNK", messageId: "m", delta: "a" },
    { type: "TEXT_MESSAGE_CHUNK", messageId: "m", delta: "b" },
    { type: "TOOL_CALL_CHUNK", toolCallId: "c", toolCallName: "f", delta: "{}" },
    finished(),
  );
  agent.subscribe(recorder(log));
  await agent.runAgent();
  return log;
}

export async function chunksHaveTheirMembers(client) {
  const log = [];
  const more = { metadata: { m: 1 }, rawEvent: { r: 1 }, timestamp: 1 };
  const agent = make(
    client,
    started(),
    { type: "TEXT_MESSAGE_CHUNK", messageId: "m", delta: "a", ...more },
    { type: "TEXT_MESSAGE_CHUNK", messageId: "m", delta: "b", ...more },
    { type: "TEXT_MESSAGE_CHUNK", messageId: "m", metadata: { m: 2 } },
    { type: "REASONING_MESSAGE_CHUNK", messageId: "q", ...more },
    { type: "REASONING_MESSAGE_CHUNK", messageId: "q2", metadata: { m: 3 } },
    { type: "TOOL_CALL_CHUNK", toolCallId: "c", toolCallName: "f", delta: "{}", subagentRunId: "s", ...more },
    finished(),
  );
  agent.subscribe(recorder(log));
  await agent.runAgent();
  return log;
}

export async function whoSubscribesAfterMessagesWereAddedIsNotTold({ HttpAgent }) {
  const agent = new HttpAgent({ url: "https://x.test/agent" });
  const told = [];
  const subscriber = (name) => ({ onNewMessage: () => void told.push([name, "message"]), onMessagesChanged: () => void told.push([name, "messages"]) });
  agent.addMessages([user("a", "1"), user("b", "2")]);
  agent.subscribe(subscriber("late"));
  await new Promise((resolve) => setTimeout(resolve));
  agent.addMessage(user("c", "3"));
  agent.subscribe(subscriber("later"));
  await new Promise((resolve) => setTimeout(resolve));
  return told;
}

export async function ofAllHooksTheSameInput(client) {
  const inputs = new Set();
  const agents = new Set();
  const agent = make(client, ...all);
  const subscriber = {};
  for (const name of hooks) subscriber[name] = ({ input, agent }) => void (inputs.add(input), agents.add(agent));
  await agent.runAgent({}, subscriber);
  return [inputs.size, agents.size, agents.has(agent)];
}

export async function subscribersOfTheAgentComeBeforeThatOfTheRun(client) {
  const log = [];
  const agent = make(client, started(), ...text("m", "x"), finished());
  const say = (name) => ({
    onRunInitialized: () => void log.push(`${name} init`),
    onTextMessageEndEvent: () => void log.push(`${name} end`),
    onRunFinalized: () => void log.push(`${name} final`),
  });
  agent.subscribe(say("a"));
  const { unsubscribe } = agent.subscribe(say("gone"));
  agent.subscribe(say("b"));
  unsubscribe();
  await agent.runAgent({}, say("run"));
  // The official client resolves while the last subscribers are yet to be called.
  await until(() => log.includes("run final"));
  return [log, agent.subscribers.length];
}

export async function asyncHooksAreAwaitedOneAfterAnother(client) {
  const log = [];
  const agent = make(client, started(), ...text("m", "a", "b"), finished());
  const slow = (name) => ({
    onEvent: async ({ event }) => {
      log.push(`${name} ${event.type}`);
      await new Promise((resolve) => setTimeout(resolve, 2));
      log.push(`${name} ${event.type} done`);
    },
    onTextMessageContentEvent: async ({ textMessageBuffer }) => {
      await Promise.resolve();
      log.push(`${name} before: ${textMessageBuffer}`);
    },
  });
  agent.subscribe(slow("a"));
  agent.subscribe(slow("b"));
  await agent.runAgent();
  return log;
}

export async function aHookThatThrowsIsSkipped(client) {
  const log = [];
  const agent = make(client, started(), ...text("m", "x"), finished());
  agent.subscribe({
    onTextMessageContentEvent: () => {
      throw new Error("mine");
    },
    onRunStartedEvent: async () => {
      throw new Error("later");
    },
  });
  agent.subscribe({ onTextMessageContentEvent: () => void log.push("second"), onRunStartedEvent: () => void log.push("started") });
  const { failed } = await settled(agent.runAgent());
  return [log, failed, agent.messages];
}

export async function changesOutsideOfARun(client) {
  const log = [];
  const agent = make(client, started(), finished());
  const note = (name) => ({ message, toolCall, messages, state }) => void log.push({ name, message, toolCall, messages: [...messages], state });
  agent.subscribe({ onNewMessage: note("message"), onNewToolCall: note("call"), onMessagesChanged: note("messages"), onStateChanged: note("state") });
  const pause = () => new Promise((resolve) => setTimeout(resolve, 5));
  const toolCalls = [{ id: "c", type: "function", function: { name: "f", arguments: "{}" } }];
  agent.addMessage({ id: "m", role: "assistant", toolCalls });
  await pause();
  agent.addMessages([user("v", "a"), user("w", "b")]);
  await pause();
  agent.setMessages([user("x", "only")]);
  await pause();
  agent.setState({ n: 1 });
  await pause();
  return log;
}

export async function whatIsSetIsCopied(client) {
  const agent = make(client, started(), finished());
  const messages = [user("x", "only")];
  const state = { n: 1 };
  agent.setMessages(messages);
  agent.setState(state);
  const added = user("y", "added");
  agent.addMessage(added);
  return [agent.messages[0] === messages[0], agent.state === state, agent.messages[1] === added];
}

export async function pendingCallsOfAResult(client) {
  const seen = [];
  const subscriber = { onRunFinishedEvent: ({ outcome, pendingToolCallIds, interrupts }) => void seen.push({ outcome, pendingToolCallIds, interrupts }) };
  const result = { type: "TOOL_CALL_RESULT", messageId: "res", toolCallId: "b", content: "" };
  await make(client, started(), ...call("a", "f"), ...call("b", "f"), result, finished()).runAgent({}, subscriber);
  await make(client, started(), ...call("a", "f"), finished({ outcome: { type: "success", pendingToolCallIds: ["z"] } })).runAgent({}, subscriber);
  await make(client, started(), finished({ outcome: { type: "cancelled" } })).runAgent({}, subscriber);
  await make(client, started(), finished({ outcome: { type: "interrupt", interrupts: [{ id: "i", reason: "ask" }] } })).runAgent({}, subscriber);
  return seen;
}

export async function notificationsAreOfTheLastState(client) {
  const seen = [];
  const agent = make(client, started(), ...text("m", "a", "b"), { type: "STATE_SNAPSHOT", snapshot: 1 }, finished());
  agent.subscribe({
    onMessagesChanged: ({ messages, agent }) => void seen.push(messages === agent.messages, messages.at(-1).content),
    onStateChanged: ({ state }) => void seen.push(state),
  });
  await agent.runAgent();
  // How often it is told is each client's own; that the last is the last is not.
  return [seen.every((value) => value !== false), seen.at(-2), seen.at(-1)];
}
