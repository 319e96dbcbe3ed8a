// Stopping, leaving, copying, interrupts, failures, connecting.

import { from, of } from "rxjs";
import { answer, finished, left, openBody, recorder, server, settled, sse, started, text, until, user } from "../client.mjs";

const plain = [started(), ...text("m", "Hel", "lo"), finished()];
const url = "https://x.test/agent";

export async function abortInTheMiddle(client) {
  const log = [];
  let body;
  const agent = new client.HttpAgent({ url, threadId: "t", fetch: async (_, init) => (body = openBody(init)).response });
  const run = settled(agent.runAgent({}, recorder(log, {}, ["onRunFailed", "onRunErrorEvent", "onRunFinalized"])));
  await until(() => body);
  body.send([started(), ...text("m", "x")]);
  await until(() => agent.messages[0]?.content === "x");
  agent.abortRun();
  return [await run, log.map(({ hook, event }) => [hook, event?.code]), left(agent)];
}

export async function abortBeforeTheAnswer(client) {
  const log = [];
  let asked = false;
  const fetch = (_, { signal }) =>
    new Promise((_, reject) => {
      asked = true;
      signal.addEventListener("abort", () => reject(signal.reason));
    });
  const agent = new client.HttpAgent({ url, threadId: "t", fetch });
  const run = settled(agent.runAgent({}, recorder(log, {}, ["onRunFailed", "onRunFinalized"])));
  await until(() => asked);
  agent.abortRun();
  return [await run, log.map(({ hook }) => hook), left(agent)];
}

export async function aControllerOfTheApplication(client) {
  const abortController = new AbortController();
  let body;
  const agent = new client.HttpAgent({ url, threadId: "t", fetch: async (_, init) => (body = openBody(init)).response });
  const run = settled(agent.runAgent({ abortController }));
  await until(() => body);
  body.send([started(), ...text("m", "x")]);
  await until(() => agent.messages[0]?.content === "x");
  const same = agent.abortController === abortController;
  abortController.abort();
  return [await run, same];
}

export async function aRunAfterAnAbort(client) {
  let body;
  const answers = [async (init) => (body = openBody(init)).response, plain];
  const agent = new client.HttpAgent({ url, threadId: "t", fetch: server(...answers).fetch });
  const run = agent.runAgent();
  await until(() => body);
  agent.abortRun();
  await run;
  await agent.runAgent();
  return left(agent);
}

export async function detaching(client) {
  const log = [];
  let body;
  const agent = new client.HttpAgent({ url, threadId: "t", fetch: async (_, init) => (body = openBody()).response });
  await agent.detachActiveRun();
  const run = settled(agent.runAgent({}, recorder(log, {}, ["onRunFailed", "onRunFinalized"])));
  await until(() => body);
  body.send([started(), ...text("m", "x")]);
  await until(() => agent.messages[0]?.content === "x");
  await agent.detachActiveRun();
  return [await run, log.map(({ hook }) => hook), left(agent), agent.abortController.signal.aborted];
}

export async function aClone(client) {
  class Own extends client.HttpAgent {
    get extra() {
      return `own ${this.url}`;
    }
  }
  const agent = new Own({
    url,
    agentId: "id",
    description: "d",
    threadId: "t",
    headers: { h: "1" },
    initialMessages: [user("u", "hi")],
    initialState: { a: { b: 1 } },
    fetch: server(plain).fetch,
  });
  agent.subscribe({});
  agent.pendingInterrupts = [{ id: "i", reason: "x" }];
  const clone = agent.clone();
  clone.messages[0].content = "changed";
  clone.state.a.b = 2;
  clone.headers.h = "2";
  clone.subscribe({});
  clone.pendingInterrupts = [];
  const { messages, state, headers, subscribers, pendingInterrupts } = agent;
  const result = await clone.runAgent();
  return [
    clone instanceof Own,
    clone.extra,
    clone.agentId,
    clone.description,
    clone.threadId,
    clone.abortController !== agent.abortController,
    { messages, state, headers, subscribers: subscribers.length, pendingInterrupts },
    result,
    left(clone),
    left(agent),
  ];
}

export async function aCloneOfAnAbortedAgent(client) {
  const agent = new client.HttpAgent({ url });
  agent.abortRun();
  return agent.clone().abortController.signal.aborted;
}

export async function middlewaresGoWithTheClone(client) {
  const agent = new client.HttpAgent({ url, threadId: "t", fetch: server(plain).fetch });
  agent.use(() => of(started(), ...text("own", "x"), finished()));
  const clone = agent.clone();
  await clone.runAgent();
  return clone.messages;
}

export async function defaults({ HttpAgent }) {
  const agent = new HttpAgent({ url });
  const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4/;
  const { agentId, description, messages, state, isRunning, pendingInterrupts, subscribers, headers, debug, maxProtocolVersion } = agent;
  const before = {
    agentId,
    description,
    messages,
    state,
    isRunning,
    pendingInterrupts,
    subscribers,
    headers,
    debug,
    maxProtocolVersion,
    thread: uuid.test(agent.threadId),
  };
  agent.debug = { events: false };
  return [before, agent.debug, !!agent.debugLogger];
}

export async function whatIsGivenIsCopied({ HttpAgent }) {
  const given = { url, initialMessages: [user("u", "hi")], initialState: { a: 1 }, headers: { h: "1" } };
  const agent = new HttpAgent(given);
  return [
    agent.messages[0] === given.initialMessages[0],
    agent.state === given.initialState,
    agent.headers === given.headers,
    agent.messages,
    agent.state,
    agent.headers,
  ];
}

export async function theAgentGetsAnId({ HttpAgent }) {
  const agent = new HttpAgent({ url, fetch: server(plain).fetch });
  await agent.runAgent();
  return typeof agent.agentId;
}

const asks = (...interrupts) => [started(), finished({ outcome: { type: "interrupt", interrupts } })];

export async function interruptsAreKeptUntilTheyAreAnswered({ HttpAgent }) {
  const made = server(asks({ id: "i", reason: "ok?" }, { id: "j", reason: "ok?" }), plain);
  const agent = new HttpAgent({ url, threadId: "t", fetch: made.fetch });
  await agent.runAgent();
  const open = agent.pendingInterrupts;
  const refused = [await settled(agent.runAgent()), await settled(agent.runAgent({ resume: [{ interruptId: "i", status: "resolved" }] }))];
  const between = { requests: made.requests.length, running: agent.isRunning, open: agent.pendingInterrupts };
  const resume = [{ interruptId: "i", status: "resolved", payload: { yes: 1 } }, { interruptId: "j", status: "cancelled" }];
  await agent.runAgent({ resume });
  return [open, refused, between, made.requests[1].body.resume, agent.pendingInterrupts];
}

export async function anExpiredInterruptCanOnlyBeCancelled({ HttpAgent }) {
  const made = server(asks({ id: "i", reason: "ok?", expiresAt: "2020-01-01T00:00:00Z" }), plain);
  const agent = new HttpAgent({ url, threadId: "t", fetch: made.fetch });
  await agent.runAgent();
  const refused = await settled(agent.runAgent({ resume: [{ interruptId: "i", status: "resolved" }] }));
  await agent.runAgent({ resume: [{ interruptId: "i", status: "cancelled" }] });
  return [refused, made.requests.length, agent.pendingInterrupts];
}

export function answersToInterrupts({ buildResumeArray, isInterruptExpired, getRunOutcome }) {
  const open = [{ id: "i", reason: "" }, { id: "j", reason: "" }];
  const attempt = (responses) => {
    try {
      return buildResumeArray(open, responses);
    } catch (error) {
      return error.message;
    }
  };
  const now = new Date("2026-01-01T00:00:00Z");
  return [
    attempt({ j: { status: "cancelled", metadata: { m: 1 } }, i: { status: "resolved", payload: 0 } }),
    attempt({ i: { status: "resolved" } }),
    attempt({ i: { status: "resolved" }, j: { status: "resolved" }, k: { status: "resolved" } }),
    [undefined, "2026-01-01T00:00:00Z", "2026-01-01T00:00:01Z", "2025-01-01"].map((expiresAt) => isInterruptExpired({ id: "i", reason: "", expiresAt }, now)),
    getRunOutcome(finished({ outcome: { type: "success" } })),
  ];
}

export async function aRefusal({ HttpAgent }) {
  const seen = [];
  for (const response of [
    () => new Response("plain", { status: 500 }),
    () => Response.json({ error: { code: 3 } }, { status: 422 }),
    () => new Response("{bad", { status: 401, headers: { "content-type": "application/json" } }),
    () => new Response("", { status: 404 }),
  ]) {
    const log = [];
    const agent = new HttpAgent({ url, threadId: "t", fetch: async () => response() });
    const end = await settled(agent.runAgent({}, recorder(log, {}, ["onRunFailed", "onRunFinalized", "onRunInitialized"])));
    seen.push([end, log, left(agent)]);
  }
  return seen;
}

export async function aNetworkThatIsNotThere({ HttpAgent }) {
  const log = [];
  const agent = new HttpAgent({
    url,
    threadId: "t",
    fetch: async () => {
      throw new TypeError("Failed to fetch");
    },
  });
  const end = await settled(agent.runAgent({}, recorder(log, {}, ["onRunFailed", "onRunFinalized"])));
  return [end, log];
}

export async function aNetworkThatIsLost({ HttpAgent }) {
  const log = [];
  const fetch = async () => {
    // Not a real body: the official client leaves the rejection of its cancel() to the page.
    const parts = [new TextEncoder().encode(sse(started(), ...text("m", "x")))];
    const read = async () => {
      if (!parts.length) throw new TypeError("network error");
      return { done: false, value: parts.shift() };
    };
    return { ok: true, status: 200, headers: new Headers(), body: { getReader: () => ({ read, cancel: async () => {} }) } };
  };
  const agent = new HttpAgent({ url, threadId: "t", fetch });
  const end = await settled(agent.runAgent({}, recorder(log, {}, ["onRunFailed", "onRunFinalized"])));
  return [end, log.map(({ hook }) => hook), left(agent)];
}

export async function aSubscriberHandlesTheFailure({ HttpAgent }) {
  const agent = new HttpAgent({ url, threadId: "t", fetch: async () => new Response("", { status: 500 }) });
  return settled(agent.runAgent({}, { onRunFailed: () => ({ stopPropagation: true }) }));
}

class Nothing {}

export async function connectingWhereNothingConnects({ AbstractAgent }) {
  const log = [];
  class Own extends AbstractAgent {
    run() {
      return of();
    }
  }
  const agent = new Own({ threadId: "t" });
  const end = await settled(agent.connectAgent({}, recorder(log, {}, ["onRunInitialized", "onRunFailed", "onRunFinalized"])));
  return [end, log.map(({ hook }) => hook), agent.isRunning, new Nothing() instanceof AbstractAgent];
}

export async function connecting({ AbstractAgent }) {
  const log = [];
  class Own extends AbstractAgent {
    run() {
      return of();
    }
    connect(input) {
      log.push(input.threadId);
      return from([started(), { type: "MESSAGES_SNAPSHOT", messages: [user("u", "hi"), { id: "m", role: "assistant", content: "x" }] }, {
        type: "STATE_SNAPSHOT",
        snapshot: { a: 1 },
      }, finished({ result: 2 })]);
    }
  }
  const agent = new Own({ threadId: "t" });
  const end = await settled(agent.connectAgent({}, recorder(log, {}, ["onRunInitialized", "onEvent", "onRunFinalized"])));
  return [end, log, left(agent)];
}

export async function aConnectionThatFails({ AbstractAgent }) {
  const log = [];
  class Own extends AbstractAgent {
    run() {
      return of();
    }
    connect() {
      throw new Error("not now");
    }
  }
  const end = await settled(new Own({ threadId: "t" }).connectAgent({}, recorder(log, {}, ["onRunFailed", "onRunFinalized"])));
  return [end, log.map(({ hook, error }) => [hook, error])];
}

export async function httpConnects(client) {
  const made = server(plain);
  const agent = new client.HttpAgent({ url: "https://x.test/agent/?k=1", threadId: "t", fetch: made.fetch });
  const end = await settled(agent.connectAgent({ runId: "r" }));
  return [end, made.requests.map(({ url }) => url), left(agent)];
}
