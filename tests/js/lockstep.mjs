// An agent in the page and one in a worker, side by side: they get the same calls and the same frames, by chance from a seed, and
// after each batch they must show the same, have called back the same and have sent the same.

import assert from "node:assert/strict";
import { random } from "./chance.mjs";
import { carried, load, storeOf } from "./lib.mjs";
import { localWorkers } from "./thread.mjs";

const [{ createAgentWith }, { createWorkerAgentWith }] = await Promise.all(["agent/agent", "worker/agent"].map(load));
const core = await carried();
// It is there before a page asks for it.
await load("remote-thread/index");

const calls = ["c0", "c1", "c2", "c3"];
const messages = ["m0", "m1", "m2"];
const names = ["asked", "slow", "quick", "manual", "server"];
const user = (id, content) => ({ id, role: "user", content });

/** The kinds of steps: how often, and a step made of chance. */
const kinds = {
  // Of the server.
  text: [8, (pick) => ({ frames: [{ type: "TEXT_MESSAGE_CHUNK", messageId: pick(messages), role: "assistant", delta: pick(["a", "b ", "ü"]) }] })],
  start: [2, (pick) => ({ frames: [{ type: "TEXT_MESSAGE_START", messageId: pick(messages), role: "assistant" }] })],
  end: [2, (pick) => ({ frames: [{ type: "TEXT_MESSAGE_END", messageId: pick(messages) }] })],
  call: [6, (pick) => {
    const toolCallId = pick(calls);
    const all = [
      { type: "TOOL_CALL_START", toolCallId, toolCallName: pick(names) },
      { type: "TOOL_CALL_ARGS", toolCallId, delta: pick(['{"a":1}', '{"a":', "{}"]) },
      { type: "TOOL_CALL_END", toolCallId },
    ];
    return { frames: pick([all, all, all, all.slice(0, 2), all.slice(1)]) };
  }],
  result: [2, (pick) => ({ frames: [{ type: "TOOL_CALL_RESULT", messageId: "result", toolCallId: pick(calls), content: "1" }] })],
  state: [2, (pick) => ({ frames: [{ type: "STATE_SNAPSHOT", snapshot: pick([{ list: [] }, { list: [1], n: 1 }, 7]) }] })],
  delta: [
    3,
    (pick) => ({
      frames: [{
        type: "STATE_DELTA",
        delta: [pick([{ op: "add", path: "/list/-", value: 2 }, { op: "replace", path: "/n", value: 3 }, { op: "add", path: "/x", value: {} }])],
      }],
    }),
  ],
  thread: [
    1,
    (pick) => ({ frames: [{ type: "MESSAGES_SNAPSHOT", messages: [user("s", "said"), { id: pick(messages), role: "assistant", content: "told" }] }] }),
  ],
  custom: [1, (pick) => ({ frames: [{ type: "CUSTOM", name: pick(["x", "state_update"]), value: { v: 1 } }] })],
  step: [1, (pick) => ({ frames: [{ type: pick(["STEP_STARTED", "STEP_FINISHED"]), stepName: "s" }] })],
  wrong: [1, (pick) => ({ frames: [pick([{ type: "NO_SUCH_EVENT" }, { type: "TEXT_MESSAGE_CONTENT", messageId: "nobody", delta: "x" }])] })],
  finish: [7, (pick) => ({ ends: "finish", usage: pick([undefined, [{ model: "m", inputTokens: 3, outputTokens: 1 }]]) })],
  interrupt: [2, (pick) => ({ ends: "finish", interrupts: pick([["i0"], ["i0", "i1"]]) })],
  fail: [2, () => ({ ends: "fail" })],
  cut: [1, () => ({ ends: "cut" })],
  // Of the user and the page.
  submit: [10, (pick, n) => ({
    act: "submit",
    given: {
      message: { id: `u${n}`, content: `${n}` },
      runId: `r${n}`,
      ifBusy: pick(["queue", "queue", "replace", "drop", "reject"]),
      ifAwaiting: pick([undefined, undefined, "wait", "reject"]),
    },
  })],
  stop: [3, () => ({ act: "stop" })],
  retry: [2, () => ({ act: "retry" })],
  regenerate: [1, () => ({ act: "regenerate" })],
  approve: [4, (pick) => ({ act: "approve", given: [pick(calls), pick([undefined, { a: 2 }])] })],
  deny: [2, (pick) => ({ act: "deny", given: [pick(calls), pick([undefined, "no"])] })],
  answer: [2, (pick) => ({ act: "addToolResult", given: [{ toolCallId: pick(calls), result: pick([1, "x", { y: 2 }]) }] })],
  settle: [4, (pick) => ({ act: "settle", given: pick([1, new Error("broken")]) })],
  resume: [
    3,
    (pick) => ({ act: "resume", given: pick([{ id: "i0", payload: 1 }, { id: "i1", status: "cancelled" }, [{ id: "i0" }], { i0: { payload: 1 }, i1: {} }]) }),
  ],
  cancel: [1, () => ({ act: "cancelQueued" })],
  edit: [1, (_, n) => ({ act: "editQueued", given: { message: { id: `u${n}`, content: `edited ${n}` } } })],
  setState: [1, (pick) => ({ act: "setState", given: [pick([{ list: [] }, { mine: 1 }])] })],
  setMessages: [1, (pick) => ({ act: "setMessages", given: [pick([[], [user("k", "kept")]])] })],
  change: [
    4,
    (pick, n) => ({ act: "change", given: pick([["add", n], ["mark", n], ["rewrite", n], ["drop", n], ["turn", n], ["count", n], ["row", n], ["tidy", n]]) }),
  ],
  fork: [1, (pick) => ({ act: "fork", given: pick([0, 1, 2, 3]) })],
  reset: [1, () => ({ act: "reset" })],
  // Of an agent that is saved: another one continues from its store.
  reload: [0, () => ({ act: "reload" })],
  disconnect: [1, () => ({ act: "disconnect" })],
  // Of an agent whose server keeps the thread: what is asked for, and what the server answers.
  load: [0, () => ({ act: "load" })],
  loadOlder: [0, () => ({ act: "loadOlder" })],
  page: [0, (pick, n) => ({ act: "page", given: pick(pages)(pick, n) })],
  refusal: [0, () => ({ act: "refuse" })],
};

/** How often in such an agent. */
const ofThread = { load: 3, loadOlder: 4, page: 12, refusal: 3 };

const calling = (toolCallId, name) => ({
  id: `of ${toolCallId}`,
  role: "assistant",
  toolCalls: [{ id: toolCallId, type: "function", function: { name, arguments: "{}" } }],
});

/** Pages of a stored thread, the same or others each time. */
const pages = [
  () => ({ messages: [] }),
  (pick) => ({ messages: [user("s", "said"), { id: pick(messages), role: "assistant", content: "told" }], older: pick([undefined, true, "s"]) }),
  (pick) => ({ messages: [user("s", "said"), calling(pick(calls), pick(names))], state: pick([undefined, { list: [], theirs: 1 }]) }),
  (pick) => ({
    messages: [user("s", "said"), calling("c0", "manual"), { id: "result", role: "tool", toolCallId: "c0", content: "1" }],
    interrupts: pick([undefined, [{ id: "i0", reason: "confirmation" }]]),
  }),
  (pick, n) => ({ messages: [user(`o${n}`, "older"), user(`p${n}`, "older")], older: pick([undefined, true]) }),
  () => undefined,
  () => ({ messages: "none" }),
];

/** Edits that are given as a function of what is shown. */
const changes = {
  add: (agent, n) => agent.setMessages((shown) => [...shown, user(`x${n}`, "mine")]),
  mark: (agent, n) => agent.setMessages((shown) => shown.map((message) => ({ ...message, metadata: { n } }))),
  rewrite: (agent) =>
    agent.setMessages((shown) => shown.map((message) => (message.role === "user" ? { ...message, content: `${message.content}!` } : message))),
  drop: (agent) => agent.setMessages((shown) => shown.slice(1)),
  turn: (agent) => agent.setMessages((shown) => shown.toReversed()),
  count: (agent, n) => agent.setState((state) => ({ ...state, mine: n })),
  row: (agent, n) => agent.setState((state) => ({ ...state, list: [...(state.list ?? []), n] })),
  tidy: (agent) => agent.setState(({ n: _, ...state }) => state),
};
const wheelOf = (thread) => Object.entries(kinds).flatMap(([name, [weight]]) => Array((thread && ofThread[name]) || weight).fill(name));

/** The batches of a seed: of one step each with pauses, of up to four without. Some workers end in between. */
export function batchesOf(seed, { pauses, deaths, store, throttled, thread }) {
  const below = random(seed);
  const pick = (list) => list[below(list.length)];
  const wheel = wheelOf(thread);
  let n = 0;
  // No worker has been needed since one has ended.
  let dead = false;
  const step = (name = pick(wheel)) => {
    n += 1;
    // Both get copies of it, and the names tell a reader what happens.
    return { name, ...kinds[name][1](pick, n) };
  };
  return Array.from({ length: 4 + below(12) }, (_, at) => {
    if (deaths && at > 1 && below(5) === 0) {
      dead = true;
      return [{ name: "death", death: true }];
    }
    if (store && at > 1 && below(5) === 0) return [step("reload")];
    const batch = Array.from({ length: pauses ? 1 : 1 + below(4) }, () => step(at === 0 ? "submit" : undefined));
    // Where pages are notified at other times, edits that take what is shown into account differ.
    if (throttled)
      return batch.map((
        step,
      ) => (/^(change|setState|setMessages)$/.test(step.name) ? { name: "change", act: "change", given: [pick(["add", "count"]), n] } : step));
    // A submit that is taken out of the queue late has begun in the page, and in a worker is stopped or reported (docs/worker.md).
    const queued = ({ act }) => act === "cancelQueued" || act === "editQueued";
    // A run of a thread at the server is asked for once the options are looked up; frames come meanwhile.
    const run = batch.find(({ act }) => ["submit", "retry", "regenerate"].includes(act));
    const asks = run ?? batch.find(({ act }) => act === "resume");
    if (thread && asks) return [asks];
    // The result of a tool is heard of after the batch, in which the call may have been given up. An edit
    // is the difference to the snapshot, which in a worker lacks the submits during a run.
    const alone = batch.find(({ act }) =>
      ["settle", "setMessages", "setState", "change", "fork", "reload", "load", "loadOlder", "page", "refuse"].includes(act)
    );
    // Calls that wait together for another worker are judged here, one by one by a core that is there.
    if (dead) {
      dead = !run;
      return [run ?? batch[0]];
    }
    return alone ? [alone] : [...batch.filter(queued), ...batch.filter((step) => !queued(step))];
  });
}

/** A store that takes its time. */
function memoryStore() {
  let kept;
  const later = (value) => new Promise((done) => setImmediate(done, value));
  return storeOf({ load: () => later(kept), save: (save) => later(kept = structuredClone(save)), clear: () => later(kept = undefined) });
}

// No test is that slow: what waits for it is called by `tick`.
const throttleMs = 2 ** 30;
const throttles = new Set();
const { setTimeout: after, clearTimeout: forget } = globalThis;
globalThis.setTimeout = Object.assign((action, ms, ...args) => {
  if (!(ms > throttleMs / 2)) return after(action, ms, ...args);
  throttles.add(action);
  return action;
}, after);
globalThis.clearTimeout = (timer) => (throttles.delete(timer) ? undefined : forget(timer));
function tick() {
  for (const action of [...throttles]) if (throttles.delete(action)) action();
}

// A worker's reports of a run for a save take no time: it sends one each time.
performance.now = () => 1;

const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g;

/** Results that follow on each other in one order: that of the calls, which a save keeps, and that of the answers, which it does not, differ. */
function sorted(messages) {
  const list = [...messages];
  for (let at = 0; at < list.length; at++) {
    let end = at;
    while (list[end]?.role === "tool") end++;
    const results = list.slice(at, end).sort((a, b) => (a.toolCallId < b.toolCallId ? -1 : 1));
    list.splice(at, results.length, ...results);
    at = end;
  }
  return list;
}

/** An agent with its server, and everything that can be seen of both. */
function open(make, { pauses, store, throttled, thread }) {
  const log = [];
  // The questions that the server has not answered.
  const asked = [];
  const ask = ({ signal }) =>
    new Promise((resolve, reject) => {
      const one = { resolve, reject };
      asked.push(one);
      signal.addEventListener("abort", () => asked.includes(one) && asked.splice(asked.indexOf(one), 1));
    });
  const promises = {};
  const requests = [];
  const executing = [];
  let body;
  const fetch = async (_url, { body: json, signal }) => {
    const { threadId, runId, ...input } = JSON.parse(json);
    requests.push({ runId, ...input });
    let controller;
    const stream = new ReadableStream({ start: (made) => void (controller = made) });
    const mine = (body = { runId, threadId, controller, open: true });
    signal?.addEventListener("abort", () => {
      if (mine.open) controller.error(signal.reason);
      mine.open = false;
    });
    say(mine, { type: "RUN_STARTED", threadId, runId });
    return new Response(stream, { headers: { "content-type": "text/event-stream" } });
  };
  const say = ({ controller, open }, event) => open && controller.enqueue(new TextEncoder().encode(`data: ${JSON.stringify(event)}\n\n`));
  const note = (name, pickOf) => (value) => void log.push([name, pickOf(value)]);
  const plain = ({ kind, code, message }) => ({ kind, code, message });
  const tool = (name, more) => ({ name, description: name, parameters: {}, ...more });
  const later = () => new Promise((resolve, reject) => executing.push({ resolve, reject }));
  // Without pauses, what is executed at once would race with the frames of the same batch, here and there in another way.
  const soon = (method) => (pauses ? method : later);
  const options = {
    ...{ url: "http://host/", threadId: "t", notify: throttled ? { throttleMs } : "sync", fetch, limits: { graceMs: 0 } },
    ...(store && { persist: memoryStore() }),
    ...(thread && { thread: { load: ask, send: thread, timeoutMs: 0 } }),
    tools: [
      tool("asked", { needsApproval: true, execute: soon(({ a }) => `did ${a}`) }),
      tool("slow", { execute: later }),
      tool("quick", { followUp: false, execute: soon(() => "quick") }),
      tool("manual"),
    ],
    onFinish: note("finish", ({ outcome, pendingToolCallIds }) => [outcome, pendingToolCallIds]),
    onError: note("error", plain),
    onEvent: note("event", (event) => event),
    // A machine that stalls for a second while a store changes hands warns of that.
    onWarning: (warning) => warning.code === "not-owner" || note("warning", ({ code }) => code)(warning),
  };
  let agent;
  const begin = () => {
    agent?.dispose();
    agent = make(options);
    agent.subscribe(() => {});
    agent.on("custom", note("custom", (event) => event));
  };
  begin();
  const track = (label, promise) =>
    void promise.then(
      ({ outcome }) => void (promises[label] = outcome),
      (error) => void (promises[label] = error.code ?? String(error)),
    );

  return {
    dispose: () => agent.dispose(),
    runId: () => agent.getSnapshot().runId,
    /** The body and the queue as they are before a batch. */
    frame: () => ({ body, queue: agent.getSnapshot().queue, history: agent.history }),
    play: (step, n, at) => {
      const { frames = [], ends, act, given } = structuredClone(step);
      for (const event of frames) if (at.body) say(at.body, event);
      if (ends && at.body?.open) {
        const { runId, threadId, controller } = at.body;
        const { usage } = step;
        const interrupts = step.interrupts?.map((id) => ({ id, reason: "confirmation" }));
        if (ends === "finish")
          say(at.body, { type: "RUN_FINISHED", threadId, runId, ...(usage && { usage }), ...(interrupts && { outcome: { type: "interrupt", interrupts } }) });
        if (ends === "fail") say(at.body, { type: "RUN_ERROR", message: "failed" });
        at.body.open = false;
        controller.close();
      }
      if (!act) return;
      const [first] = at.queue;
      if (act === "settle") {
        const call = executing.shift();
        if (given instanceof Error) call?.reject(given);
        else call?.resolve(given);
      } else if (act === "cancelQueued") first && agent.cancelQueued(first.id);
      else if (act === "editQueued") first && agent.editQueued(first.id, given);
      else if (["submit", "resume"].includes(act)) track(`${n} ${act}`, agent[act](given));
      else if (["retry", "regenerate"].includes(act)) track(`${n} ${act}`, agent[act]());
      else if (["stop", "disconnect"].includes(act)) void agent[act]();
      else if (act === "reload") begin();
      else if (act === "load") track(`${n} load`, agent.load().then(() => ({ outcome: "loaded" })));
      else if (act === "loadOlder") track(`${n} older`, agent.loadOlder().then((outcome) => ({ outcome })));
      else if (act === "page") asked.shift()?.resolve(given);
      else if (act === "refuse") asked.shift()?.reject(new Error("no network"));
      else if (act === "change") changes[given[0]](agent, given[1]);
      else if (act === "fork") {
        const mark = at.history.at(-1 - (given % (at.history.length || 1)));
        // A reset of the same batch has forgotten it.
        if (mark && agent.at(mark)) agent.fork(mark);
      } else agent[act](...(given ?? []));
    },
    /** Everything that is to be the same, with ids that were made by chance by their order. */
    view: (died = false, masked = []) => {
      const history = agent.history.map(({ at: _, id, ...mark }) => ({
        ...mark,
        messages: sorted(agent.at(id).messages).map(({ id }) => id),
        state: agent.at(id).state,
      }));
      const { timing: _, error, connection, messages, steps, ...rest } = agent.getSnapshot();
      const timeless = messages.map(({ reasoningDurationMs: _, durationMs: __, ...message }) => message);
      const snapshot = {
        ...rest,
        messages: timeless,
        steps: steps.map(({ durationMs: _, ...step }) => step),
        phase: connection.phase,
        error: error && plain(error),
      };
      for (const name of masked) delete snapshot[name];
      // A save does not know why a call without a result has none, or that an answer is a denial.
      const cut = ({ phase, result }) => died && phase === "output-error" && result === undefined;
      snapshot.toolCalls = snapshot.toolCalls.map((call) => (died && call.phase === "denied" ? { ...call, phase: "output-error" } : call)).map((
        call,
      ) => (cut(call) ? { ...call, phase: "input-available", status: "complete", error: undefined } : call));
      const known = new Map();
      if (died) snapshot.messages = sorted(snapshot.messages);
      const sent = died ? requests.map((request) => ({ ...request, messages: sorted(request.messages) })) : requests;
      const json = JSON.stringify(
        { requests: sent, log: log.filter(([, code]) => code !== "edit-late"), promises, snapshot, history },
        (_key, value) =>
          value && typeof value === "object" && !Array.isArray(value) ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) : value,
      );
      return JSON.parse(json.replace(uuid, (id) => (known.has(id) || known.set(id, `id ${known.size}`), known.get(id))));
    },
    /** Nothing is in progress, here or at a server that was left. */
    settled: () => {
      const { isLoading, messages, toolCalls, thread } = agent.getSnapshot();
      const streams = messages.some(({ delivery }) => delivery === "streaming") || toolCalls.some(({ status }) => status === "running");
      return !isLoading && !streams && !body?.open && !executing.length && !["loading", "error"].includes(thread.status);
    },
  };
}

/** Nothing passes between page, worker and server. */
async function quiet(sides) {
  const size = () => JSON.stringify(sides.map(({ view }) => view()));
  let last = size();
  for (let same = 0; same < 2;) {
    for (let turn = 0; turn < 12; turn++) await new Promise(setImmediate);
    const next = size();
    same = next === last ? same + 1 : 0;
    last = next;
  }
}

/** Plays a seed. Throws what differs, with the steps so far. */
export async function play(seed, kind, batches = batchesOf(seed, kind)) {
  // Later events are no sign that nothing passes.
  await core();
  const workers = await localWorkers(core);
  const sides = [
    open((options) => createAgentWith(core, options), kind),
    open((options) => createWorkerAgentWith(core, workers.spawn, undefined, options), kind),
  ];
  const played = [];
  // The run that no worker has heard of: how it ended is what no save has.
  let unknown;
  let died = false;
  try {
    let n = 0;
    for (const batch of batches) {
      played.push(batch.map(({ name }) => name).join("+"));
      if (batch[0].death) {
        // With a run in progress they are meant to differ.
        if (!sides[1].settled() || !workers.all.length) continue;
        workers.all.at(-1).crash("out of memory");
        died = true;
        unknown = { runId: sides[0].runId() };
      } else {
        const at = sides.map((side) => side.frame());
        for (const [which, step] of batch.entries()) {
          n += 1;
          // A person stops what is shown, and has waited for what an earlier stop has begun: a page shows it at once.
          if (step.act === "stop" && batch.slice(0, which).some(({ act }) => act === "stop")) await quiet(sides);
          // A person approves what is shown, here and there, and has waited for it.
          if (kind.throttled && step.act === "approve") {
            tick();
            await quiet(sides);
          }
          sides.forEach((side, which) => {
            try {
              side.play(step, n, kind.throttled ? { ...at[which], body: side.frame().body } : at[which]);
            } catch (error) {
              side.view();
              throw Object.assign(error, { side: which });
            }
          });
          // All of it is done; what is shown is of some time before.
          if (kind.throttled) await quiet(sides);
        }
      }
      await quiet(sides);
      if (kind.throttled) {
        tick();
        await quiet(sides);
      }
      if (sides[0].runId() !== unknown?.runId) unknown = undefined;
      const masked = !unknown ? [] : ["steps", "outcome", "runId", "status", "error"];
      const [page, worker] = sides.map((side) => side.view(died, masked));
      assert.deepEqual(worker, page);
    }
  } catch (error) {
    error.message = `seed ${seed}, ${JSON.stringify(kind)}, after ${played.join(", ")}: ${error.message}`;
    throw error;
  } finally {
    for (const side of sides) side.dispose();
  }
}
