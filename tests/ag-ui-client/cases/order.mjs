// The agent during a run, and the order of hooks and changes.

import { from, Observable } from "rxjs";
import { call, finished, left, openBody, recorder, server, settled, started, text, until, user } from "../client.mjs";

const url = "https://x.test/agent";
const plain = [started(), ...text("m", "Hel", "lo"), { type: "STATE_SNAPSHOT", snapshot: { a: 1 } }, ...call("c", "f", "{}"), finished()];
const make = ({ HttpAgent }, ...answers) => new HttpAgent({ url, threadId: "t", fetch: server(...answers).fetch, initialMessages: [user("u", "hi")] });

export async function theAgentIsUpToDateInHooks(client) {
  const agent = make(client, plain);
  const seen = [];
  const note = (name) => ({ agent, messages, state }) =>
    void seen.push([name, structuredClone(agent.messages), structuredClone(agent.state), messages.length, state]);
  agent.subscribe({
    onTextMessageEndEvent: note("end"),
    onToolCallStartEvent: note("call"),
    onToolCallEndEvent: note("called"),
    onRunFinishedEvent: note("finished"),
    onRunFinalized: note("final"),
  });
  await agent.runAgent();
  return seen;
}

export async function deltasAreInTheAgentBeforeTheNextHook(client) {
  const agent = make(client, plain);
  const seen = [];
  agent.subscribe({ onEvent: ({ event, agent }) => void seen.push([event.type, agent.messages.at(-1)?.content]) });
  await agent.runAgent();
  return seen;
}

export async function changesAreToldBeforeTheEnd(client) {
  const agent = make(client, plain);
  const log = [];
  agent.subscribe({
    onMessagesChanged: ({ messages }) => void log.push(messages.length),
    onStateChanged: ({ state }) => void log.push(state),
    onRunFinishedEvent: () => void log.push("finished"),
    onRunFinalized: () => void log.push("final"),
  });
  await agent.runAgent();
  const end = log.indexOf("finished");
  // How often is each client's own.
  return [log.includes(3), log.some((entry) => entry.a === 1), log.slice(0, end).every((entry) => typeof entry !== "string"), log.slice(end)];
}

export async function changesAreToldBeforeAnError(client) {
  const agent = make(client, [started(), ...text("m", "x"), { type: "RUN_ERROR", message: "no" }]);
  const log = [];
  agent.subscribe({ onMessagesChanged: ({ messages }) => void log.push(messages.length), onRunErrorEvent: () => void log.push("error") });
  await agent.runAgent();
  return [log.slice(-2), log.indexOf("error") === log.length - 1];
}

export async function messagesArePushedDuringARun(client) {
  let body;
  const agent = new client.HttpAgent({ url, threadId: "t", fetch: async () => (body = openBody()).response });
  const run = agent.runAgent();
  await until(() => body);
  body.send([started(), ...text("m", "x")]);
  await until(() => agent.messages.length === 1);
  agent.state = { assigned: 1 };
  body.send([finished()]);
  body.end();
  const { newMessages } = await run;
  return [newMessages, left(agent)];
}

export async function theThreadIdIsChangedDuringARun(client) {
  let body;
  const requests = [];
  const agent = new client.HttpAgent({
    url,
    threadId: "one",
    fetch: async (_, init) => (requests.push(JSON.parse(init.body).threadId), (body = openBody()).response),
  });
  const seen = [];
  const subscriber = { onRunFinalized: ({ input, agent }) => void seen.push(input.threadId, agent.threadId) };
  const run = agent.runAgent({}, subscriber);
  await until(() => body);
  agent.threadId = "two";
  body.send([started(), finished()]);
  body.end();
  await run;
  const second = agent.runAgent({}, subscriber);
  await until(() => requests.length === 2);
  body.send([started(), finished()]);
  body.end();
  await second;
  return [requests, seen];
}

export async function twoRunsAtOnce(client) {
  const bodies = [];
  const agent = new client.HttpAgent({ url, threadId: "t", fetch: async () => (bodies.push(openBody()), bodies.at(-1).response) });
  const one = settled(agent.runAgent({ runId: "one" }));
  const two = settled(agent.runAgent({ runId: "two" }));
  await until(() => bodies.length === 2);
  bodies[0].send([started("one"), ...text("m", "x"), finished({ runId: "one", result: 1 })]);
  bodies[0].end();
  const first = await one;
  const between = [agent.isRunning, structuredClone(agent.messages)];
  bodies[1].send([started("two"), { type: "STATE_SNAPSHOT", snapshot: 2 }, finished({ runId: "two", result: 2 })]);
  bodies[1].end();
  return [first, between, await two, agent.isRunning, agent.state];
}

export async function aRunOutOfAHookOfTheLast(client) {
  const agent = make(client, [started(), ...text("m", "x"), finished()], [started("r2"), ...text("n", "y"), finished({ runId: "r2", result: 2 })]);
  let second;
  agent.subscribe({ onRunFinalized: ({ agent }) => void (second ??= agent.runAgent({ runId: "r2" })) });
  const first = await agent.runAgent({ runId: "r" });
  await until(() => second);
  return [first, await second, left(agent)];
}

export async function subscribersOfALaterRun(client) {
  const agent = make(client, plain, plain.map((event) => (event.messageId ? { ...event, messageId: `2${event.messageId}` } : event)));
  const seen = [];
  const say = (name) => ({ onRunStartedEvent: () => void seen.push(name), onTextMessageStartEvent: () => name === "a" && void agent.subscribe(say("late")) });
  agent.subscribe(say("a"));
  await agent.runAgent();
  await agent.runAgent();
  return [seen, agent.subscribers.length];
}

export async function aSubscriberLeavesDuringARun(client) {
  const agent = make(client, plain);
  const seen = [];
  const { unsubscribe } = agent.subscribe({
    onRunStartedEvent: () => unsubscribe(),
    onTextMessageStartEvent: () => void seen.push("still"),
    onMessagesChanged: () => void seen.push("changed"),
  });
  await agent.runAgent();
  return [seen[0], seen.includes("changed"), agent.subscribers.length];
}

export async function hooksOfAnInstance(client) {
  class Subscriber {
    seen = [];
    onTextMessageContentEvent({ event }) {
      this.seen.push(event.delta);
    }
    onMessagesChanged() {
      this.changed = true;
    }
    onNewMessage({ message }) {
      this.seen.push(message.id);
    }
    onRunFinalized() {
      this.seen.push("final");
    }
  }
  const agent = make(client, plain);
  const subscriber = new Subscriber();
  agent.subscribe(subscriber);
  await agent.runAgent();
  return [subscriber.seen, subscriber.changed];
}

export async function aStreamOverTime({ AbstractAgent }) {
  const seen = [];
  class Own extends AbstractAgent {
    run() {
      return new Observable((subscriber) => {
        const rest = [
          started(),
          { type: "TEXT_MESSAGE_CHUNK", messageId: "m", delta: "a" },
          { type: "TEXT_MESSAGE_CHUNK", messageId: "m", delta: "b" },
          finished({ result: 3 }),
        ];
        const next = () => (rest.length ? (subscriber.next(rest.shift()), setTimeout(next, 1)) : subscriber.complete());
        next();
      });
    }
  }
  const agent = new Own({ threadId: "t" });
  const end = await agent.runAgent({}, {
    onTextMessageContentEvent: ({ event, textMessageBuffer }) => void seen.push([textMessageBuffer, event.delta, agent.messages[0]?.content]),
    onMessagesChanged: ({ messages }) => void seen.push(messages[0]?.content),
  });
  return [end, seen];
}

export async function eventsAreNotChanged({ AbstractAgent }) {
  const events = [started(), ...text("m", "x"), { type: "STATE_SNAPSHOT", snapshot: { deep: { a: 1 } } }, {
    type: "STATE_DELTA",
    delta: [{ op: "add", path: "/deep/b", value: 2 }],
  }, finished()];
  const before = structuredClone(events);
  class Own extends AbstractAgent {
    run() {
      return from(events);
    }
  }
  const agent = new Own({ threadId: "t" });
  const kept = [];
  agent.subscribe({ onEvent: ({ event }) => void kept.push(event) });
  await agent.runAgent();
  agent.state.deep.a = 9;
  return [JSON.stringify(events) === JSON.stringify(before), JSON.stringify(kept) === JSON.stringify(before)];
}

export async function aHookOfChangesThatThrows(client) {
  const agent = make(client, plain);
  const seen = [];
  agent.subscribe({
    onMessagesChanged: () => {
      throw new Error("mine");
    },
  });
  agent.subscribe({ onNewMessage: ({ message }) => void seen.push(message.id) });
  const end = await settled(agent.runAgent());
  return [!!end.failed, seen];
}

export async function whenTheRunIsOver(client) {
  const agent = make(client, plain);
  const seen = [];
  agent.subscribe({
    onRunFinalized: ({ agent }) => void seen.push(agent.isRunning, typeof agent.activeRunCompletionPromise),
    onRunFinishedEvent: ({ agent }) => void seen.push(agent.isRunning),
  });
  await agent.runAgent();
  return [seen, agent.isRunning];
}
