// Patterns of applications: loops of tools, several streams at once, servers with heads of their own.

import { EventEncoder } from "@ag-ui/encoder";
import { call, finished, left, openBody, recorder, server, settled, sse, started, text, until, user } from "../client.mjs";

const url = "https://x.test/agent";
const make = ({ HttpAgent }, ...answers) => {
  const made = server(...answers);
  return Object.assign(new HttpAgent({ url, threadId: "t", fetch: made.fetch, initialMessages: [user("u", "hi")] }), { requests: made.requests });
};
const second = [started("r2"), ...text("n", "done"), finished({ runId: "r2" })];

export async function aLoopOfTools(client) {
  const agent = make(client, [started(), ...call("c", "f", '{"a":1}'), finished()], second);
  const called = [];
  const subscriber = { onToolCallEndEvent: ({ toolCallName, toolCallArgs, event }) => void called.push([toolCallName, toolCallArgs, event.toolCallId]) };
  await agent.runAgent({ runId: "r" }, subscriber);
  agent.addMessage({ id: "res", role: "tool", toolCallId: "c", content: "yes" });
  const end = await agent.runAgent({ runId: "r2" }, subscriber);
  return [called, end, agent.requests[1].body.messages, left(agent)];
}

export async function theResultIsAddedInTheHookOfTheEnd(client) {
  const agent = make(client, [started(), ...call("c", "f", "{}"), finished()], second);
  await agent.runAgent({ runId: "r" }, {
    onRunFinishedEvent: ({ agent, pendingToolCallIds: [toolCallId] }) => void agent.addMessage({ id: "res", role: "tool", toolCallId, content: "yes" }),
  });
  const between = structuredClone(agent.messages);
  await agent.runAgent({ runId: "r2" });
  return [between, agent.requests[1].body.messages, left(agent)];
}

export async function whatIsSetInTheHookOfTheEndStays(client) {
  const agent = make(client, [started(), ...text("m", "x"), { type: "STATE_SNAPSHOT", snapshot: 1 }, finished()]);
  agent.subscribe({ onRunFinishedEvent: ({ agent }) => (agent.setMessages([user("only", "x")]), agent.setState({ set: 1 })) });
  const end = await agent.runAgent();
  return [end, left(agent)];
}

export async function aRunOutOfTheHookOfTheEnd(client) {
  const agent = make(client, [started(), ...text("m", "x"), finished()], second);
  let next;
  agent.subscribe({ onRunFinishedEvent: ({ agent }) => void (next ??= agent.runAgent({ runId: "r2" })) });
  const first = await agent.runAgent({ runId: "r" });
  await until(() => next);
  return [
    first.newMessages.map(({ id }) => id).filter((id) => id === "m"),
    (await next).newMessages.map(({ id }) => id).includes("n"),
    agent.messages.at(-1),
    agent.isRunning,
  ];
}

export async function streamsAtOnce(client) {
  const [a0, a1, a2] = text("a", "1");
  const [b0, b1, b2] = text("b", "2");
  const [c0, c1, c2] = call("c", "f", '{"x":');
  const [d0, d1, d2] = call("d", "g", "[");
  const log = [];
  const agent = make(client, [started(), a0, c0, b0, a1, d0, c1, b1, a1, d1, { ...c1, delta: "1}" }, b2, { ...d1, delta: "]" }, d2, a1, a2, c2, finished()]);
  await agent.runAgent({}, recorder(log));
  return [log, left(agent)];
}

export async function heads({ HttpAgent }) {
  const seen = [];
  const body = sse(started(), ...text("m", "é😀"), finished());
  for (const type of ["text/event-stream; charset=utf-8", "TEXT/EVENT-STREAM", "text/plain", "application/octet-stream", null]) {
    const response = new Response(new TextEncoder().encode(body), type ? { headers: { "content-type": type } } : {});
    const agent = new HttpAgent({ url, threadId: "t", fetch: async () => response });
    seen.push([type, await settled(agent.runAgent())]);
  }
  return seen;
}

export async function bytesThatAreCutAnywhere({ HttpAgent }) {
  const seen = [];
  const bytes = new TextEncoder().encode(sse(started(), ...text("m", "é", "😀", "日本"), finished()));
  for (const size of [1, 2, 3, 7]) {
    const body = openBody();
    const agent = new HttpAgent({
      url,
      threadId: "t",
      fetch: async () =>
        new Response(
          new ReadableStream({
            start(controller) {
              for (let at = 0; at < bytes.length; at += size) controller.enqueue(bytes.slice(at, at + size));
              controller.close();
            },
          }),
          { headers: { "content-type": "text/event-stream" } },
        ),
    });
    await agent.runAgent();
    seen.push(agent.messages, typeof body);
  }
  return seen;
}

export async function theBinaryForm({ HttpAgent }) {
  const accept = "application/vnd.ag-ui.event+proto";
  const encoder = new EventEncoder({ accept });
  const parts = [started(), ...text("m", "é", "x"), ...call("c", "f", "{}"), { type: "STATE_SNAPSHOT", snapshot: { a: [1] } }, finished()].map((event) =>
    encoder.encodeBinary(event)
  );
  const agent = new HttpAgent({ url, threadId: "t", fetch: async () => new Response(new Blob(parts), { headers: { "content-type": accept } }) });
  const log = [];
  const end = await settled(agent.runAgent({}, recorder(log, {}, ["onTextMessageContentEvent", "onToolCallEndEvent", "onNewMessage"])));
  return [end, log.map(({ hook, textMessageBuffer, toolCallArgs, message }) => [hook, textMessageBuffer, toolCallArgs, message]), left(agent)];
}

export async function runsOneAfterAnother(client) {
  const answers = Array.from(
    { length: 5 },
    (
      _,
      at,
    ) => [
      started(`r${at}`),
      ...text(`m${at}`, "x"),
      { type: "STATE_DELTA", delta: [{ op: "add", path: `/k${at}`, value: at }] },
      finished({ runId: `r${at}`, result: at }),
    ],
  );
  const agent = make(client, ...answers);
  const ends = [];
  for (let at = 0; at < 5; at++) ends.push(await agent.runAgent({ runId: `r${at}` }));
  return [ends, agent.requests.map(({ body }) => [body.messages.length, body.state]), left(agent)];
}

export async function aRunAfterAFailure(client) {
  const agent = make(client, () => new Response("no", { status: 503 }), [started(), { type: "RUN_ERROR", message: "no" }], [
    started(),
    ...text("m", "x"),
    finished(),
  ]);
  const ends = [];
  for (let at = 0; at < 3; at++) ends.push(await settled(agent.runAgent({ runId: "r" })));
  return [ends, agent.requests.map(({ body }) => body.messages.length), left(agent)];
}

export async function aRunAfterOneThatWasLeft(client) {
  let body;
  const agent = make(client, () => (body = openBody()).response, [started(), ...text("n", "y"), finished()]);
  const first = settled(agent.runAgent());
  await until(() => body);
  body.send([started(), text("m", "x")[0], text("m", "x")[1]]);
  await until(() => agent.messages.at(-1)?.content === "x");
  await agent.detachActiveRun();
  const end = await agent.runAgent({ runId: "r" });
  return [await first, end, agent.requests[1].body.messages, left(agent)];
}

export async function aCloneOfASubclassWithAMiddleware(client) {
  class Own extends client.HttpAgent {
    constructor(config) {
      super(config);
      this.extra = config.extra;
    }
    clone() {
      const clone = super.clone();
      clone.extra = `${this.extra} copied`;
      return clone;
    }
  }
  const agent = new Own({
    url,
    threadId: "t",
    extra: "e",
    fetch: server([started(), ...text("m", "x"), finished()]).fetch,
    initialMessages: [user("u", "hi")],
  });
  const seen = [];
  agent.use((input, next) => (seen.push(input.messages.length, next.messages.length), next.run(input)));
  const clone = agent.clone();
  clone.addMessage(user("v", "more"));
  await clone.runAgent();
  clone.use((input, next) => (seen.push("second"), next.run(input)));
  await agent.runAgent();
  return [clone instanceof Own, clone.extra, seen, left(clone), left(agent)];
}
