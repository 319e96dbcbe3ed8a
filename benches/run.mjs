// How fast the built package is, against the floor and against the official client, and how large.
//
//   npm run bench                     everything, about five minutes
//   npm run bench -- stream           one part: stream, thread, size
//   npm run bench -- --rounds 5       fewer rounds; 15 by default
//
// What is measured is the processor's time, which depends least on what else the machine does. The ways take turns, a
// ratio compares neighbours of one round, and the median over the rounds is shown, with the quartiles. The first round
// only warms up.

// Both clients at their best: no freezing of what listeners get, no texts for warnings.
process.env.NODE_ENV = "production";
process.env.SUPPRESS_TRANSFORMATION_WARNINGS = "1";

import { readFileSync } from "node:fs";
import { cpus } from "node:os";
import { parseArgs } from "node:util";
import { sizes } from "./size.mjs";
import { bareResponse, history, languages, response, workload } from "./workload.mjs";

const { core, floor, official, ours } = await import("./clients.mjs");

/** @typedef {import("./clients.mjs").Client} Client */

const { values, positionals } = parseArgs({ allowPositionals: true, options: { rounds: { type: "string", default: "15" } } });
const rounds = Number(values.rounds);
/** @type {Record<string, () => Promise<void>>} */
const parts = { stream, thread, size };
const wanted = positionals.length > 0 ? positionals : Object.keys(parts);
const unknown = wanted.filter((name) => !(name in parts));
if (unknown.length > 0 || !(rounds >= 1)) {
  console.error(`Parts: ${Object.keys(parts).join(", ")}; --rounds takes a number from 1.`);
  process.exit(2);
}

const version = (/** @type {string} */ path) => JSON.parse(readFileSync(new URL(path, import.meta.url), "utf8")).version;
const clientVersion = version("../node_modules/@ag-ui/client/package.json");
console.log(`ag-ui-wasm ${version("../pkg/package.json")}, @ag-ui/client ${clientVersion}, Node ${process.version}, ${cpus()[0]?.model.trim()}`);
for (const name of wanted) await parts[name]?.();

/** Bytes to the final message. */
async function stream() {
  const events = 100_000;
  const title = `${count(events)} text deltas of 12 characters, against TextDecoder + split + JSON.parse + append`;
  const rows = [];
  for (const [eventsPerRead, language] of /** @type {const} */ ([
    [1, "latin"],
    [10, "latin"],
    [100, "latin"],
    [10, "cyrillic"],
  ])) {
    const work = workload(events, eventsPerRead, languages[language]);
    for (const [source, answer] of /** @type {const} */ ([
      ["fetch", response],
      ["bare stream", bareResponse],
    ])) {
      const ways = { floor, package: ours, core };
      const [base, ...others] = await measure(ways, () => answer(work.reads), work.text);
      const rate = (/** @type {Measured | undefined} */ way) => (way ? `${count((events / way.median) * 1000)}/s` : "");
      rows.push([`${eventsPerRead} a read, ${source}${language === "latin" ? "" : `, ${language}`}`, rate(base), ...others.flatMap((way) => [rate(way), times(way)])]);
    }
  }
  table(title, ["", "floor", "package", "× floor", "core alone", "× floor"], rows);
}

/** Where the official client is at home: a thread that has grown. */
async function thread() {
  const rows = [];
  for (const [deltas, messages, eventsPerRead] of /** @type {const} */ ([
    [2_000, 500, 1],
    [2_000, 500, 10],
    [20_000, 0, 1],
    [20_000, 0, 10],
  ])) {
    const work = workload(deltas, eventsPerRead);
    const before = history(messages, 1024);
    /** @type {Record<string, Client>} */
    const ways = { official: (answer) => official(answer, before), package: (answer) => ours(answer, before) };
    const [base, way] = await measure(ways, () => response(work.reads), work.text, 3);
    const name = `${count(deltas)} into ${messages > 0 ? `${messages} messages of 1 KB` : "an empty thread"}, ${eventsPerRead} a read`;
    rows.push([name, milliseconds(base?.median), milliseconds(way?.median), times(way), milliseconds(base?.before), milliseconds(way?.before)]);
  }
  table(`Text deltas against @ag-ui/client ${clientVersion}; before: from nothing to the request`, ["", "client", "package", "faster", "client before", "package before"], rows);
}

/** What a page loads. */
async function size() {
  const kilobytes = (/** @type {number} */ bytes) => `${(bytes / 1000).toFixed(1)} kB`;
  const rows = (await sizes()).map(({ name, min, gzip, brotli }) => [name, ...[min, gzip, brotli].map(kilobytes)]);
  table("Size", ["", "minified", "gzip", "brotli"], rows);
}

/**
 * @typedef {object} Measured  medians in milliseconds
 * @property {number} median  from the request to the end
 * @property {number} before  until the request: the agent is made, and has a thread to hold
 * @property {number} ratio  how often this goes into the first way's
 * @property {number} low  first quartile of the ratio
 * @property {number} high  third quartile
 */

/**
 * @param {Record<string, Client>} ways
 * @param {() => Response} answer
 * @param {string} text
 * @param {number} [most]  rounds, where a round takes long
 * @returns {Promise<Measured[]>}
 */
async function measure(ways, answer, text, most = rounds) {
  /** @type {{ before: number, time: number }[][]} */
  const all = [];
  for (let round = -1; round < Math.min(rounds, most); round++) {
    const row = [];
    for (const [name, way] of Object.entries(ways)) {
      let requested = NaN;
      const start = processorTime();
      const result = await way(() => {
        requested = processorTime();
        return answer();
      });
      row.push({ before: requested - start, time: processorTime() - requested });
      if (result !== text) throw new Error(`${name} made another message of it: ${result.length} characters for ${text.length}.`);
    }
    if (round >= 0) all.push(row);
  }
  return Object.keys(ways).map((_, way) => {
    const column = (/** @type {number} */ at) => all.flatMap((row) => row[at] ?? []);
    const ratios = column(way).map(({ time }, round) => /** @type {number} */ (column(0)[round]?.time) / time);
    return {
      median: quantile(column(way).map(({ time }) => time), 0.5),
      before: quantile(column(way).map(({ before }) => before), 0.5),
      ratio: quantile(ratios, 0.5),
      low: quantile(ratios, 0.25),
      high: quantile(ratios, 0.75),
    };
  });
}

/** Milliseconds, of all threads. */
function processorTime() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** @param {number[]} values @param {number} part */
function quantile(values, part) {
  const sorted = [...values].sort((a, b) => a - b);
  return /** @type {number} */ (sorted[Math.floor((sorted.length - 1) * part + 0.5)]);
}

/** @param {Measured | undefined} way */
function times(way) {
  if (!way) return "";
  const digits = way.ratio < 20 ? 1 : 0;
  return `${way.ratio.toFixed(digits)} (${way.low.toFixed(digits)}–${way.high.toFixed(digits)})`;
}

/** @param {number | undefined} time */
function milliseconds(time) {
  return `${time?.toFixed(1)} ms`;
}

/** @param {number} value */
function count(value) {
  return Math.round(value).toLocaleString("en");
}

/** @param {string} title @param {string[]} head @param {string[][]} rows */
function table(title, head, rows) {
  const widths = head.map((cell, i) => Math.max(cell.length, ...rows.map((row) => row[i]?.length ?? 0)));
  const line = (/** @type {string[]} */ row) => head.map((_, i) => (i === 0 ? (row[i] ?? "").padEnd(widths[i] ?? 0) : (row[i] ?? "").padStart(widths[i] ?? 0))).join("  ").trimEnd();
  console.log(`\n${title}\n${line(head)}\n${widths.map((width) => "-".repeat(width)).join("  ")}`);
  for (const row of rows) console.log(line(row));
}
