// The results of hooks.

import { finished, left, recorder, server, settled, started, text, user } from "../client.mjs";

const make = ({ HttpAgent }, ...events) => {
  const made = server(events);
  return Object.assign(new HttpAgent({ url: "https://x.test/agent", threadId: "t", fetch: made.fetch, initialMessages: [user("u", "hi")] }), {
    requests: made.requests,
  });
};
const plain = [started(), ...text("m", "Hel", "lo"), { type: "STATE_SNAPSHOT", snapshot: { a: 1 } }, finished()];

export async function messagesAndStateBeforeTheRequest(client) {
  const agent = make(client, ...plain);
  const log = [];
  agent.subscribe({
    onRunInitialized: ({ messages }) => ({
      messages: [...messages, user("v", "added"), { id: "p", role: "activity", activityType: "x", content: {} }],
      state: { set: 1 },
    }),
  });
  agent.subscribe(recorder(log, {}, ["onRunInitialized"]));
  await agent.runAgent({ runId: "r" });
  return [agent.requests[0].body, log, left(agent)];
}

export async function anEventThatIsStoppedDoesNotCount(client) {
  const agent = make(client, ...plain);
  const log = [];
  agent.subscribe({ onTextMessageContentEvent: ({ event }) => ({ stopPropagation: event.delta === "Hel" }) });
  agent.subscribe(recorder(log, {}, ["onTextMessageContentEvent", "onTextMessageEndEvent"]));
  await agent.runAgent();
  return [log, left(agent)];
}

export async function aStopInOnEventStopsTheHookOfTheType(client) {
  const agent = make(client, ...plain);
  const log = [];
  agent.subscribe({ onEvent: ({ event }) => ({ stopPropagation: event.type === "STATE_SNAPSHOT" || event.type === "RUN_FINISHED" }) });
  agent.subscribe(recorder(log, {}, ["onStateSnapshotEvent", "onRunFinishedEvent", "onRunStartedEvent"]));
  const result = await agent.runAgent();
  return [log, left(agent), result];
}

export async function messagesInTheMiddleOfAMessage(client) {
  const agent = make(client, ...plain);
  const log = [];
  agent.subscribe({
    onTextMessageEndEvent: ({ messages }) => ({ messages: messages.map((message) => (message.id === "m" ? { ...message, content: "rewritten" } : message)) }),
  });
  agent.subscribe(recorder(log, {}, ["onTextMessageEndEvent", "onStateSnapshotEvent"]));
  await agent.runAgent();
  return [log, left(agent)];
}

export async function aStateReplacesWhatTheServerBuildsOn(client) {
  const agent = make(
    client,
    started(),
    { type: "STATE_SNAPSHOT", snapshot: { a: 1 } },
    { type: "STATE_DELTA", delta: [{ op: "add", path: "/b", value: 2 }] },
    finished(),
  );
  agent.subscribe({ onStateDeltaEvent: () => ({ state: { mine: true } }) });
  await agent.runAgent();
  return left(agent);
}

export async function laterSubscribersSeeWhatEarlierOnesReturn(client) {
  const agent = make(client, ...plain);
  const seen = [];
  agent.subscribe({ onRunFinishedEvent: ({ messages }) => ({ messages: [...messages, user("x", "1")] }) });
  agent.subscribe({
    onRunFinishedEvent: ({ messages }) => {
      seen.push(messages.length);
      return { messages: messages.slice(1), state: 5 };
    },
  });
  agent.subscribe({ onRunFinishedEvent: ({ messages, state }) => void seen.push(messages.map(({ id }) => id), state) });
  await agent.runAgent();
  return [seen, left(agent)];
}

export async function afterTheRun(client) {
  const agent = make(client, ...plain);
  const seen = [];
  agent.subscribe({ onRunFinalized: ({ messages }) => ({ messages: [...messages, user("last", "x")], state: "end" }) });
  agent.subscribe({ onMessagesChanged: ({ messages }) => void seen.push(messages.length), onStateChanged: ({ state }) => void seen.push(state) });
  await agent.runAgent();
  await new Promise((resolve) => setTimeout(resolve, 5));
  return [seen.slice(-2), left(agent)];
}

export async function afterAFailure(client) {
  const log = [];
  const { HttpAgent } = client;
  const agent = new HttpAgent({ url: "https://x.test/", threadId: "t", fetch: async () => new Response("no", { status: 500 }) });
  agent.subscribe({ onRunFailed: ({ messages }) => ({ messages: [...messages, user("sorry", "x")], stopPropagation: true }) });
  agent.subscribe(recorder(log, {}, ["onRunFailed", "onRunFinalized"]));
  const end = await settled(agent.runAgent());
  return [end, log, left(agent)];
}

export async function aMessageOfAnEarlierRunIsTaken(client) {
  const agent = make(client, ...plain);
  agent.subscribe({ onTextMessageStartEvent: () => ({ messages: [] }) });
  const { newMessages } = await agent.runAgent();
  return [newMessages, left(agent)];
}

/** The messages of an application may have one id twice. */
export async function messagesWithOneId(client) {
  const agent = make(client, started(), { type: "CUSTOM", name: "n", value: 1 }, ...text("m", "x"), finished());
  agent.setMessages([user("u", "hi"), user("d", "1"), user("d", "2"), { id: "o", role: "assistant", content: "o" }]);
  let asked = 0;
  agent.subscribe({ onRunStartedEvent: ({ messages }) => (asked++ ? undefined : { messages: [...messages, user("d", "3")] }) });
  const log = [];
  agent.subscribe(recorder(log));
  await agent.runAgent({ runId: "r" });
  return [agent.requests[0].body, log, left(agent)];
}

export async function messagesInTheMiddleOfADelta(client) {
  const agent = make(client, ...plain);
  agent.subscribe({ onTextMessageContentEvent: ({ event, messages }) => (event.delta === "lo" ? { messages: [...messages, user("x", "y")] } : undefined) });
  await agent.runAgent();
  return left(agent);
}
