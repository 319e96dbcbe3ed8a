// The agent after a run, and its requests.

import { call, finished, left, openBody, server, settled, started, text, until, user } from "../client.mjs";

const make = ({ HttpAgent }, answers, config = {}) => {
  const made = server(...answers);
  return { agent: new HttpAgent({ url: "https://x.test/agent", threadId: "t", fetch: made.fetch, ...config }), requests: made.requests };
};

export async function aTextAndItsState(client) {
  const { agent } = make(client, [[started(), ...text("m", "Hel", "lo"), { type: "STATE_SNAPSHOT", snapshot: { a: 1 } }, {
    type: "STATE_DELTA",
    delta: [{ op: "add", path: "/b", value: [1] }],
  }, finished({ result: 7 })]], { initialMessages: [user("u", "hi")] });
  const result = await agent.runAgent();
  return { result, left: left(agent) };
}

export async function theRequest(client) {
  const initialMessages = [user("u", "hi"), { id: "act", role: "activity", activityType: "plan", content: {} }, { ...user("v", "x"), subagentRunId: null }];
  const { agent, requests } = make(client, [[started(), finished()]], { headers: { authorization: "Bearer x" }, initialState: { n: 1 }, initialMessages });
  const tools = [{ name: "f", description: "d", parameters: { type: "object" } }];
  await agent.runAgent({ runId: "run", tools, context: [{ description: "d", value: "v" }], forwardedProps: { p: 1 } });
  return requests;
}

export async function defaultsOfTheRequest(client) {
  const { agent, requests } = make(client, [[started(), finished()]]);
  await agent.runAgent();
  const { body } = requests[0];
  return { ...body, runId: /^[0-9a-f]{8}-[0-9a-f]{4}-4/.test(body.runId) };
}

export async function aSecondRunSendsWhatTheFirstHasMade(client) {
  const { agent, requests } = make(client, [[started(), ...text("m", "one"), finished()], [started("r2"), ...text("n", "two"), finished({ runId: "r2" })]]);
  agent.addMessage(user("u", "hi"));
  await agent.runAgent({ runId: "r" });
  agent.addMessage(user("v", "again"));
  const second = await agent.runAgent({ runId: "r2" });
  return { requests: requests.map(({ body }) => body.messages), second, left: left(agent) };
}

export async function toolCallsAndTheirResults(client) {
  const { agent } = make(client, [[started(), ...text("m", "look"), ...call("c", "f", '{"a"', ":1}"), ...text("n", "found"), {
    type: "TOOL_CALL_RESULT",
    messageId: "res",
    toolCallId: "c",
    content: "yes",
  }, finished()]]);
  await agent.runAgent();
  return left(agent);
}

export async function callsOfAParentMessage(client) {
  const start = { type: "TOOL_CALL_START", toolCallId: "c", toolCallName: "f", parentMessageId: "m" };
  const { agent } = make(client, [[started(), ...text("m", "x"), start, { type: "TOOL_CALL_END", toolCallId: "c" }, finished()]]);
  await agent.runAgent();
  return left(agent);
}

export async function reasoningAndActivities(client) {
  const reasoning = [
    { type: "REASONING_START", messageId: "q" },
    { type: "REASONING_MESSAGE_START", messageId: "q1", role: "reasoning" },
    { type: "REASONING_MESSAGE_CONTENT", messageId: "q1", delta: "hm" },
    { type: "REASONING_MESSAGE_END", messageId: "q1" },
    { type: "REASONING_END", messageId: "q" },
    { type: "REASONING_ENCRYPTED_VALUE", subtype: "message", entityId: "q1", encryptedValue: "e" },
  ];
  const activity = [
    { type: "ACTIVITY_SNAPSHOT", messageId: "a", activityType: "plan", content: { steps: [1] } },
    { type: "ACTIVITY_DELTA", messageId: "a", activityType: "plan", patch: [{ op: "add", path: "/steps/1", value: 2 }] },
  ];
  const { agent } = make(client, [[started(), ...reasoning, ...activity, ...text("m", "x"), finished()]]);
  await agent.runAgent();
  return left(agent);
}

export async function aListOfMessagesReplacesTheOldOne(client) {
  const messages = [user("u", "hi"), { id: "m", role: "assistant", content: "new" }];
  const { agent } = make(client, [[started(), ...text("m", "old"), { type: "MESSAGES_SNAPSHOT", messages }, finished()]], {
    initialMessages: [user("gone", "x"), user("u", "hi")],
  });
  await agent.runAgent();
  return left(agent);
}

export async function metadata(client) {
  const [start, content, end] = text("m", "x");
  const { agent } = make(client, [[started(), { ...start, metadata: { a: 1 } }, content, { ...end, metadata: { b: { c: 2 } } }, finished()]]);
  await agent.runAgent();
  return left(agent);
}

export async function chunks(client) {
  const { agent } = make(client, [[started(), { type: "TEXT_MESSAGE_CHUNK", messageId: "m", delta: "a" }, { type: "TEXT_MESSAGE_CHUNK", delta: "b" }, {
    type: "TOOL_CALL_CHUNK",
    toolCallId: "c",
    toolCallName: "f",
    delta: "{}",
  }, finished()]]);
  await agent.runAgent();
  return left(agent);
}

export async function anyJsonIsAState(client) {
  const seen = [];
  for (const snapshot of [null, 0, false, "", [1]]) {
    const { agent } = make(client, [[started(), { type: "STATE_SNAPSHOT", snapshot }, finished()]], { initialState: { a: 1 } });
    await agent.runAgent();
    seen.push(agent.state);
  }
  return seen;
}

export async function membersOfTheApplicationStay(client) {
  const own = { ...user("u", "hi"), mine: { deep: [1] } };
  const { agent } = make(client, [[started(), ...text("m", "x"), finished()]]);
  agent.messages.push(own);
  await agent.runAgent();
  return left(agent);
}

export async function fieldsMayBeAssignedBetweenRuns(client) {
  const { agent, requests } = make(client, [[started(), finished()]]);
  agent.threadId = "other";
  agent.messages = [user("u", "assigned")];
  agent.messages.splice(0, 1, user("v", "spliced"));
  agent.state = { assigned: true };
  agent.headers = { h: "1" };
  agent.url = "https://y.test/";
  await agent.runAgent({ runId: "run" });
  return requests;
}

export async function messagesKeepTheirIdentityWhereNothingHappened(client) {
  const { agent } = make(client, [[started(), ...text("m", "x"), finished()]], { initialMessages: [user("u", "hi")] });
  const [before] = agent.messages;
  await agent.runAgent();
  return agent.messages[0] === before;
}

export async function twoRunsInOneStream(client) {
  const { agent } = make(client, [[
    started(),
    ...text("m", "x"),
    finished({ result: 1 }),
    started("r2"),
    ...text("n", "y"),
    finished({ runId: "r2", result: 2 }),
  ]]);
  const result = await agent.runAgent();
  return { result, left: left(agent) };
}

export async function aRunErrorResolves(client) {
  const { agent } = make(client, [[started(), ...text("m", "x"), { type: "RUN_ERROR", message: "no", code: "c" }]]);
  return { settled: await settled(agent.runAgent()), left: left(agent) };
}

export async function theStateOfARunInProgress(client) {
  const body = openBody();
  const { agent } = make(client, [() => body.response]);
  const run = agent.runAgent();
  const seen = [agent.isRunning];
  body.send([started(), text("m", "a")[0], text("m", "a")[1]]);
  await until(() => agent.messages[0]?.content === "a");
  seen.push(agent.isRunning, typeof agent.activeRunCompletionPromise?.then);
  body.send([text("m")[1], finished()]);
  body.end();
  await run;
  return [...seen, agent.isRunning, agent.activeRunCompletionPromise === undefined];
}
