// Rows 1 to 5: from the bytes of an answer to what is shown, in Node, in the processor's time.

import assert from "node:assert/strict";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { bareCore, bareFloor } from "./bare.mjs";
import { alternate as inTurn, processorTime, quantile, ratio, summary } from "./measure.mjs";
import { imported } from "./peers.mjs";
import { number, spread, time } from "./report.mjs";
import { answer, argsWork, history, languages, reads, rowsState, stateWork, textWork } from "./workload.mjs";

/** @typedef {import("./clients.js").Client} Client */
/** @typedef {import("./report.mjs").Line} Line */
/** @typedef {import("./workload.mjs").Work} Work */
/** @typedef {{ full: boolean }} Scope */

const OURS = "ag-ui-wasm";
const OFFICIAL = "@ag-ui/client";

// Both clients of AG-UI at their best: no freezing of what listeners get, no texts for warnings.
process.env.NODE_ENV = "production";
process.env.SUPPRESS_TRANSFORMATION_WARNINGS = "1";

setFlagsFromString("--expose-gc");
const collect = /** @type {(options?: object) => void} */ (runInNewContext("gc"));

/** @type {typeof inTurn} */
const alternate = (ways, rounds, options) => inTurn(ways, rounds, { before: () => collect({ type: "minor" }), ...options });

/** @type {Promise<{ clients: Record<string, Client> }> | undefined} */
let loading;
const clientOf = async (/** @type {string} */ name) => {
  loading ??= imported("clients", new URL("clients.js", import.meta.url).pathname);
  return /** @type {Client} */ ((await loading).clients[name]);
};

/**
 * A way to be measured: one run of one client.
 *
 * @param {string} name
 * @param {Work} work
 * @param {{ eventsPerRead?: number, messages?: any[], state?: unknown, check?: (chat: import("./clients.js").Conversation) => void }} [options]
 */
async function way(
  name,
  work,
  { eventsPerRead = 10, messages, state, check = (chat) => assert.ok(chat.text() === work.text, `${name} made another text of it`) } = {},
) {
  const client = await clientOf(name);
  const body = reads(work.frames(client.protocol), eventsPerRead);
  return async () => {
    let requested = NaN;
    const fetch = async () => {
      requested = processorTime();
      return answer(body);
    };
    const chat = client({ url: "http://agent.test/", fetch, messages, state });
    await chat.send();
    const spent = processorTime() - requested;
    check(chat);
    chat.dispose();
    return spent;
  };
}

/** Row 1. @param {Scope} scope @returns {AsyncGenerator<Line>} */
export async function* streams({ full }) {
  const deltas = 100_000;
  /** @type {[number, keyof typeof languages][]} */
  const kinds = [[1, "latin"], [10, "latin"], [100, "latin"]];
  if (full) kinds.push([10, "cyrillic"]);
  for (const [eventsPerRead, language] of kinds) {
    const work = textWork(deltas, languages[language]);
    const figures = await alternate({ floor: await way("floor", work, { eventsPerRead }), ours: await way(OURS, work, { eventsPerRead }) }, full ? 21 : 9);
    const times = ratio(figures.floor, figures.ours);
    yield {
      row: 1,
      work: `${number(deltas)} text deltas, ${eventsPerRead} a read${language === "latin" ? "" : `, ${language}`}`,
      ours: time(quantile(figures.ours, 0.5)),
      other: `floor ${time(quantile(figures.floor, 0.5))}`,
      ratio: spread(times),
      target: "≥ 4",
      met: times.median >= 4,
      data: figures,
    };
  }
  const work = textWork(deltas);
  for (const eventsPerRead of [1, 10, 100]) {
    const body = reads(work.frames(), eventsPerRead);
    const figures = await alternate({ floor: bareFloor(body, work.text), ours: await bareCore(body, work.text) }, full ? 21 : 9);
    const times = ratio(figures.floor, figures.ours);
    const [ours, floor] = [time(quantile(figures.ours, 0.5)), time(quantile(figures.floor, 0.5))];
    yield {
      row: 1,
      work: `… ${eventsPerRead} a read, without the platform's stream`,
      ours,
      other: `floor ${floor}`,
      ratio: spread(times),
      target: "",
      met: undefined,
      data: figures,
    };
  }
}

/** Row 2. @param {Scope} scope @returns {AsyncGenerator<Line>} */
export async function* against({ full }) {
  for (const eventsPerRead of [1, 10]) {
    const work = textWork(20_000);
    const { ours } = await alternate({ ours: await way(OURS, work, { eventsPerRead }) }, full ? 15 : 7);
    // Seconds each: it has time enough to warm up in one.
    const { official } = await alternate({ official: await way(OFFICIAL, work, { eventsPerRead }) }, full ? 3 : 1, { warm: false });
    const base = quantile(official, 0.5);
    const times = summary(ours.map((value) => base / value));
    yield {
      row: 2,
      work: `20,000 deltas, empty thread, ${eventsPerRead} a read`,
      ours: time(quantile(ours, 0.5)),
      other: `${OFFICIAL} ${time(base)}`,
      ratio: spread(times),
      target: "≥ 300",
      met: times.median >= 300,
      data: { ours, official },
    };
  }
}

/** Row 3. @param {Scope} scope @returns {AsyncGenerator<Line>} */
export async function* threads({ full }) {
  const lengths = [5, 50, 500, 5_000];
  // A run has costs beside its deltas, which grow with the thread: a delta is the difference of two runs.
  const [fewer, more] = [2_000, 22_000];
  const [first, short, long] = [textWork(fewer), textWork(fewer), textWork(more)];
  const client = await clientOf(OURS);
  const bodies = new Map([first, short, long].map((work) => [work, reads(work.frames(), 10)]));
  /** @type {Record<string, () => Promise<number>>} */
  const ways = {};
  for (const length of lengths) {
    const messages = history(length);
    ways[length] = async () => {
      let [work, requested] = [first, NaN];
      const fetch = async () => {
        requested = processorTime();
        return answer(bodies.get(work) ?? []);
      };
      const chat = client({ url: "http://agent.test/", fetch, messages });
      const run = async (/** @type {Work} */ next) => {
        work = next;
        await chat.send();
        assert.ok(chat.text() === work.text);
        return processorTime() - requested;
      };
      await run(first);
      // The thread is as old as it is in a conversation: twice seen by the collector, which no longer moves it.
      for (let times = 0; times < 2; times++) collect({ type: "minor" });
      const little = await run(short);
      const much = await run(long);
      chat.dispose();
      return much - little;
    };
  }
  const figures = await alternate(ways, full ? 31 : 11);
  const each = (/** @type {number} */ length) => quantile(figures[length] ?? [], 0.5) / (more - fewer);
  // How much longer a delta takes in the long thread: the other way round than speeds.
  const slower = ratio(figures[5_000] ?? [], figures[5] ?? []);
  yield {
    row: 3,
    work: "a delta in threads of 5, 50, 500, 5,000 messages",
    ours: lengths.map((length) => time(each(length))).join(", "),
    other: "at 5,000 to at 5",
    ratio: spread(slower),
    target: "≤ 1.1",
    met: slower.median <= 1.1,
    data: figures,
  };
  const official = await alternate({ official: await way(OFFICIAL, short, { messages: history(500) }) }, full ? 3 : 1, { warm: false });
  const times = summary(official.official.map((value) => value / fewer / each(500)));
  yield {
    row: 3,
    work: "the same, 500 messages",
    ours: time(each(500)),
    other: `${OFFICIAL} ${time(quantile(official.official, 0.5) / fewer)}`,
    ratio: spread(times),
    target: "≥ 1,000",
    met: times.median >= 1000,
    data: official,
  };
}

/** One figure of several runs, where one is over too soon. @param {() => Promise<number>} run @param {number} times */
async function repeated(run, times) {
  return async () => {
    let sum = 0;
    for (let at = 0; at < times; at++) sum += await run();
    return sum / times;
  };
}

/** Row 4. @param {Scope} scope @returns {AsyncGenerator<Line>} */
export async function* args({ full }) {
  const sizes = [64, 256, 1024];
  const kilo = 1024;
  const wanted = (/** @type {Work} */ work) => ({
    check: (/** @type {import("./clients.js").Conversation} */ chat) => assert.deepEqual(chat.args(), JSON.parse(work.text)),
  });
  /** @type {Record<string, () => Promise<number>>} */
  const ways = {};
  const works = new Map(sizes.map((size) => [size, argsWork(size * kilo)]));
  for (const [size, work] of works) ways[size] = await repeated(await way(OURS, work, wanted(work)), size < 1024 ? 4 : 1);
  const figures = await alternate(ways, full ? 11 : 5);
  const each = (/** @type {number} */ size) => (figures[size] ?? []).map((value) => value / (works.get(size)?.deltas ?? NaN));
  const slower = ratio(each(1024), each(64));
  yield {
    row: 4,
    work: "arguments of 64 KB, 256 KB, 1 MB, parsed live",
    ours: sizes.map((size) => time(quantile(figures[size] ?? [], 0.5))).join(", "),
    other: "a delta: at 1 MB to 64 KB",
    ratio: spread(slower),
    target: "≤ 1.2",
    met: slower.median <= 1.2,
    data: figures,
  };
  // The neighbors take time by the square of the size.
  const size = full ? 64 : 16;
  const work = argsWork(size * kilo);
  const names = [OFFICIAL, "AI SDK"];
  const others = await alternate(
    Object.fromEntries(await Promise.all([OURS, ...names].map(async (name) => [name, await way(name, work, wanted(work))]))),
    full ? 1 : 3,
    { warm: !full },
  );
  for (const name of names) {
    const times = ratio(others[name] ?? [], others[OURS] ?? []);
    yield {
      row: 4,
      work: `the same, ${size} KB`,
      ours: time(quantile(others[OURS] ?? [], 0.5)),
      other: `${name} ${time(quantile(others[name] ?? [], 0.5))}`,
      ratio: spread(times),
      target: "",
      met: undefined,
      data: others,
    };
  }
}

/** Row 5. @param {Scope} scope @returns {AsyncGenerator<Line>} */
export async function* states({ full }) {
  const deltas = 2_000;
  const sizes = [100, 2_000, 10_000];
  /** @type {Record<string, () => Promise<number>>} */
  const ways = {};
  for (const rows of sizes) {
    const state = rowsState(rows);
    const work = stateWork(rows, deltas);
    ways[rows] = await way(OURS, work, {
      state,
      check(chat) {
        const { rows: after } = chat.state();
        const changed = new Map(Array.from({ length: deltas }, (_, at) => [(at * 7919) % rows, `changed ${at}`]));
        assert.ok(after.every((/** @type {any} */ row, /** @type {number} */ at) => row.name === (changed.get(at) ?? `row ${at}`)));
        // An element that no delta touched is the very object that was given, or read of it.
        assert.ok(after.length === rows);
      },
    });
  }
  const figures = await alternate(ways, full ? 15 : 7);
  const each = (/** @type {number} */ rows) => quantile(figures[rows] ?? [], 0.5) / deltas;
  const slower = ratio(figures[10_000] ?? [], figures[100] ?? []);
  yield {
    row: 5,
    work: "a state delta on 100, 2,000, 10,000 rows",
    ours: sizes.map((rows) => time(each(rows))).join(", "),
    other: "at 10,000 to at 100",
    ratio: spread(slower),
    target: "≤ 2",
    met: slower.median <= 2,
    data: figures,
  };
  const fewer = full ? deltas : 200;
  const official = await alternate({ official: await way(OFFICIAL, stateWork(2_000, fewer), { state: rowsState(2_000), check() {} }) }, full ? 2 : 1, {
    warm: false,
  });
  const times = summary(official.official.map((value) => value / fewer / each(2_000)));
  yield {
    row: 5,
    work: "the same, 2,000 rows",
    ours: time(each(2_000)),
    other: `${OFFICIAL} ${time(quantile(official.official, 0.5) / fewer)}`,
    ratio: spread(times),
    target: "≥ 100",
    met: times.median >= 100,
    data: official,
  };
}

/** Row 14. @param {Scope} scope @returns {AsyncGenerator<Line>} */
export async function* blocks({ full }) {
  const { createBlocks } = await import("ag-ui-wasm/blocks");
  const { text } = textWork(full ? 85_000 : 8_500, languages.markdown);
  /** @param {(grown: string) => void} take  of all that has come, four characters more each time */
  const grow = (take) => async () => {
    const start = processorTime();
    let grown = "";
    for (let at = 0; at < text.length; at += 4) take(grown += text.slice(at, at + 4));
    return processorTime() - start;
  };
  const ways = {
    floor: () => {
      let before = "";
      return grow((grown) => {
        assert.ok(grown.slice(0, before.length) === before);
        before = grown;
      })();
    },
    ours: () => {
      const source = createBlocks();
      return grow((grown) => void source.update(grown))();
    },
  };
  const results = await alternate(ways, full ? 1 : 3, { warm: !full });
  const times = ratio(results.ours, results.floor);
  yield {
    row: 14,
    work: `${number(text.length)} characters of Markdown in deltas of 4: blocks`,
    ours: time(quantile(results.ours, 0.5)),
    other: `append and compare ${time(quantile(results.floor, 0.5))}`,
    ratio: spread(times),
    target: "≤ 3",
    met: times.median <= 3,
    data: results,
  };
}
