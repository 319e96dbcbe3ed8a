// Where the time of row 1 goes: `node benches/profile.mjs`, after a build. Samples of V8's profiler, by function.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { Session } from "node:inspector/promises";
import { alternate, processorTime, quantile } from "./measure.mjs";
import { answer, reads, textWork } from "./workload.mjs";

process.env.NODE_ENV = "production";
const packed = new URL("../pkg/", import.meta.url);
const { createAgent } = await import(new URL("slim.js", packed).href);
const wasm = readFileSync(new URL("core.wasm", packed));

/** @type {[string, (frame: import("node:inspector").Runtime.CallFrame) => boolean][]} */
const parts = [
  ["WebAssembly", ({ url }) => url.startsWith("wasm:")],
  ["the platform's stream", ({ url }) => /webstreams|node:internal\/(util|validators|queuing)/.test(url)],
  ["the stand-in for the network", ({ url }) => url.endsWith("workload.mjs")],
  [
    "the loop and the copy (js/core/exchange.ts), the clock",
    ({ url, functionName }) => /pkg\/core\/(exchange|driver)\.js$/.test(url) || functionName === "now",
  ],
  ["text out of WebAssembly (TextDecoder, glue)", ({ url, functionName }) => url.includes("/glue/") || functionName === "decode"],
  ["the mirror (js/snapshot/mirror.ts)", ({ url }) => url.endsWith("mirror.js")],
  ["garbage collection", ({ functionName }) => functionName === "(garbage collector)"],
  ["the rest", () => true],
];

const session = new Session();
session.connect();
await session.post("Profiler.enable");
await session.post("Profiler.setSamplingInterval", { interval: 100 });

const [deltas, rounds] = [100_000, 40];
const work = textWork(deltas);
const table = parts.map(([name]) => [name]);
const empty = ["a loop over the stream that does nothing"];

/** @param {readonly Uint8Array[]} body @returns {Promise<number>} milliseconds of the processor */
function drain(body) {
  const reader = /** @type {ReadableStream<Uint8Array>} */ (answer(body).body).getReader();
  const begin = processorTime();
  return new Promise((resolve) => {
    const come = (/** @type {{ done: boolean }} */ { done }) => (done ? resolve(processorTime() - begin) : void reader.read().then(come));
    reader.read().then(come);
  });
}

for (const eventsPerRead of [1, 10, 100]) {
  const body = reads(work.frames(), eventsPerRead);
  const run = async () => {
    const agent = createAgent({ url: "http://agent.test/", wasm, fetch: async () => answer(body) });
    let snapshot = agent.getSnapshot();
    agent.subscribe(() => (snapshot = agent.getSnapshot()));
    await agent.submit({});
    assert.ok(snapshot.messages.at(-1)?.content === work.text);
    agent.dispose();
  };
  for (let round = 0; round < 5; round++) await run();
  await session.post("Profiler.start");
  for (let round = 0; round < rounds; round++) await run();
  const { profile } = await session.post("Profiler.stop");
  const frames = new Map(profile.nodes.map(({ id, callFrame }) => [id, callFrame]));
  const spent = parts.map(() => 0);
  profile.samples?.forEach((id, at) => {
    const frame = frames.get(id);
    if (!frame || frame.functionName === "(idle)") return;
    const part = parts.findIndex(([, is]) => is(frame));
    spent[part] = (spent[part] ?? 0) + (profile.timeDeltas?.[at] ?? 0);
  });
  spent.forEach((micros, part) => table[part]?.push((micros / 1000 / rounds).toFixed(1)));
  empty.push(quantile((await alternate({ empty: () => drain(body) }, 11)).empty, 0.5).toFixed(1));
}
session.disconnect();

console.log(`${deltas} text deltas, milliseconds at 1, 10 and 100 events a read:\n`);
for (const [name = "", ...values] of [...table, empty]) console.log(name.padEnd(50), ...values.map((value) => value.padStart(8)));
process.exit(0);
