// The longest task that 1 MB of anything can make of a page: each hostile body goes through the built package as it is by
// default, in one read unless the row says otherwise, with a listener that reads the snapshot.
//
//   node benches/tasks.mjs [--pkg folder] [--rounds 3] [word of a row …]
//
// A task ends where the event loop comes round, so what one turn holds counts as one task. Of it is shown the longest piece of
// the body in WebAssembly, and the longest that a patch, or a part of one, takes there. Counted is the processor's time of the
// whole process where that is less than what has passed: other work on the machine adds to the one, and threads that compile or
// collect garbage to the other. Shown is the round with the shortest task. The yardstick is one `JSON.parse` of the same events.

import { pathToFileURL } from "node:url";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { processorTime } from "./measure.mjs";

const { values: given, positionals: words } = parseArgs({
  options: { pkg: { type: "string", default: "pkg" }, rounds: { type: "string", default: "3" }, size: { type: "string", default: "1000000" } },
  allowPositionals: true,
});
const load = (/** @type {string} */ name) => import(new URL(`${name}.js`, `${pathToFileURL(resolve(given.pkg))}/`).href);
const { createAgent } = await load("index");
const { webSocket } = await load("network/transports");

/** Milliseconds since another time: those that have passed, or those of the processor. */
const clock = () => ({ wall: performance.now(), busy: processorTime() });
const since = (/** @type {{ wall: number, busy: number }} */ { wall, busy }) => Math.min(performance.now() - wall, processorTime() - busy);

// The longest of each part, where the glue lets it be seen: a piece of the body, and a patch, which may be taken within that.
let [reading, publishing, inside, patches] = [0, 0, 0, 0];
const glue = await load("glue/core");
for (const name of ["read", "end"]) {
  const was = glue.Body.prototype[name];
  glue.Body.prototype[name] = function (/** @type {any[]} */ ...args) {
    const start = clock();
    inside = 0;
    const result = was.apply(this, args);
    reading = Math.max(reading, since(start) - inside);
    return result;
  };
}
const take = glue.Session.prototype.takePatch;
glue.Session.prototype.takePatch = function () {
  const start = clock();
  const patch = take.call(this);
  const spent = since(start);
  inside += spent;
  publishing = Math.max(publishing, spent);
  patches += patch === undefined ? 0 : 1;
  return patch;
};

const size = Number(given.size);
const [first, last] = ['{"type":"RUN_STARTED","threadId":"t","runId":"r"}', '{"type":"RUN_FINISHED","threadId":"t","runId":"r"}'];

/** As many as fill the size. @param {(at: number) => string} make @returns {string[]} */
function fill(make, bytes = size) {
  const made = [];
  for (let at = 0, sum = 0; sum < bytes; at++) {
    const one = make(at);
    made.push(one);
    sum += one.length + 8;
  }
  return made;
}

const event = (/** @type {string} */ type, /** @type {object} */ rest) => JSON.stringify({ type, ...rest });
const run = (/** @type {string[]} */ ...events) => [first, ...events, last];
const start = event("TEXT_MESSAGE_START", { messageId: "m", role: "assistant" });
const call = (/** @type {number} */ at) => event("TOOL_CALL_START", { toolCallId: `c${at}`, toolCallName: "f", parentMessageId: "m" });
const snapshot = (/** @type {unknown} */ state) => event("STATE_SNAPSHOT", { snapshot: state });
const rows = (bytes = size) => ({ rows: fill((at) => JSON.stringify({ id: at, title: `row ${at}`, done: false }), bytes).map((row) => JSON.parse(row)) });
const deltas = (/** @type {(at: number) => object[]} */ make, bytes = size) => fill((at) => event("STATE_DELTA", { delta: make(at) }), bytes);
const one = (/** @type {(at: number) => object} */ make) =>
  event("STATE_DELTA", { delta: fill((at) => JSON.stringify(make(at))).map((step) => JSON.parse(step)) });
const nested = (/** @type {number} */ depth) => `${"[".repeat(depth)}${"]".repeat(depth)}`;
const messages = (/** @type {(at: number) => object} */ make, bytes = size) =>
  event("MESSAGES_SNAPSHOT", { messages: fill((at) => JSON.stringify(make(at)), bytes).map((message) => JSON.parse(message)) });

/** The events of each row. @type {Record<string, () => string[]>} */
const bodies = {
  "text in small deltas": () => run(start, ...fill((at) => event("TEXT_MESSAGE_CONTENT", { messageId: "m", delta: `w${at} ` }))),
  "text in one delta": () => run(start, event("TEXT_MESSAGE_CONTENT", { messageId: "m", delta: "x".repeat(size) })),
  "text of escapes in one delta": () => run(start, event("TEXT_MESSAGE_CONTENT", { messageId: "m", delta: "\n".repeat(size / 2) })),
  "messages without content": () => run(...fill((at) => event("TEXT_MESSAGE_START", { messageId: `m${at}`, role: "assistant" }))),
  "chunks of other messages": () => run(...fill((at) => event("TEXT_MESSAGE_CHUNK", { messageId: `m${at}`, delta: "x" }))),
  "small messages in one snapshot": () => run(messages((at) => ({ id: `m${at}`, role: "user", content: "x" }))),
  "one message in a snapshot": () => run(event("MESSAGES_SNAPSHOT", { messages: [{ id: "m", role: "user", content: "x".repeat(size) }] })),
  "calls in one snapshot": () =>
    run(
      event("MESSAGES_SNAPSHOT", {
        messages: [{
          id: "m",
          role: "assistant",
          toolCalls: fill((at) => JSON.stringify({ id: `c${at}`, type: "function", function: { name: "f", arguments: "{}" } })).map((text) => JSON.parse(text)),
        }],
      }),
    ),
  "snapshots of messages, of 10 kB": () => run(...fill((at) => messages((n) => ({ id: `m${at % 2}-${n}`, role: "user", content: "x" }), 10_000))),
  "reversed snapshots of messages, of 250 kB": () =>
    run(...[0, 1, 2, 3].map((at) => messages((n) => ({ id: `m${at % 2 ? n : 9999 - n}`, role: "user", content: "x" }), size / 4))),
  "a state of small rows": () => run(snapshot(rows())),
  "a state of numbers": () => run(event("STATE_SNAPSHOT", { snapshot: Array.from({ length: size / 2 }, () => 1) })),
  "a state of empty objects": () => run(event("STATE_SNAPSHOT", { snapshot: Array.from({ length: size / 3 }, () => ({})) })),
  "a state of members": () => run(snapshot(Object.fromEntries(fill((at) => `"k${at}":1`).map((_, at) => [`k${at}`, 1])))),
  "states of 10 kB": () => run(...fill(() => snapshot(rows(10_000)))),
  "lists nested 60 deep": () => run(`{"type":"STATE_SNAPSHOT","snapshot":[${fill(() => nested(60)).join(",")}]}`),
  "a list nested too deep": () => run(`{"type":"STATE_SNAPSHOT","snapshot":${nested(size / 2)}}`),
  "deltas that replace": () => run(snapshot(rows(100_000)), ...deltas((at) => [{ op: "replace", path: `/rows/${at % 1000}/done`, value: at }])),
  "deltas that test a large value": () =>
    run(snapshot({ a: rows(size / 3), b: rows(size / 3) }), ...deltas(() => [{ op: "test", path: "/a", value: 1 }], size / 3)),
  "deltas that copy": () => run(snapshot({ a: rows(1000) }), ...deltas((at) => [{ op: "copy", from: "/a", path: `/c${at}` }])),
  "deltas that copy a large value": () => run(snapshot({ a: rows(size / 2) }), ...deltas((at) => [{ op: "copy", from: "/a", path: `/c${at}` }], size / 2)),
  "deltas that move": () =>
    run(snapshot({ a: rows(size / 2) }), ...deltas((at) => [{ op: "move", from: at % 2 ? "/b" : "/a", path: at % 2 ? "/a" : "/b" }], size / 2)),
  "deltas that insert in front": () => run(snapshot({ list: [] }), ...deltas(() => [{ op: "add", path: "/list/0", value: 1 }])),
  "deltas that remove in front": () => run(snapshot(rows(size / 2)), ...deltas(() => [{ op: "remove", path: "/rows/0" }], size / 2)),
  "one delta that adds": () => run(snapshot({ list: [] }), one((at) => ({ op: "add", path: "/list/-", value: at }))),
  "one delta that inserts in front": () => run(snapshot({ list: [] }), one(() => ({ op: "add", path: "/list/0", value: 1 }))),
  "one delta that copies": () => run(snapshot({ a: rows(1000) }), one((at) => ({ op: "copy", from: "/a", path: `/c${at}` }))),
  "one delta that moves": () => run(snapshot({ a: rows(1000) }), one((at) => ({ op: "move", from: at % 2 ? "/b" : "/a", path: at % 2 ? "/a" : "/b" }))),
  "one delta that does not apply": () =>
    run(
      snapshot({ list: [] }),
      event("STATE_DELTA", {
        delta: [...fill((at) => JSON.stringify({ op: "add", path: "/list/-", value: at })).map((step) => JSON.parse(step)), { op: "remove", path: "/no" }],
      }),
    ),
  "subagents": () => run(...fill((at) => event("SUBAGENT_STARTED", { subagentRunId: `s${at}`, name: "n", parentSubagentRunId: `p${at}` }))),
  "subagents under each other": () =>
    run(...fill((at) => event("SUBAGENT_STARTED", { subagentRunId: `s${at}`, name: "n", parentSubagentRunId: `s${at - 1}` }))),
  "calls of one message": () => run(...fill(call)),
  "calls that end": () => run(...fill((at) => event("TOOL_CALL_END", { toolCallId: `c${at}` }), size / 2).flatMap((end, at) => [call(at), end])),
  "results after calls": () => {
    const results = fill((at) => event("TOOL_CALL_RESULT", { messageId: `r${at}`, toolCallId: `c${at}`, content: "x" }), size / 2);
    return run(...results.map((_, at) => call(at)), ...results);
  },
  "arguments of one call in deltas of a character": () =>
    run(call(0), ...fill((at) => event("TOOL_CALL_ARGS", { toolCallId: "c0", delta: at ? "x" : '{"a":"' }))),
  "arguments of one call, a list of numbers": () => run(call(0), event("TOOL_CALL_ARGS", { toolCallId: "c0", delta: `[${"1,".repeat(size / 2)}1]` })),
  "arguments of one call, nested": () =>
    run(call(0), event("TOOL_CALL_ARGS", { toolCallId: "c0", delta: `[${Array.from({ length: size / 120 }, () => nested(60)).join(",")}]` })),
  "custom events": () => run(...fill((at) => event("CUSTOM", { name: "n", value: at }))),
  "one custom event": () => run(event("CUSTOM", { name: "n", value: rows() })),
  "raw events": () => run(...fill((at) => event("RAW", { event: at }))),
  "activities": () => run(...fill((at) => event("ACTIVITY_SNAPSHOT", { messageId: `a${at}`, activityType: "T", content: {} }))),
  "deltas of one activity": () =>
    run(
      event("ACTIVITY_SNAPSHOT", { messageId: "a", activityType: "T", content: { list: [] } }),
      ...fill((at) => event("ACTIVITY_DELTA", { messageId: "a", activityType: "T", patch: [{ op: "add", path: "/list/-", value: at }] })),
    ),
  "steps": () => run(...fill((at) => event("STEP_STARTED", { stepName: `s${at}` }))),
  "runs": () => [
    first,
    ...fill((at) => (at % 2 ? event("RUN_STARTED", { threadId: "t", runId: `r${at}` }) : event("RUN_FINISHED", { threadId: "t", runId: `r${at - 1}` }))),
    last,
  ],
  "unknown events": () => run(...fill((at) => event("NO_SUCH", { at }))),
  "interrupts": () =>
    run().slice(0, 1).concat(
      event("RUN_FINISHED", {
        threadId: "t",
        runId: "r",
        outcome: { type: "interrupt", interrupts: fill((at) => JSON.stringify({ id: `i${at}`, reason: "x" })).map((text) => JSON.parse(text)) },
      }),
    ),
  "usage of one run": () =>
    run().slice(0, 1).concat(
      event("RUN_FINISHED", {
        threadId: "t",
        runId: "r",
        usage: fill((at) => JSON.stringify({ provider: "p", model: `m${at}`, inputTokens: 1 })).map((text) => JSON.parse(text)),
      }),
    ),
  "usage of runs": () =>
    fill((at) => event("RUN_FINISHED", { threadId: "t", runId: "r", usage: [{ provider: "p", model: `m${at}`, inputTokens: 1 }] })).flatMap((
      end,
    ) => [first, end]),
  "messages with calls in one snapshot": () =>
    run(messages((at) => ({ id: `m${at}`, role: "assistant", toolCalls: [{ id: `c${at}`, type: "function", function: { name: "f", arguments: "{}" } }] }))),
  "pending calls": () =>
    run().slice(0, 1).concat(
      event("RUN_FINISHED", {
        threadId: "t",
        runId: "r",
        outcome: { type: "success", pendingToolCallIds: Array.from({ length: size / 10 }, (_, at) => `c${at}`) },
      }),
    ),
};

const stream = (/** @type {string[]} */ events) => events.map((json) => `data: ${json}\n\n`).join("");

/** @typedef {{ type: string, body: string | Uint8Array, json: string[], cut?: number, socket?: (string | Uint8Array)[] }} Row */

/** @returns {Generator<[string, () => Row]>} */
function* all() {
  for (const [name, events] of Object.entries(bodies)) {
    yield [name, () => ((json) => ({ type: "text/event-stream", body: stream(json), json }))(events())];
  }
  const text = () => /** @type {() => string[]} */ (bodies["text in small deltas"])();
  const lines = (/** @type {string[]} */ json) => json.map((line) => `${line}\n`).join("");
  yield ["text in small deltas, 100 bytes a read", () => ((json) => ({ type: "text/event-stream", body: stream(json), json, cut: 100 }))(text())];
  yield ["NDJSON", () => ((json) => ({ type: "application/x-ndjson", body: lines(json), json }))(text())];
  yield ["a JSON array", () => ((json) => ({ type: "application/json", body: `[${json.join(",")}]`, json }))(text())];
  yield ["an array of empty objects", () => ({ type: "application/json", body: `[${"{},".repeat(size / 3)}{}]`, json: [] })];
  yield ["lines of {}", () => ({ type: "application/x-ndjson", body: "{}\n".repeat(size / 3), json: [] })];
  for (const [name, of] of [["blanks", " "], ["line feeds", "\n"], ["comments", ":\n"], ["empty data", "data:\n\n"], ["data lines of one frame", "data:\n"], [
    "ids",
    "id:1\n\n",
  ]]) {
    yield [`${name}`, () => ({ type: "text/event-stream", body: /** @type {string} */ (of).repeat(size / /** @type {string} */ (of).length), json: [] })];
  }
  yield ["blanks, of no type", () => ({ type: "application/json", body: " ".repeat(size), json: [] })];
  yield ["an error of a gateway", () => ({ type: "text/html", body: "<".repeat(size), json: [] })];
  const packet = (/** @type {number[]} */ bytes) => [bytes.length >> 24, (bytes.length >> 16) & 255, (bytes.length >> 8) & 255, bytes.length & 255, ...bytes];
  // A TEXT_MESSAGE_START: base (1) with a type, an id (2) of "m".
  const binary = (/** @type {number[]} */ bytes) =>
    Uint8Array.from({ length: Math.floor(size / bytes.length) * bytes.length }, (_, at) => bytes[at % bytes.length] ?? 0);
  yield [
    "binary frames",
    () => ({ type: "application/vnd.ag-ui.event+proto", body: binary(packet([0x0a, 0x09, 0x0a, 0x02, 0x08, 0x00, 0x12, 0x01, 0x6d, 0x1a, 0x00])), json: [] }),
  ];
  yield ["empty binary frames", () => ({ type: "application/vnd.ag-ui.event+proto", body: new Uint8Array(size), json: [] })];
  yield ["WebSocket: text in small deltas", () => ((json) => ({ type: "", body: "", json, socket: json }))(text())];
  yield ["WebSocket: a frame of blanks", () => ({ type: "", body: "", json: [], socket: [" ".repeat(size)] })];
  yield ["WebSocket: a frame of line feeds", () => ({ type: "", body: "", json: [], socket: ["{\n\r".repeat(size / 3)] })];
  yield ["WebSocket: pings", () => ({ type: "", body: "", json: [], socket: Array.from({ length: size / 4 }, () => "ping") })];
  yield ["WebSocket: one frame that is a state", () => ((json) => ({ type: "", body: "", json, socket: json }))(run(snapshot(rows())))];
}

/** The longest gap between two rounds of the event loop while `work` is on. @param {() => Promise<unknown>} work */
async function longest(work) {
  let [most, before, on] = [0, clock(), true];
  const look = () => {
    most = Math.max(most, since(before));
    before = clock();
    if (on) setImmediate(look);
  };
  setImmediate(look);
  await work();
  // The last notification comes with a frame.
  await new Promise((done) => setTimeout(done, 50));
  on = false;
  await new Promise((done) => setImmediate(done));
  return most;
}

/** Frames of a socket come in bursts, each a task of its own. @param {(string | Uint8Array)[]} frames */
const socketOf = (frames) =>
  class {
    readyState = 1;
    /** @type {any} */ onopen;
    /** @type {any} */ onmessage;
    /** @type {any} */ onclose;
    constructor() {
      setImmediate(() => {
        this.onopen?.();
        let at = 0;
        const burst = () => {
          for (const until = performance.now() + 4; at < frames.length && performance.now() < until; at++) this.onmessage({ data: frames[at] });
          if (at < frames.length) setImmediate(burst);
          else setImmediate(() => this.onclose?.({ code: 1000, reason: "" }));
        };
        burst();
      });
    }
    send() {}
    close() {}
  };

/** @param {Row} row */
async function play({ type, body, cut, socket }) {
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
  const fetch = async () => {
    let at = 0;
    const source = new ReadableStream({
      pull(controller) {
        const end = Math.min(at + (cut ?? bytes.length), bytes.length);
        if (at < end) controller.enqueue(bytes.slice(at, end));
        if ((at = end) === bytes.length) controller.close();
      },
    });
    return new Response(source, { headers: { "content-type": type } });
  };
  const agent = socket
    ? createAgent({ transport: webSocket({ url: "ws://agent.test", WebSocket: socketOf(socket) }) })
    : createAgent({ url: "http://agent.test/", fetch });
  agent.subscribe(() => agent.getSnapshot());
  [reading, publishing, patches] = [0, 0, 0];
  const went = await longest(() => agent.submit("go").catch(() => {}));
  const { status, error } = agent.getSnapshot();
  agent.dispose();
  return { went, parts: [reading, publishing], patches, status: error ? `${status}: ${error.code ?? error.kind}` : status };
}

// Everything is loaded and compiled.
await play({ type: "text/event-stream", body: stream(run(start)), json: [] });
console.log(
  "| 1 MB of | longest task | of it reading | taking a patch | patches and parts | JSON.parse | end |\n| --- | ---: | ---: | ---: | ---: | ---: | --- |",
);
for (const [name, make] of all()) {
  if (words.length && !words.some((word) => name.includes(word))) continue;
  const row = make();
  let [best, parse, status] = [Infinity, Infinity, ""];
  let [least, parts] = [[0, 0], 0];
  for (let round = 0; round < Number(given.rounds); round++) {
    /** @type {any} */ (globalThis).gc?.();
    const played = await play(row);
    if (played.went < best) [least, parts] = [played.parts, played.patches];
    [best, status] = [Math.min(best, played.went), played.status];
    const began = clock();
    for (const json of row.json) {
      try {
        JSON.parse(json);
      } catch {}
    }
    parse = Math.min(parse, since(began));
  }
  console.log(
    `| ${name} | ${best.toFixed(0)} ms | ${least.map((ms) => `${ms.toFixed(0)} ms`).join(" | ")} | ${parts} | ${
      row.json.length ? `${parse.toFixed(0)} ms` : ""
    } | ${status} |`,
  );
}
process.exit(0);
