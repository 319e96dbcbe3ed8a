// Middlewares, subclasses, and streams that are not HTTP.

import { EMPTY, from, map, of, Observable, tap, throwError, toArray, lastValueFrom, concat } from "rxjs";
import { call, finished, left, recorder, server, settled, started, text, until, user } from "../client.mjs";

const plain = [started(), ...text("m", "Hel", "lo"), finished({ result: 1 })];
const make = ({ HttpAgent }, events = plain) => {
  const made = server(events);
  return Object.assign(new HttpAgent({ url: "https://x.test/agent", threadId: "t", fetch: made.fetch }), { requests: made.requests });
};
const scripted = ({ AbstractAgent }, events) =>
  new (class extends AbstractAgent {
    run() {
      return from(events);
    }
  })({ threadId: "t" });

export async function aFunctionChangesEvents(client) {
  const agent = make(client);
  agent.use((input, next) => next.run(input).pipe(map((event) => (event.delta ? { ...event, delta: event.delta.toUpperCase() } : event))));
  const result = await agent.runAgent();
  return [result, left(agent)];
}

export async function theFirstIsTheOutermost(client) {
  const log = [];
  const say = (name) =>
  (
    input,
    next,
  ) => (log.push(`${name} in`),
    next.run({ ...input, forwardedProps: { ...input.forwardedProps, [name]: 1 } }).pipe(
      tap(({ type }) => type === "RUN_FINISHED" && log.push(`${name} out`)),
    ));
  const agent = make(client);
  agent.use(say("a"), say("b")).use(say("c"));
  await agent.runAgent();
  return [log, agent.requests[0].body.forwardedProps];
}

export async function aClassRunsTheRestWithItsState(client) {
  const seen = [];
  class Watch extends client.Middleware {
    run(input, next) {
      seen.push(next.messages.length, next.state);
      return this.runNextWithState(input, next).pipe(map(({ event, messages, state }) => {
        seen.push([event.type, messages, state]);
        return event;
      }));
    }
  }
  const agent = make(client, [
    started(),
    { type: "TEXT_MESSAGE_CHUNK", messageId: "m", delta: "x" },
    { type: "STATE_SNAPSHOT", snapshot: { a: 1 } },
    finished(),
  ]);
  agent.addMessage(user("u", "hi"));
  agent.use(new Watch());
  await agent.runAgent();
  return [seen, left(agent)];
}

export async function aMiddlewareAnswersByItself(client) {
  const agent = make(client);
  agent.use(() => of(started(), ...text("own", "mine"), finished({ result: "own" })));
  const result = await agent.runAgent();
  return [result, agent.requests.length];
}

export async function aMiddlewareFails(client) {
  const log = [];
  const agent = make(client);
  agent.use(() => throwError(() => new Error("mine")));
  const end = await settled(agent.runAgent({}, recorder(log, {}, ["onRunFailed", "onRunFinalized"])));
  return [end, log, left(agent)];
}

export async function toolsAreFiltered(client) {
  const agent = make(client, [started(), ...call("a", "hidden", "{}"), ...call("b", "shown", "{}"), {
    type: "TOOL_CALL_RESULT",
    messageId: "r1",
    toolCallId: "a",
    content: "",
  }, finished()]);
  agent.use(new client.FilterToolCallsMiddleware({ disallowedToolCalls: ["hidden"] }));
  await agent.runAgent();
  const messages = agent.messages;
  const only = make(client, [started(), ...call("a", "hidden", "{}"), ...call("b", "shown", "{}"), finished()]);
  only.use(new client.FilterToolCallsMiddleware({ allowedToolCalls: ["hidden"] }));
  await only.runAgent();
  const wrong = [{}, { allowedToolCalls: [], disallowedToolCalls: [] }].map((config) => {
    try {
      return new client.FilterToolCallsMiddleware(config) && "made";
    } catch (error) {
      return error.message;
    }
  });
  return [messages, only.messages, wrong];
}

export async function anAgentOfOnesOwn(client) {
  const log = [];
  const agent = scripted(client, plain);
  agent.subscribe(recorder(log));
  const result = await agent.runAgent();
  return [result, log, left(agent)];
}

export async function everyChangeIsToldEventByEvent(client) {
  const seen = [];
  const agent = scripted(client, plain);
  agent.subscribe({ onMessagesChanged: ({ messages }) => void seen.push(messages.at(-1)?.content) });
  await agent.runAgent();
  return seen;
}

export async function aStreamWithoutEvents(client) {
  return [
    await settled(scripted(client, []).runAgent()),
    await settled(new (class extends client.AbstractAgent {
      run() {
        return EMPTY;
      }
    })().runAgent()),
  ];
}

export async function aStreamOfOnesOwnThatFails(client) {
  const log = [];
  class Failing extends client.AbstractAgent {
    run() {
      return concat(of(started(), ...text("m", "x")), throwError(() => new Error("lost")));
    }
  }
  const agent = new Failing({ threadId: "t" });
  const end = await settled(agent.runAgent({}, recorder(log, {}, ["onRunFailed", "onRunFinalized", "onTextMessageEndEvent"])));
  return [end, log, left(agent)];
}

export async function aRunThatThrowsAtOnce(client) {
  const log = [];
  class Throwing extends client.AbstractAgent {
    run() {
      throw new Error("at once");
    }
  }
  const agent = new Throwing({ threadId: "t" });
  const end = await settled(agent.runAgent({}, recorder(log, {}, ["onRunFailed"])));
  return [end.failed, agent.isRunning];
}

export async function anOverriddenRunOfHttp(client) {
  class Own extends client.HttpAgent {
    run(input) {
      return super.run(input).pipe(map((event) => (event.delta ? { ...event, delta: `(${event.delta})` } : event)));
    }
  }
  const agent = new Own({ url: "https://x.test/", threadId: "t", fetch: server(plain).fetch });
  await agent.runAgent();
  return left(agent);
}

export async function anOverriddenRequest(client) {
  class Own extends client.HttpAgent {
    requestInit(input) {
      const init = super.requestInit(input);
      return { ...init, headers: { ...init.headers, "x-run": input.runId }, body: JSON.stringify({ wrapped: JSON.parse(init.body) }) };
    }
  }
  const made = server(plain);
  const agent = new Own({ url: "https://x.test/", threadId: "t", fetch: made.fetch });
  await agent.runAgent({ runId: "r" });
  return [made.requests, left(agent)];
}

export async function theEventsOfRun(client) {
  const agent = make(client, [started(), { type: "TEXT_MESSAGE_CHUNK", messageId: "m", delta: "x" }, { type: "LATER", x: 1 }, finished()]);
  return lastValueFrom(agent.run({ threadId: "t", runId: "r", messages: [], tools: [], context: [], state: {}, forwardedProps: {} }).pipe(toArray()));
}

export async function overriddenStages(client) {
  const log = [];
  class Own extends client.HttpAgent {
    prepareRunAgentInput(parameters) {
      return { ...super.prepareRunAgentInput(parameters), forwardedProps: { own: 1 } };
    }
    onInitialize(input, subscribers) {
      log.push("initialize");
      return super.onInitialize(input, subscribers);
    }
    apply(input, events$, subscribers) {
      log.push("apply");
      return super.apply(input, events$.pipe(tap(({ type }) => log.push(type))), subscribers);
    }
    processApplyEvents(input, events$, subscribers) {
      return super.processApplyEvents(input, events$.pipe(tap((mutation) => log.push(Object.keys(mutation)))), subscribers);
    }
    onFinalize(input, subscribers) {
      log.push("finalize");
      return super.onFinalize(input, subscribers);
    }
  }
  const made = server([started(), { type: "TEXT_MESSAGE_CHUNK", messageId: "m", delta: "x" }, { type: "STATE_SNAPSHOT", snapshot: 1 }, finished()]);
  const agent = new Own({ url: "https://x.test/", threadId: "t", fetch: made.fetch });
  await agent.runAgent();
  return [log, made.requests[0].body.forwardedProps];
}

export async function expansionByItself(client) {
  const chunk = { type: "TEXT_MESSAGE_CHUNK", messageId: "m", delta: "x" };
  const events = await lastValueFrom(from([started(), chunk, { ...chunk, delta: "y" }, finished()]).pipe(client.transformChunks(), toArray()));
  return events;
}

export async function aMiddlewareThatNeverEndsIsDetached(client) {
  const agent = make(client);
  let cancelled = false;
  agent.use(() =>
    new Observable((subscriber) => {
      for (const event of [started(), ...text("m", "x")]) subscriber.next(event);
      return () => (cancelled = true);
    })
  );
  const run = settled(agent.runAgent());
  await until(() => agent.messages[0]?.content === "x");
  await agent.detachActiveRun();
  return [await run, cancelled, left(agent)];
}
