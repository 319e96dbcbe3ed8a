// How a stream is framed and cut says nothing about what is in it: events, lines of JSON, a JSON array and binary frames give
// the same snapshot, and so does every way to cut them into reads.
//
//   node tests/conformance/framings.test.mjs --seed 7     other streams

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { parseArgs } from "node:util";
import { binaryFrame, binaryType, sseFrame } from "./cases.mjs";
import { validStream } from "./generator.mjs";
import { agentOf, answering } from "./play.mjs";
import { Random } from "./random.mjs";

/** @type {string[]} */
const pending = JSON.parse(readFileSync(new URL("pending.json", import.meta.url), "utf8")).framings;

const { values } = parseArgs({ strict: false, options: { seed: { type: "string" } } });
const seed = Number(values.seed ?? process.env.CONFORMANCE_SEED ?? 1);
const text = (/** @type {string} */ body) => new TextEncoder().encode(body);

/** @typedef {{ name: string, type: string, frame(events: any[]): Uint8Array }} Framing */

/** @type {Framing[]} */
const framings = [
  { name: "server-sent events", type: "text/event-stream", frame: (events) => join(events.map(sseFrame)) },
  { name: "lines of JSON", type: "application/x-ndjson", frame: (events) => text(events.map((event) => `${JSON.stringify(event)}\n`).join("")) },
  { name: "lines of JSON without a name", type: "text/plain", frame: (events) => text(events.map((event) => JSON.stringify(event)).join("\r\n")) },
  { name: "a JSON array", type: "application/json", frame: (events) => text(JSON.stringify(events, null, 1)) },
  { name: "binary frames", type: binaryType, frame: (events) => join(events.map(binaryFrame)) },
];

/** @param {Uint8Array[]} pieces */
const join = (pieces) => new Uint8Array(Buffer.concat(pieces));

/** A stream that the binary encoding can carry: no unknown events, no old ones. @param {number} number */
function streamOf(number) {
  const { events, initial } = validStream(new Random(seed * 7_000_003 + number));
  return { events: events.filter(({ type }) => !/^(TIME_TRAVEL|THINKING_.*)$/.test(type)), initial };
}

/** All of a snapshot but what a clock has told. @param {Uint8Array[]} reads @param {string} type @param {{ messages: any[], state: any }} initial */
async function snapshotOf(reads, type, { messages, state }) {
  const { agent } = agentOf([answering(reads, { type })], { initialMessages: messages, initialState: state, rules: "strict", notify: "microtask" });
  await agent.submit({ runId: "r" });
  const { timing, connection, ...snapshot } = agent.getSnapshot();
  agent.dispose();
  const text = JSON.stringify({ ...snapshot, error: snapshot.error?.toJSON() }, (name, value) => (/[dD]urationMs$/.test(name) ? undefined : sorted(value)));
  return text.replaceAll(/"message":"The stream ended[^"]*"/g, "");
}

/** Members in one order: a binary map has none. @param {any} value */
const sorted = (value) =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) : value;

test("all framings give the same snapshot", { todo: pending.includes("all") }, async () => {
  for (let number = 0; number < 150; number++) {
    const { events, initial } = streamOf(number);
    const expected = await snapshotOf(events.map(sseFrame), "text/event-stream", initial);
    for (const { name, type, frame } of framings) {
      assert.equal(await snapshotOf([frame(events)], type, initial), expected, `${name}, stream ${number} of seed ${seed}`);
    }
  }
});

for (const framing of framings) {
  const { name, type, frame } = framing;
  test(`${name}: cut at every byte, or at random`, { todo: pending.includes(name) }, async () => {
    const random = new Random(seed);
    let short = 0;
    let long = 0;
    for (let number = 0; short < 1 || long < 6; number++) {
      const { events, initial } = streamOf(number);
      const body = frame(events);
      const brief = body.length < 2000;
      if (brief ? ++short > 1 : ++long > 6) continue;
      const expected = await snapshotOf([body], type, initial);
      assert.doesNotMatch(expected, /"kind":"http"/);
      const cuts = brief ? Array.from(body.keys()) : Array.from({ length: 200 }, () => random.below(body.length));
      for (const at of cuts) {
        assert.equal(await snapshotOf([body.subarray(0, at), body.subarray(at)], type, initial), expected, `cut at ${at}, stream ${number} of seed ${seed}`);
      }
      const bytes = Array.from(body, (_, at) => body.subarray(at, at + 1));
      assert.equal(await snapshotOf(bytes, type, initial), expected, `byte by byte, stream ${number} of seed ${seed}`);
    }
  });
}
