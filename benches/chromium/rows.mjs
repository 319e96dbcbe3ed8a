// Rows 6, 7, 9, 10 and 11: what a page in Chromium has to bear.

import { openBrowser } from "../../tests/webdriver/client.mjs";
import { at } from "../../tools/paths.mjs";
import { quantile, ratio } from "../measure.mjs";
import { buildPage, bundleFiles } from "../peers.mjs";
import { number, spread, time } from "../report.mjs";
import { languages, sectionsOf, textWork } from "../workload.mjs";
import { connect } from "./devtools.mjs";
import { startServer } from "./server.mjs";

/** @typedef {import("../report.mjs").Line} Line */
/** @typedef {Awaited<ReturnType<typeof start>>} Page */
/** @typedef {{ name: string, asked: number, came: number, ended: number }} Load  what a page has loaded, in milliseconds */

const OURS = "ag-ui-wasm";
const OFFICIAL = "@ag-ui/client";
const OURS_BESIDE = `${OURS}, worker`;
const pages = ["thread.jsx", "markdown.jsx", "long.jsx", "plain.js"];

const coldPages = ["cold-ours", "cold-official"];

/** A browser with the developer tools open, and the server that it reads from. */
export async function start() {
  const entries = Object.fromEntries(pages.map((file) => [file.replace(/\.jsx?$/, ""), at("benches/chromium/pages", file)]));
  const server = await startServer(await bundleFiles({ ...entries, "worker-main": at("pkg/worker-main.js") }));
  const browser = await openBrowser("chromium");
  const devtools = await connect(browser.devtools ?? "");
  let names = 0;
  return {
    version: browser.version,
    server,
    devtools,
    /** Pages that an application ships, split. */
    built: Object.fromEntries(await Promise.all(coldPages.map(async (name) => [name, await buildPage(name, at("benches/chromium/pages", `${name}.js`))]))),
    /** A page in a process of its own. @param {string} [entry] */
    async fresh(entry) {
      const name = `p${++names}`;
      await devtools.open(server.url(name, entry ? `/?entry=${entry}` : "/"));
      if (entry) await devtools.evaluate(`new Promise((done) => (function look() { globalThis.bench ? done() : setTimeout(look, 10); })())`);
      return name;
    },
    async close() {
      devtools.close();
      await browser.close();
      server.close();
    },
  };
}

const json = JSON.stringify;

/** A line without a target. @param {string} work @param {string} ours @param {string} other @param {string} [times] @returns {Line} */
const beside = (work, ours, other, times = "") => ({ row: 6, work, ours, other, ratio: times, target: "", met: undefined });

/** @typedef {{ work: import("./devtools.mjs").Work, value: any }} Measurement of one answer that was shown */

/** The measurements of several ways to show an answer, by the names of these. */
class Measurements {
  /** @type {Record<string, Measurement[]>} */
  results = {};

  /** @param {string} name @param {Measurement} measurement */
  add(name, measurement) {
    (this.results[name] ??= []).push(measurement);
  }

  /** @param {string} name @param {(measurement: Measurement) => number} read */
  all(name, read) {
    return (this.results[name] ?? []).map(read);
  }

  /** The median. @param {string} name @param {(measurement: Measurement) => number} read */
  middle(name, read = ({ work }) => work.busy) {
    return quantile(this.all(name, read), 0.5);
  }

  /** @param {string} name @param {(measurement: Measurement) => number} read */
  most(name, read) {
    return Math.max(...this.all(name, read));
  }

  /** By how much one way is faster than another. @param {string} slow @param {string} fast */
  faster(slow, fast) {
    const busy = (/** @type {Measurement} */ { work }) => work.busy;
    return ratio(this.all(slow, busy), this.all(fast, busy));
  }

  /** The fastest first. @param {readonly string[]} names */
  ranked(names) {
    return [...names].sort((a, b) => this.middle(a) - this.middle(b));
  }
}

/** @param {readonly string[]} names @param {(name: string) => string} show */
const each = (names, show) => names.map((name) => `${name} ${show(name)}`).join(", ");

/** Row 6. @param {Page} page @param {{ full: boolean }} scope @returns {AsyncGenerator<Line>} */
export async function* rendering(page, { full }) {
  const [deltas, rate] = [full ? 20_000 : 4_000, 2_000];
  const neighbors = ["AI SDK", OFFICIAL, "TanStack"];
  const throttled = `${OURS}, throttled`;
  const what = `${number(deltas)} deltas at ${number(rate)}/s, 500 messages, React`;

  for (const hidden of [false, true]) {
    const measured = await measureThread(page, [OURS, throttled, OURS_BESIDE, "floor", ...neighbors], { deltas, rate, rounds: full ? 3 : 1, hidden });
    const busy = (/** @type {string} */ name) => time(measured.middle(name));
    const [best = ""] = measured.ranked(neighbors);
    const inPage = measured.faster(best, OURS);
    const title = hidden ? "the same, not laid out and not painted" : `${what}: the main thread is busy`;
    const target = (/** @type {number} */ times) => (hidden ? {} : { target: "≥ 10", met: times >= 10 });
    yield { ...beside(title, busy(OURS), each([...neighbors, "floor"], busy), spread(inPage)), ...target(inPage.median), data: measured.results };
    if (!hidden) {
      const parts = (/** @type {string} */ name) =>
        `${time(measured.middle(name, ({ work }) => work.script))} + ${time(measured.middle(name, ({ work }) => work.layout))}`;
      yield beside("… of that in scripts + in layout and styles", parts(OURS), each(["AI SDK", "floor"], parts));
    }
    const inWorker = measured.faster(best, OURS_BESIDE);
    yield { ...beside("… in worker mode", busy(OURS_BESIDE), `${best} ${busy(best)}`, spread(inWorker)), ...target(inWorker.median) };
    const level = spread(measured.faster("AI SDK", throttled));
    yield beside("… throttled to 50 ms, as the AI SDK is", busy(throttled), `AI SDK ${busy("AI SDK")}`, level);
    if (hidden) return;
    yield longestTask(measured, neighbors);
    const most = (/** @type {string} */ name) => measured.most(name, ({ value }) => value.most);
    yield { ...beside("… commits in one frame, at most", `${most(OURS)}`, each(neighbors, (name) => `${most(name)}`)), target: "≤ 1", met: most(OURS) <= 1 };
  }
}

/** @param {Measurements} measured @param {readonly string[]} others */
function longestTask(measured, others) {
  const longest = (/** @type {string} */ name) => measured.most(name, ({ work }) => work.longest);
  const line = beside("… the longest task", time(longest(OURS)), each(others, (name) => time(longest(name))));
  return { ...line, target: "≤ 50 ms", met: longest(OURS) <= 50 };
}

/**
 * An answer in plain text, in a long thread.
 *
 * @param {Page} page @param {readonly string[]} ways
 * @param {{ deltas: number, rate: number, rounds: number, hidden: boolean }} answer
 */
async function measureThread(page, ways, { deltas, rate, rounds, hidden }) {
  const measured = new Measurements();
  for (let round = 0; round < rounds; round++) {
    for (const name of ways) {
      // Slow neighbors, which take a minute and are not the best, have one round.
      if (round > 0 && [OFFICIAL, "TanStack"].includes(name)) continue;
      const host = await page.fresh("thread");
      const url = page.server.url(host, `/stream?deltas=${deltas}&rate=${rate}&protocol=${name === "AI SDK" ? "ai" : "ag-ui"}`);
      await page.devtools.evaluate(`bench.prepare(${json(name)}, ${json({ url, messages: 500, hidden })})`);
      const { work, value } = await page.devtools.observe(() => page.devtools.evaluate(`bench.run(${deltas * 11})`));
      if (value.shown.length < deltas * 11) throw new Error(`${name} showed ${value.shown.length} characters`);
      measured.add(name, { work, value: { ...value, shown: value.shown.length } });
    }
  }
  return measured;
}

/** Row 6 with an answer in Markdown. @param {Page} page @param {{ full: boolean }} scope @returns {AsyncGenerator<Line>} */
export async function* markdown(page, { full }) {
  const neighbors = ["AI SDK", "TanStack"];
  const [often, inPage, defaults, whole] = [`${OURS}, 50 ms`, `${OURS}, no worker`, `${OURS}, defaults`, `${OURS}, whole text`];
  const loads = full ? [[20_000, 2_000], [5_000, 100]] : [[4_000, 2_000]];
  for (const [deltas = 0, rate = 0] of loads) {
    const rounds = full && rate > 100 ? 3 : 1;
    const measured = await measureMarkdown(page, [OURS, often, inPage, defaults, whole, ...neighbors], { deltas, rate, rounds, once: [whole, "TanStack"] });
    const busy = (/** @type {string} */ name) => time(measured.middle(name));
    const [best = "", second = ""] = measured.ranked(neighbors);
    const times = measured.faster(best, OURS);
    const answer = `an answer in Markdown, ${number(deltas)} deltas at ${number(rate)}/s, 500 messages, React: the main thread is busy`;
    const target = deltas === loads[0]?.[0] ? { target: "≥ 5", met: times.median >= 5 } : {};
    yield { ...beside(answer, busy(OURS), each([best, second, whole], busy), spread(times)), ...target, data: measured.results };
    const settings = /** @type {const} */ ([
      ["… throttled to 50 ms", often],
      ["… not in worker mode", inPage],
      ["… with default settings and DOMPurify: shown each frame", defaults],
    ]);
    for (const [work, name] of settings) yield beside(work, busy(name), `AI SDK ${busy("AI SDK")}`, spread(measured.faster("AI SDK", name)));
    yield* frames(measured, best, [...neighbors, whole], (deltas / rate) * 1000);
  }
}

/**
 * How smooth an answer in Markdown is.
 *
 * @param {Measurements} measured @param {string} best @param {readonly string[]} others
 * @param {number} sentMs after so long the server has sent all of it
 * @returns {Generator<Line>}
 */
function* frames(measured, best, others, sentMs) {
  const script = (/** @type {string} */ name) => time(measured.middle(name, ({ work }) => work.script));
  yield beside("… of that in scripts", script(OURS), each(others, script));
  yield longestTask(measured, others);
  const updates = (/** @type {string} */ name) => measured.middle(name, ({ value }) => value.updates);
  const aFrame = (/** @type {string} */ name) => measured.middle(name) / updates(name);
  const one = (/** @type {string} */ name) => `${time(aFrame(name))} × ${number(updates(name))}`;
  yield beside("… busy for each frame that brings something, and how many there were", one(OURS), each(others, one), number(aFrame(best) / aFrame(OURS)));
  const took = (/** @type {string} */ name) => time(measured.middle(name, ({ value }) => value.took));
  yield beside(`… all of it is shown after; it has come after ${time(sentMs)}`, took(OURS), each(others, took));
  const frame = (/** @type {string} */ name) => time(measured.most(name, ({ value }) => value.longestFrame));
  yield beside("… the longest frame, on the clock; 0: none over 50 ms", frame(OURS), each(others, frame));
}

/**
 * An answer in Markdown, in a long thread. `once`: slow ways, which take minutes and are not the best, have one round.
 *
 * @param {Page} page @param {readonly string[]} ways
 * @param {{ deltas: number, rate: number, rounds: number, once: readonly string[] }} answer
 */
async function measureMarkdown(page, ways, { deltas, rate, rounds, once }) {
  const measured = new Measurements();
  for (let round = 0; round < rounds; round++) {
    for (const name of ways) {
      if (round > 0 && once.includes(name)) continue;
      const host = await page.fresh("markdown");
      const url = page.server.url(host, `/stream?deltas=${deltas}&rate=${rate}&words=markdown&protocol=${name === "AI SDK" ? "ai" : "ag-ui"}`);
      await page.devtools.evaluate(`bench.prepare(${json(name)}, ${json({ url, messages: 500 })})`);
      const sections = sectionsOf(deltas);
      const { work, value } = await page.devtools.observe(() => page.devtools.evaluate(`bench.run(${sections})`));
      if (value.shown < sections) throw new Error(`${name} showed ${value.shown} of ${sections} sections`);
      measured.add(name, { work, value });
    }
  }
  return measured;
}

/** Row 7. @param {Page} page @param {{ full: boolean }} scope @returns {AsyncGenerator<Line>} */
export async function* bursts(page, { full }) {
  for (const deltas of [2_000, 100_000]) {
    const names = [OURS, ...(deltas === 2_000 ? ["AI SDK", OFFICIAL, "TanStack"] : full ? ["AI SDK"] : [])];
    /** @type {Record<string, { took: number, longest: number, longestWall: number }[]>} */
    const results = {};
    for (const name of names) {
      await page.fresh("plain");
      await page.devtools.evaluate(`bench.prepare(${deltas})`);
      const rounds = name === OURS ? (full ? 9 : 5) : name === "TanStack" ? 1 : 3;
      for (let round = 0; round < rounds; round++) {
        const { value, work } = await page.devtools.observe(() => page.devtools.evaluate(`bench.burst(${json(name)})`));
        if (!value.right) throw new Error(`${name} made another text of it`);
        (results[name] ??= []).push({ took: value.took, longest: work.longest, longestWall: work.longestWall });
      }
    }
    const took = (/** @type {string} */ name) => quantile((results[name] ?? []).map(({ took: value }) => value), 0.5);
    const longest = (/** @type {string} */ name) => quantile((results[name] ?? []).map(({ longest: value }) => value), 0.5);
    const others = names.slice(1);
    const best = others.sort((a, b) => took(a) - took(b))[0];
    yield {
      row: 7,
      work: `a burst of ${number(deltas)} deltas in one read: done in`,
      ours: time(took(OURS)),
      other: others.map((name) => `${name} ${time(took(name))}`).join(", "),
      ratio: best ? number(took(best) / took(OURS)) : "",
      target: "",
      met: undefined,
      data: results,
    };
    yield {
      row: 7,
      work: `a burst of ${number(deltas)} deltas: the longest task`,
      ours: time(longest(OURS)),
      other: others.map((name) => `${name} ${time(longest(name))}`).join(", "),
      ratio: "",
      target: "≤ 16 ms",
      met: longest(OURS) <= 16,
    };
    await page.fresh("plain");
    await page.devtools.evaluate(`bench.prepare(${deltas})`);
    const { count, most } = await page.devtools.evaluate("bench.published()");
    yield {
      row: 7,
      work: `a burst of ${number(deltas)} deltas: published, and in one frame at most`,
      ours: `${count}, ${most}`,
      other: "",
      ratio: "",
      target: "≤ 1 a frame",
      met: most <= 1,
    };
  }
}

/** Row 9. @param {Page} page @param {{ full: boolean }} scope @returns {AsyncGenerator<Line>} */
export async function* cold(page, { full }) {
  const slow = { offline: false, latency: 40, downloadThroughput: 1_250_000, uploadThroughput: 1_250_000 };
  const [ours, preloaded, official] = ["ours", "ours, preloaded", "official"];
  const cases = [
    { network: "this machine", conditions: undefined, wait: 0, targets: { [ours]: 0.66, [preloaded]: undefined } },
    { network: "10 Mbit/s, 40 ms", conditions: slow, wait: 0, targets: { [ours]: undefined, [preloaded]: 0.95 } },
    { network: "10 Mbit/s, 40 ms, first token after 300 ms", conditions: slow, wait: 300, targets: { [ours]: undefined, [preloaded]: 0.85 } },
  ];
  await page.devtools.send("Network.enable");
  await page.devtools.send("Network.setCacheDisabled", { cacheDisabled: true });
  for (const { network, conditions, wait, targets } of cases) {
    /** @type {Record<string, { took: number, loads: Load[] }[]>} */
    const results = { [ours]: [], [preloaded]: [], [official]: [] };
    for (let round = -1; round < (full ? 15 : 7); round++) {
      for (const name of Object.keys(results)) {
        const { entry, preload } = page.built[`cold-${name.split(",")[0]}`] ?? { entry: "", preload: [] };
        const host = await page.fresh();
        if (conditions) await page.devtools.send("Network.emulateNetworkConditions", conditions);
        const value = await page.devtools.evaluate(`(async () => {
          const begin = performance.now();
          for (const href of ${
          json(name === preloaded ? preload : [])
        }) document.head.append(Object.assign(document.createElement("link"), { rel: "modulepreload", crossOrigin: "", href }));
          await import(${json(entry)});
          const took = await new Promise((done, failed) => {
            const root = document.getElementById("root");
            start(${json(page.server.url(host, `/stream?deltas=5&rate=0&wait=${wait}`))}, (text) => {
              if (!text) return;
              root.textContent = text;
              done(performance.now() - begin);
            }).catch(failed);
          });
          const at = (time) => Math.round((time - begin) * 10) / 10;
          const loads = performance.getEntriesByType("resource").map(({ name, startTime, responseStart, responseEnd }) => ({ name: new URL(name).pathname.split("/").pop(), asked: at(startTime), came: at(responseStart), ended: at(responseEnd) }));
          return { took, loads };
        })()`);
        if (conditions)
          await page.devtools.send("Network.emulateNetworkConditions", { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: -1 });
        if (round >= 0) results[name]?.push(value);
      }
    }
    const took = (/** @type {string} */ name) => (results[name] ?? []).map(({ took: value }) => value);
    for (const [name, target] of Object.entries(targets)) {
      const slower = ratio(took(name), took(official));
      yield {
        row: 9,
        work: `import to the first text shown, cold, ${network}${name === preloaded ? ", preloaded" : ""}`,
        ours: time(quantile(took(name), 0.5)),
        other: `${OFFICIAL} ${time(quantile(took(official), 0.5))}`,
        ratio: spread(slower),
        target: target === undefined ? "" : `≤ ${target}`,
        met: target === undefined ? undefined : slower.median <= target,
        data: name === ours ? results : undefined,
      };
    }
  }
  await page.devtools.send("Network.setCacheDisabled", { cacheDisabled: false });
}

/** Row 10. @param {Page} page @param {{ full: boolean }} scope @returns {AsyncGenerator<Line>} */
export async function* memory(page, { full }) {
  yield* memoryOfText(page, full ? [OURS, "AI SDK", "floor"] : [OURS]);
  yield* memoryOfAgents(page);
}

/** The memory in use now, in bytes. @param {Page} page */
const memoryOf = async ({ devtools }) => ({ heap: await devtools.heap(), wasm: /** @type {number} */ (await devtools.evaluate("bench.wasm()")) });

/** Text that agents hold. @param {Page} page @param {readonly string[]} names @returns {AsyncGenerator<Line>} */
async function* memoryOfText(page, names) {
  const deltas = 100_000;
  for (const [words, title] of /** @type {const} */ ([["plain", "plain ASCII"], ["latin", "with emoji, of which engines keep two bytes a character"]])) {
    /** @type {Record<string, { heap: number, wasm: number }>} */
    const growth = {};
    for (const name of names) {
      const host = await page.fresh("plain");
      const url = (/** @type {number} */ amount) => page.server.url(host, `/stream?deltas=${amount}&rate=0&words=${words}`);
      const keep = (/** @type {number} */ amount, /** @type {number} */ count) =>
        page.devtools.evaluate(`bench.keep(${json(name)}, ${json(url(amount))}, ${count})`);
      const { text } = textWork(deltas, languages[words]);
      const few = await keep(2_000, 1);
      const before = await memoryOf(page);
      if ((await keep(deltas, 4)) - few !== 4 * text.length) throw new Error(`${name} made another text of it`);
      const bytes = 4 * Buffer.byteLength(text);
      const after = await memoryOf(page);
      growth[name] = { heap: (after.heap - before.heap) / bytes, wasm: (after.wasm - before.wasm) / bytes };
    }
    const { [OURS]: ours = { heap: NaN, wasm: NaN }, ...others } = growth;
    yield {
      row: 10,
      work: `what a MB of text takes, JavaScript + WebAssembly; ${title}`,
      ours: `${number(ours.heap)} + ${number(ours.wasm)} MB`,
      other: Object.entries(others).map(([name, { heap }]) => `${name} ${number(heap)} MB`).join(", "),
      ratio: number(ours.heap + ours.wasm),
      target: "≤ 3",
      met: ours.heap + ours.wasm <= 3,
      data: growth,
    };
  }
}

/** Agents that come and go. @param {Page} page @returns {AsyncGenerator<Line>} */
async function* memoryOfAgents(page) {
  const mega = (/** @type {number} */ bytes) => number(bytes / 1e6);
  const host = await page.fresh("plain");
  const url = page.server.url(host, "/stream?deltas=2000&rate=0");
  /** @param {number} count */
  const use = async (count) => {
    await page.devtools.evaluate(`bench.keep(${json(OURS)}, ${json(url)}, ${count})`);
    const most = await memoryOf(page);
    await page.devtools.evaluate("bench.drop()");
    // Memory is freed in a task of its own.
    await page.devtools.evaluate("new Promise((done) => setTimeout(done, 200))");
    return [most, await memoryOf(page)];
  };
  const [, first = { heap: NaN, wasm: NaN }] = await use(5);
  const [most = first, end = first] = await use(100);
  const [, again = end] = await use(100);
  const back = end.heap / first.heap;
  yield {
    row: 10,
    work: "JavaScript's heap before 100 agents, with them, after them",
    ours: `${mega(first.heap)}, ${mega(most.heap)}, ${mega(end.heap)} MB`,
    other: `after 100 more ${mega(again.heap)} MB`,
    ratio: number(back),
    target: "≤ 1.05",
    met: back <= 1.05,
    data: { start: first, most, end, again },
  };
  yield {
    row: 10,
    work: "WebAssembly's memory, which no platform gives back: the same",
    ours: `${mega(first.wasm)}, ${mega(most.wasm)}, ${mega(end.wasm)} MB`,
    other: `after 100 more ${mega(again.wasm)} MB`,
    ratio: number(end.wasm / first.wasm),
    target: "≤ 1.05",
    met: end.wasm / first.wasm <= 1.05,
  };
}

/** Row 11. @param {Page} page @param {{ full: boolean }} scope @returns {AsyncGenerator<Line>} */
export async function* many(page, { full }) {
  const [agents, rate] = [50, 200];
  const deltas = rate * (full ? 10 : 4);
  /** @type {Record<string, { work: import("./devtools.mjs").Work, value: any }>} */
  const results = {};
  for (const name of [OURS, "AI SDK", ...(full ? [OFFICIAL] : [])]) {
    await page.fresh("plain");
    // A page may have six requests at once to one name.
    const urls = Array.from({ length: agents }, (_, index) => page.server.url(`m${Math.floor(index / 5)}`, `/stream?deltas=${deltas}&rate=${rate}`));
    results[name] = await page.devtools.observe(() => page.devtools.evaluate(`bench.many(${json(name)}, ${json(urls)}, ${deltas})`));
  }
  const ours = results[OURS];
  const others = Object.entries(results).filter(([name]) => name !== OURS);
  if (!ours) return;
  yield {
    row: 11,
    work: `${agents} agents, ${rate} deltas a second each: the longest task`,
    ours: time(ours.work.longest),
    other: others.map(([name, { work }]) => `${name} ${time(work.longest)}`).join(", "),
    ratio: "",
    target: "≤ 50 ms",
    met: ours.work.longest <= 50,
    data: results,
  };
  yield {
    row: 11,
    work: "the same, texts that are right, and busy",
    ours: `${ours.value.right} of ${agents}, ${time(ours.work.busy)}`,
    other: others.map(([name, { work, value }]) => `${name} ${value.right} of ${agents}, ${time(work.busy)}`).join("; "),
    ratio: "",
    target: `${agents} of ${agents}`,
    met: ours.value.right === agents,
  };
}

/** Row 13. @param {Page} page @param {{ full: boolean }} scope @returns {AsyncGenerator<Line>} */
export async function* long(page, { full }) {
  const [messages, deltas, rate] = [10_000, full ? 4_000 : 1_000, 200];
  const [seen, all] = ["virtualized", "all rows"];
  /** @type {Record<string, { open: number, heap: number, rows: number, work: import("./devtools.mjs").Work }[]>} */
  const results = {};
  for (let round = 0; round < (full ? 3 : 1); round++) {
    for (const name of [seen, all]) {
      const host = await page.fresh("long");
      const url = page.server.url(host, `/stream?deltas=${deltas}&rate=${rate}`);
      const open = await page.devtools.evaluate(`bench.open(${json(name)}, ${json({ url, messages })})`);
      const rows = await page.devtools.evaluate("bench.rows()");
      const { work, value } = await page.devtools.observe(() => page.devtools.evaluate("bench.run()"));
      if (value < deltas * 11) throw new Error(`${name} showed ${value} characters`);
      (results[name] ??= []).push({ open, heap: await page.devtools.heap(), rows, work });
    }
  }
  const middle = (
    /** @type {string} */ name,
    /** @type {(one: { open: number, heap: number, rows: number, work: import("./devtools.mjs").Work }) => number} */ of,
  ) => quantile((results[name] ?? []).map(of), 0.5);
  /** @param {string} work @param {Parameters<typeof middle>[1]} of @param {(value: number) => string} show @param {unknown} [data] */
  const line = (work, of, show, data) => ({
    row: 13,
    work,
    ours: show(middle(seen, of)),
    other: `${all} ${show(middle(all, of))}`,
    ratio: number(middle(all, of) / middle(seen, of)),
    target: "",
    met: undefined,
    data,
  });
  yield line(`a thread of ${number(messages)} messages, React, virtualized: its end is painted`, ({ open }) => open, time, results);
  yield line("… rows in the page", ({ rows }) => rows, number);
  yield line("… JavaScript's heap after an answer", ({ heap }) => heap / 1e6, (value) => `${number(value)} MB`);
  yield line(`… ${number(deltas)} deltas at ${rate}/s: the main thread is busy`, ({ work }) => work.busy, time);
  yield line("… the longest task", ({ work }) => work.longest, time);
}
