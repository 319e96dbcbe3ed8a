// Events and messages: ids that come again, parents, lists, roles, metadata.

import { call, finished, left, recorder, server, settled, started, text, user } from "../client.mjs";

const play = async ({ HttpAgent }, events, { initialMessages = [user("u", "hi")], initialState, names } = {}) => {
  const log = [];
  const agent = new HttpAgent({
    url: "https://x.test/",
    threadId: "t",
    fetch: server([started(), ...events, finished()]).fetch,
    initialMessages,
    initialState,
  });
  const end = await settled(agent.runAgent({}, recorder(log, {}, names)));
  return [end, log, left(agent)];
};
const assistant = (id, more = {}) => ({ id, role: "assistant", content: "old", ...more });
const withCall = assistant("p", { toolCalls: [{ id: "c", type: "function", function: { name: "f", arguments: "{}" } }] });
const activity = (id, more = {}) => ({ id, role: "activity", activityType: "plan", content: { a: 1 }, ...more });
const sub = { subagentRunId: "s" };

export const aTextOfAnIdThatIsThere = (client) => play(client, text("p", " and new"), { initialMessages: [user("u", "hi"), assistant("p")] });
export const rolesAndNames = (client) =>
  play(
    client,
    ["user", "system", "developer"].flatMap((role) => {
      const [start, ...rest] = text(role, "x");
      return [{ ...start, role, name: `n ${role}` }, ...rest];
    }),
  );
export const aStartWithoutARole = (client) => play(client, [{ type: "TEXT_MESSAGE_START", messageId: "m" }, ...text("m", "x").slice(1)]);
export const aTextOfAnActivitysId = (client) => play(client, text("a", "x"), { initialMessages: [activity("a")] });
export const aCallOfAParentThatIsNotThere = (client) => play(client, [{ ...call("c", "f")[0], parentMessageId: "new" }, ...call("c", "f", "{}").slice(1)]);
export const aCallOfAParentThatIsAUser = (client) => play(client, [{ ...call("c", "f")[0], parentMessageId: "u" }, ...call("c", "f", "{}").slice(1)]);
export const twoCallsOfOneParent = (client) =>
  play(client, ["c", "d"].flatMap((id) => [{ ...call(id, "f")[0], parentMessageId: "p" }, ...call(id, "f", "{}").slice(1)]), {
    initialMessages: [assistant("p")],
  });
export const aCallThatIsThereIsStartedAgain = (client) => play(client, call("c", "renamed"), { initialMessages: [user("u", "x"), withCall] });
export const aResultAfterALaterText = (client) =>
  play(client, [...text("n", "later"), { type: "TOOL_CALL_RESULT", messageId: "r", toolCallId: "c", content: "yes" }], {
    initialMessages: [user("u", "x"), withCall],
  });
export const resultsOfParallelCalls = (client) =>
  play(client, [
    ...call("c", "f"),
    ...call("d", "f"),
    ...["d", "c"].map((toolCallId) => ({ type: "TOOL_CALL_RESULT", messageId: `r${toolCallId}`, toolCallId, content: "" })),
    ...text("n", "x"),
  ]);
export const aResultOfNoCall = (client) => play(client, [{ type: "TOOL_CALL_RESULT", messageId: "r", toolCallId: "none", content: "yes" }, ...text("n", "x")]);
export const whatTheRunSaysItWasGiven = ({ HttpAgent }) => {
  const input = {
    threadId: "t",
    runId: "r",
    messages: [user("u", "other"), user("v", "new")],
    tools: [],
    context: [],
    state: { from: "input" },
    forwardedProps: {},
  };
  const agent = new HttpAgent({
    url: "https://x.test/",
    threadId: "t",
    fetch: server([{ ...started(), input }, finished()]).fetch,
    initialMessages: [user("u", "hi")],
  });
  return agent.runAgent().then((end) => [end, left(agent)]);
};
export const aListKeepsWhatTheServerDoesNotHave = (client) =>
  play(client, [{ type: "MESSAGES_SNAPSHOT", messages: [user("u", "hi"), assistant("z")] }], {
    initialMessages: [user("u", "hi"), activity("a"), { id: "q", role: "reasoning", content: "hm" }, assistant("gone")],
  });
export const aListWithActivitiesIsAllOfThem = (client) =>
  play(client, [{ type: "MESSAGES_SNAPSHOT", messages: [user("u", "hi"), activity("b"), { id: "q2", role: "reasoning", content: "x" }] }], {
    initialMessages: [user("u", "hi"), activity("a"), { id: "q", role: "reasoning", content: "hm" }],
  });
export const anEmptyList = (client) => play(client, [{ type: "MESSAGES_SNAPSHOT", messages: [] }], { initialMessages: [user("u", "hi"), activity("a")] });
export const activitiesOfAnIdThatIsThere = (client) =>
  play(client, [
    { type: "ACTIVITY_SNAPSHOT", messageId: "a", activityType: "plan", content: { b: 2 }, replace: false },
    { type: "ACTIVITY_SNAPSHOT", messageId: "u", activityType: "plan", content: { c: 3 }, replace: false },
    { type: "ACTIVITY_SNAPSHOT", messageId: "p", activityType: "plan", content: { d: 4 } },
    { type: "ACTIVITY_DELTA", messageId: "a", activityType: "other", patch: [{ op: "add", path: "/x", value: 1 }] },
    { type: "ACTIVITY_DELTA", messageId: "a", activityType: "other", patch: [{ op: "remove", path: "/none" }], metadata: { kept: 1 } },
    { type: "ACTIVITY_DELTA", messageId: "none", activityType: "other", patch: [] },
    { type: "ACTIVITY_DELTA", messageId: "u", activityType: "other", patch: [] },
  ], { initialMessages: [user("u", "hi"), activity("a", { metadata: { m: 1 } }), assistant("p")] });
export const encryptedValues = (client) =>
  play(client, [{ type: "REASONING_ENCRYPTED_VALUE", subtype: "tool-call", entityId: "c", encryptedValue: "e1" }, {
    type: "REASONING_ENCRYPTED_VALUE",
    subtype: "message",
    entityId: "u",
    encryptedValue: "e2",
  }, { type: "REASONING_ENCRYPTED_VALUE", subtype: "message", entityId: "none", encryptedValue: "e3" }], { initialMessages: [user("u", "hi"), withCall] });
export const metadataEverywhere = (client) =>
  play(client, [
    ...text("m", "x").map((event, n) => ({ ...event, metadata: { [`k${n}`]: n, same: n } })),
    ...call("c", "f", "{}").map((event, n) => ({ ...event, metadata: { [`k${n}`]: n } })),
    { type: "TOOL_CALL_RESULT", messageId: "r", toolCallId: "c", content: "", metadata: { r: 1 } },
    { type: "REASONING_MESSAGE_START", messageId: "q", role: "reasoning", metadata: { q: 1 } },
    { type: "REASONING_MESSAGE_CONTENT", messageId: "q", delta: "hm", metadata: { q: 2 } },
    { type: "REASONING_MESSAGE_END", messageId: "q", metadata: { end: [1] } },
    { type: "ACTIVITY_SNAPSHOT", messageId: "a", activityType: "plan", content: {}, metadata: { a: 1 } },
    { type: "ACTIVITY_SNAPSHOT", messageId: "a", activityType: "plan", content: {}, metadata: { b: 1 } },
  ]);
export const subagents = (client) =>
  play(client, [
    { type: "SUBAGENT_STARTED", subagentRunId: "s", name: "helper" },
    ...text("m", "x").map((event) => ({ ...event, ...sub })),
    ...call("c", "f", "{}").map((event) => ({ ...event, ...sub })),
    { type: "TOOL_CALL_RESULT", messageId: "r", toolCallId: "c", content: "", ...sub },
    { type: "ACTIVITY_SNAPSHOT", messageId: "a", activityType: "plan", content: {}, ...sub },
    { type: "SUBAGENT_FINISHED", subagentRunId: "s", result: { ok: true } },
    { type: "SUBAGENT_STARTED", subagentRunId: "t", name: "second", parentSubagentRunId: "s" },
    { type: "SUBAGENT_ERROR", subagentRunId: "t", message: "no" },
  ]);
export const patchesOfTheState = async (client) => {
  const seen = [];
  for (const delta of [
    [{ op: "add", path: "/l/-", value: 3 }],
    [{ op: "test", path: "/a", value: 9 }, { op: "remove", path: "/a" }],
    [{ op: "replace", path: "", value: "whole" }],
    [{ op: "move", from: "/a", path: "/b" }],
    [{ op: "copy", from: "/l", path: "/m" }],
    [],
    [{ op: "add", path: "/x/y", value: 1 }],
  ]) {
    seen.push(
      await play(client, [{ type: "STATE_DELTA", delta }], { initialState: { a: 1, l: [1, 2] }, names: ["onStateDeltaEvent", "onStateSnapshotEvent"] }),
    );
  }
  return seen;
};
export const aStateThatIsNull = async (client) => {
  const { HttpAgent } = client;
  const log = [];
  const made = server([started(), ...text("m", "x"), finished()]);
  const agent = new HttpAgent({ url: "https://x.test/", threadId: "t", fetch: made.fetch });
  agent.setState(null);
  await agent.runAgent({ runId: "r" }, recorder(log, {}, ["onRunInitialized", "onTextMessageEndEvent", "onRunFinalized"]));
  return [log, made.requests[0].body.state, left(agent)];
};
export const thinkingAsHooks = async (client) => {
  const [end, log, { messages }] = await play(client, [
    { type: "THINKING_START", title: "t" },
    { type: "THINKING_TEXT_MESSAGE_START" },
    { type: "THINKING_TEXT_MESSAGE_CONTENT", delta: "hm" },
    { type: "THINKING_TEXT_MESSAGE_END" },
    { type: "THINKING_END" },
  ]);
  return [
    end.failed,
    log.map(({ hook, event }) => [hook, event && Object.keys(event).sort(), event?.role, event?.delta]),
    messages.map(({ role, content }) => [role, content]),
  ];
};
export const reasoningChunks = (client) =>
  play(client, [{ type: "REASONING_MESSAGE_CHUNK", messageId: "q", delta: "a" }, { type: "REASONING_MESSAGE_CHUNK", delta: "b" }, {
    type: "TEXT_MESSAGE_CHUNK",
    messageId: "m",
    role: "assistant",
    delta: "x",
  }, { type: "TEXT_MESSAGE_CHUNK", messageId: "n", delta: "y" }]);
export const callChunks = (client) =>
  play(client, [
    { type: "TOOL_CALL_CHUNK", toolCallId: "c", toolCallName: "f", parentMessageId: "p", delta: '{"a"' },
    { type: "TOOL_CALL_CHUNK", delta: ":1}" },
    { type: "TOOL_CALL_CHUNK", toolCallId: "d", toolCallName: "g" },
    { type: "STATE_SNAPSHOT", snapshot: 1 },
  ]);
export const contentInParts = (client) =>
  play(client, [{
    type: "MESSAGES_SNAPSHOT",
    messages: [{ id: "u", role: "user", content: [{ type: "text", text: "look" }, { type: "image", source: { type: "url", value: "https://x.test/i.png" } }] }],
  }, ...text("m", "x")], { initialMessages: [{ id: "u", role: "user", content: [{ type: "text", text: "old" }] }] });
export const binaryParts = (client) =>
  play(client, [{
    type: "MESSAGES_SNAPSHOT",
    messages: [{
      id: "u",
      role: "user",
      content: [{ type: "binary", mimeType: "image/png", url: "https://x.test/i.png" }, {
        type: "binary",
        mimeType: "application/pdf",
        data: "AA==",
        filename: "a.pdf",
      }],
    }],
  }]);
export const timestampsAndRawEvents = (client) => play(client, text("m", "x").map((event) => ({ ...event, timestamp: 5, rawEvent: { deep: [1] } })));
export const membersThatNobodyDescribes = (client) =>
  play(client, [...text("m", "x").map((event) => ({ ...event, later: 1 })), { type: "MESSAGES_SNAPSHOT", messages: [{ ...user("u", "hi"), later: 1 }] }, {
    type: "CUSTOM",
    name: "n",
    value: { open: 1 },
    later: 1,
  }]);
