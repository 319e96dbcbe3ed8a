// The work of the page grows with what comes, and no faster: twice as much takes at most two and a half times the work. Work is counted, not timed:
// the elements and characters that methods of lists and texts look at. Of the core, tests/growth says the same.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { load, real } from "./lib.mjs";
import { inWorker } from "./thread.mjs";

const counted = [
  [Array.prototype, ["slice", "map", "filter", "some", "every", "find", "findIndex", "flatMap", "flat", "concat", "includes", "indexOf", Symbol.iterator]],
  [String.prototype, ["indexOf", "lastIndexOf", "includes", "split", "replace", "replaceAll", "trim", "startsWith"]],
];

/** How much the action works on. */
async function workOf(action) {
  let work = 0;
  const restore = [];
  const wrap = (of, name, count) => {
    const original = of[name];
    restore.push(() => (of[name] = original));
    // Not by rest parameters, which are a list that is counted.
    of[name] = function () {
      work += count(this, arguments[0]);
      return Reflect.apply(original, this, arguments);
    };
  };
  for (const [of, names] of counted) for (const name of names) wrap(of, name, (value) => value.length);
  for (const name of ["keys", "values", "entries"]) wrap(Object, name, (_, value) => (Array.isArray(value) ? value.length : 10));
  wrap(Object, "fromEntries", (_, entries) => entries.length ?? 10);
  try {
    await action();
  } finally {
    for (const undo of restore.reverse()) undo();
  }
  return work;
}

const settle = async () => {
  for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
};
const sse = (events) => events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
const stream = { headers: { "content-type": "text/event-stream" } };

/** A body in pieces. */
function inPieces(text, size) {
  const bytes = new TextEncoder().encode(text);
  let at = 0;
  const pull = (controller) => {
    if (at >= bytes.length) return controller.close();
    controller.enqueue(bytes.slice(at, at += size));
  };
  return new ReadableStream({ pull }, { highWaterMark: 0 });
}

/** Each makes something of that size; what it returns is measured. */
const cases = {
  "a stored thread that comes as one long line": async (size) => {
    const { createAgent } = await load("index");
    const fetch = async (_, { body }) => {
      const run = { threadId: "t", runId: JSON.parse(body).runId };
      const messages = [{ id: "m", role: "user", content: "x".repeat(size * 100) }];
      return new Response(
        inPieces(sse([{ type: "RUN_STARTED", ...run }, { type: "MESSAGES_SNAPSHOT", messages }, { type: "RUN_FINISHED", ...run }]), 500),
        stream,
      );
    };
    const agent = createAgent({ url: "http://host/", threadId: "t", fetch, thread: { load: "hydrate" } });
    return async () => {
      await agent.load();
      assert.equal(agent.getSnapshot().messages.length, 1);
      agent.dispose();
    };
  },
  "a thread that is opened again and again": async (size) => {
    const { createAgent } = await load("index");
    const fetch = async (_, { body }) => {
      const run = { threadId: "t", runId: JSON.parse(body).runId };
      return new Response(sse([{ type: "RUN_STARTED", ...run }, { type: "MESSAGES_SNAPSHOT", messages: [] }, { type: "RUN_FINISHED", ...run }]), stream);
    };
    const agent = createAgent({ url: "http://host/", threadId: "t", fetch, thread: { load: "hydrate" } });
    return async () => {
      for (let n = 0; n < size / 2; n++) {
        await agent.load();
        for (let times = 0; times < 10; times++) agent.save();
      }
      agent.dispose();
    };
  },
  "runs that nobody has asked for, beside an answer": async (size) => {
    const [{ createAgent }, { scriptedSocket }, { webSocket }] = await Promise.all([load("index"), load("testing"), load("network/web-socket")]);
    const server = scriptedSocket();
    const agent = createAgent({ transport: webSocket({ url: "ws://host/", WebSocket: server.WebSocket, keepOpen: true }), threadId: "t" });
    const done = agent.submit({ message: "hi", runId: "r" });
    const connection = await server.connection();
    await settle();
    const says = (runId, ...events) =>
      connection.send({ type: "RUN_STARTED", threadId: "t", runId }, ...events, { type: "RUN_FINISHED", threadId: "t", runId });
    return async () => {
      connection.send({ type: "RUN_STARTED", threadId: "t", runId: "r" });
      for (let n = 0; n < size / 4; n++) says(`u${n}`, { type: "CUSTOM", name: "n", value: n });
      connection.send({ type: "RUN_FINISHED", threadId: "t", runId: "r" });
      await done;
      for (let turn = 0; turn < size; turn++) await new Promise(setImmediate);
      agent.dispose();
    };
  },
  "edits of an answer that is written, in the page": async (size) => editsOf((await load("index")).createAgent, size),
  "edits of an answer that is written, told to a worker in one task": async (size) => editsOf(await inWorker(), size),
  ...ofNgaf({
    "CUSTOM events in the ngaf contract": (n) => [{ type: "CUSTOM", name: "x", value: n }],
    "subagents in the ngaf contract": (n) => [{ type: "ACTIVITY_SNAPSHOT", messageId: `a${n}`, activityType: "subagent", content: {} }],
    "calls in the ngaf contract": (n) => [
      { type: "TOOL_CALL_START", toolCallId: `c${n}`, toolCallName: "t" },
      { type: "TOOL_CALL_ARGS", toolCallId: `c${n}`, delta: "{}" },
      { type: "TOOL_CALL_END", toolCallId: `c${n}` },
    ],
  }),
  "CUSTOM events for useChat": async (size) => {
    const { ChunkWriter } = await load("ai-sdk/writer");
    const writer = new ChunkWriter(() => {}, []);
    return () => {
      for (let n = 0; n < size; n++) writer.data("x", n);
    };
  },
  "frames in a store of Svelte": async (size) => {
    const { createAgUiSvelteFrameStore } = await load("systems/agent-os/svelte");
    const { store, projection, activities } = createAgUiSvelteFrameStore();
    for (const readable of [projection, activities]) readable.subscribe(() => {});
    return () => {
      for (let n = 0; n < size; n++) store.append({ type: "TEXT_MESSAGE_CONTENT", messageId: "m", delta: "x" });
    };
  },
  "events that are compacted": async (size) => {
    const { compactEvents } = await load("ag-ui-client/compact");
    const events = Array.from({ length: size }, (_, n) => [{ type: "TEXT_MESSAGE_START", messageId: `m${n}` }, { type: "CUSTOM", name: "x", value: n }]);
    return () => compactEvents(events.flat());
  },
  "messages of the application's that HttpAgent's core does not take": async (size) => {
    const { ClientThread } = await load("ag-ui-client/thread");
    const rows = (count, role) => Array.from({ length: count }, (_, n) => ({ id: `${role}${n}`, role, content: "x" }));
    const stepper = { takePatch: () => JSON.stringify([["=", ["messages"], rows(size, "user")]]), setMessages: () => {} };
    const thread = new ClientThread(stepper, [], {});
    return () => thread.setMessages([...rows(size, "user"), ...rows(size, "other")]);
  },
  "pages of a list of threads that is loaded again": async (size) => {
    const { createThreads } = await load("threads/index");
    const pages = size / 20;
    const list = async ({ cursor = "0" }) => ({
      threads: [{ threadId: `t${cursor}` }],
      next: Number(cursor) + 1 < pages ? String(Number(cursor) + 1) : undefined,
    });
    const threads = createThreads({ list });
    while (await threads.loadMore());
    return () => threads.load();
  },
};

/** As many edits as patches come at the same time. */
async function editsOf(createAgent, size) {
  let body;
  const fetch = async () => new Response(new ReadableStream({ start: (made) => void (body = made) }), stream);
  const agent = createAgent({ url: "http://host/", threadId: "t", notify: "sync", fetch, initialState: { n: 0 } });
  void agent.submit({ message: "hi", runId: "r" });
  while (!body) await settle();
  const says = (...events) => body.enqueue(new TextEncoder().encode(sse(events)));
  says({ type: "RUN_STARTED", threadId: "t", runId: "r" }, { type: "TEXT_MESSAGE_START", messageId: "m", role: "assistant" });
  await settle();
  return async () => {
    for (let n = 0; n < size; n++) {
      says({ type: "TEXT_MESSAGE_CONTENT", messageId: "m", delta: "x" });
      agent.setState({ n: n + 1 });
    }
    for (const shown = () => agent.getSnapshot().messages.at(-1).content; shown().length < size;) await settle();
    assert.deepEqual(agent.getSnapshot().state, { n: size });
    agent.dispose();
  };
}

function ofNgaf(kinds) {
  const makers = Object.entries(kinds).map(([name, events]) => [name, async (size) => {
    const { createReducer } = await load("systems/ngaf/reduce");
    const reducer = createReducer({ version: 2, now: () => 0, changed: () => {}, emit: () => {} });
    return () => {
      for (let n = 0; n < size; n++) for (const event of events(n)) reducer.reduce(event);
    };
  }]);
  return Object.fromEntries(makers);
}

describe("work grows with what comes", { skip: !real && "the core is a stand-in", concurrency: false }, () => {
  for (const [name, make] of Object.entries(cases)) {
    it(name, async () => {
      const workAt = async (size) => workOf(await make(size));
      await workAt(40);
      const [once, twice] = [await workAt(400), await workAt(800)];
      assert.ok(twice < 2.5 * once, `${once}, and ${twice} for twice as much`);
    });
  }
});

it("lists that are longer than the arguments that a call takes", async () => {
  const { compactEvents } = await load("ag-ui-client/compact");
  const states = Array.from({ length: 200_000 }, () => ({ type: "STATE_DELTA", delta: [] }));
  assert.equal(compactEvents(states).length, states.length);
});
