// Rows 6, 7, 9, 10 and 11: what a page in Chromium has to bear.

import { existsSync } from "node:fs";
import { openBrowser } from "../../tests/webdriver/client.mjs";
import { at } from "../../tools/paths.mjs";
import { quantile, ratio } from "../measure.mjs";
import { bundleFiles } from "../peers.mjs";
import { number, spread, time } from "../report.mjs";
import { connect } from "./devtools.mjs";
import { startServer } from "./server.mjs";

/** @typedef {import("../report.mjs").Line} Line */
/** @typedef {Awaited<ReturnType<typeof start>>} Page */

const OURS = "ag-ui-wasm";
const OFFICIAL = "@ag-ui/client";
const pages = ["thread.jsx", "plain.js", "cold-ours.js", "cold-official.js"];

/** A browser with the developer tools open, and the server that it reads from. */
export async function start() {
  const entries = Object.fromEntries(pages.map((file) => [file.replace(/\.jsx?$/, ""), at("benches/chromium/pages", file)]));
  const server = await startServer(await bundleFiles(entries));
  const browser = await openBrowser("chromium");
  const devtools = await connect(browser.devtools ?? "");
  let names = 0;
  return {
    version: browser.version,
    server,
    devtools,
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

/** Row 6. @param {Page} page @param {{ full: boolean }} scope @returns {AsyncGenerator<Line>} */
export async function* rendering(page, { full }) {
  const deltas = full ? 20_000 : 4_000;
  const rate = 2_000;
  const ways = [OURS, `${OURS}, throttled`, "floor", "AI SDK", OFFICIAL, "TanStack"];
  // One that does its reducing elsewhere goes here, once the package has it.
  if (existsSync(at("pkg/worker.js")) && existsSync(at("benches/chromium/pages/worker.jsx"))) ways.push(`${OURS}, worker`);
  /** @type {Record<string, { work: import("./devtools.mjs").Work, value: any }[]>} */
  const results = {};
  for (let round = 0; round < (full ? 3 : 1); round++) {
    for (const name of ways) {
      const length = 12 * deltas;
      const host = await page.fresh("thread");
      const protocol = name === "AI SDK" ? "ai" : "ag-ui";
      const url = page.server.url(host, `/stream?deltas=${deltas}&rate=${rate}&protocol=${protocol}`);
      await page.devtools.evaluate(`bench.prepare(${json(name)}, ${json({ url, messages: 500 })})`);
      const result = await page.devtools.observe(() => page.devtools.evaluate(`bench.run(${length * 0.9})`));
      (results[name] ??= []).push({ ...result, value: { ...result.value, shown: result.value.shown.length } });
      if (process.env.VERBOSE) console.log(name, json(results[name]?.at(-1)));
    }
  }
  const busy = (/** @type {string} */ name) => (results[name] ?? []).map(({ work }) => work.busy);
  const middle = (/** @type {string} */ name) => quantile(busy(name), 0.5);
  const best = /** @type {string} */ (["AI SDK", OFFICIAL, "TanStack"].sort((a, b) => middle(a) - middle(b))[0]);
  const times = ratio(busy(best), busy(OURS));
  const all = (/** @type {string} */ name) => results[name] ?? [];
  const others = ["AI SDK", OFFICIAL, "TanStack", "floor"].map((name) => `${name} ${time(middle(name))}`);
  yield {
    row: 6,
    work: `${number(deltas)} deltas at ${number(rate)}/s, 500 messages, React: the main thread is busy`,
    ours: time(middle(OURS)),
    other: others.join(", "),
    ratio: spread(times),
    target: "≥ 10",
    met: times.median >= 10,
    data: results,
  };
  const throttled = ratio(busy("AI SDK"), busy(`${OURS}, throttled`));
  yield {
    row: 6,
    work: "the same, throttled to 50 ms as the AI SDK is",
    ours: time(middle(`${OURS}, throttled`)),
    other: `AI SDK ${time(middle("AI SDK"))}`,
    ratio: spread(throttled),
    target: "",
    met: undefined,
  };
  const longest = Math.max(...all(OURS).map(({ work }) => work.longest));
  yield {
    row: 6,
    work: "the same, the longest task",
    ours: time(longest),
    other: ["AI SDK", OFFICIAL, "TanStack"].map((name) => `${name} ${time(Math.max(...all(name).map(({ work }) => work.longest)))}`).join(", "),
    ratio: "",
    target: "≤ 50 ms",
    met: longest <= 50,
  };
  const commits = Math.max(...all(OURS).map(({ value }) => value.most));
  yield {
    row: 6,
    work: "the same, commits in one frame at most",
    ours: number(commits, 1),
    other: ["AI SDK", OFFICIAL, "TanStack"].map((name) => `${name} ${Math.max(...all(name).map(({ value }) => value.most))}`).join(", "),
    ratio: "",
    target: "≤ 1",
    met: commits <= 1,
  };
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
    const took = (/** @type {string} */ name) => quantile((results[name] ?? []).map(({ took }) => took), 0.5);
    const longest = (/** @type {string} */ name) => quantile((results[name] ?? []).map(({ longest }) => longest), 0.5);
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
    yield { row: 7, work: `a burst of ${number(deltas)} deltas: published, and in one frame at most`, ours: `${count}, ${most}`, other: "", ratio: "", target: "≤ 1 a frame", met: most <= 1 };
  }
}

/** Row 9. @param {Page} page @param {{ full: boolean }} scope @returns {AsyncGenerator<Line>} */
export async function* cold(page, { full }) {
  const networks = /** @type {const} */ ([
    ["this machine", undefined],
    ["10 Mbit/s, 40 ms", { offline: false, latency: 40, downloadThroughput: 1_250_000, uploadThroughput: 1_250_000 }],
  ]);
  await page.devtools.send("Network.enable");
  await page.devtools.send("Network.setCacheDisabled", { cacheDisabled: true });
  for (const [network, conditions] of networks) {
    /** @type {Record<string, number[]>} */
    const results = { ours: [], official: [] };
    for (let round = -1; round < (full ? 15 : 7); round++) {
      for (const name of ["ours", "official"]) {
        const host = await page.fresh();
        if (conditions) await page.devtools.send("Network.emulateNetworkConditions", conditions);
        const took = await page.devtools.evaluate(`(async () => {
          const begin = performance.now();
          const { start } = await import("/cold-${name}.js");
          return new Promise((done, failed) => {
            const root = document.getElementById("root");
            start(${json(page.server.url(host, "/stream?deltas=5&rate=0"))}, (text) => {
              if (!text) return;
              root.textContent = text;
              done(performance.now() - begin);
            }).catch(failed);
          });
        })()`);
        if (conditions) await page.devtools.send("Network.emulateNetworkConditions", { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: -1 });
        if (round >= 0) results[name]?.push(took);
      }
    }
    const slower = ratio(results.ours ?? [], results.official ?? []);
    yield {
      row: 9,
      work: `import to the first message shown, cold, ${network}`,
      ours: time(quantile(results.ours ?? [], 0.5)),
      other: `${OFFICIAL} ${time(quantile(results.official ?? [], 0.5))}`,
      ratio: spread(slower),
      target: conditions ? "" : "≤ 1",
      met: conditions ? undefined : slower.median <= 1,
      data: results,
    };
  }
  await page.devtools.send("Network.setCacheDisabled", { cacheDisabled: false });
}

/** Row 10. @param {Page} page @param {{ full: boolean }} scope @returns {AsyncGenerator<Line>} */
export async function* memory(page, { full }) {
  const measure = async () => (await page.devtools.heap()) + (await page.devtools.evaluate("bench.wasm()"));
  const deltas = 100_000;
  /** @type {Record<string, number>} */
  const growth = {};
  for (const name of [OURS, "AI SDK", ...(full ? ["floor"] : [])]) {
    const host = await page.fresh("plain");
    const url = (/** @type {number} */ deltas) => page.server.url(host, `/stream?deltas=${deltas}&rate=0`);
    await page.devtools.evaluate(`bench.keep(${json(name)}, ${json(url(2_000))}, 1)`);
    const before = await measure();
    const characters = await page.devtools.evaluate(`bench.keep(${json(name)}, ${json(url(deltas))}, 4)`);
    // The text is mostly ASCII: a character is about a byte of it.
    growth[name] = ((await measure()) - before) / (characters - 2_000 * 12);
  }
  const { [OURS]: ours = NaN, ...others } = growth;
  yield {
    row: 10,
    work: "memory that a MB of streamed text takes, JavaScript and WebAssembly",
    ours: `${number(ours)} MB`,
    other: Object.entries(others).map(([name, value]) => `${name} ${number(value)} MB`).join(", "),
    ratio: "",
    target: "≤ 3 MB",
    met: ours <= 3,
    data: growth,
  };
  const host = await page.fresh("plain");
  const url = page.server.url(host, "/stream?deltas=2000&rate=0");
  const use = async () => {
    await page.devtools.evaluate(`bench.keep(${json(OURS)}, ${json(url)}, 100)`);
    const most = await measure();
    await page.devtools.evaluate("bench.drop()");
    // What is freed in a task of its own, and by the collector.
    await page.devtools.evaluate("new Promise((done) => setTimeout(done, 200))");
    return most;
  };
  await page.devtools.evaluate(`bench.keep(${json(OURS)}, ${json(url)}, 1).then(() => bench.drop())`);
  const [start, startWasm] = [await measure(), await page.devtools.evaluate("bench.wasm()")];
  const most = await use();
  const [end, endWasm] = [await measure(), await page.devtools.evaluate("bench.wasm()")];
  await use();
  const again = await measure();
  yield {
    row: 10,
    work: "100 agents, then disposed: memory against that before",
    ours: `${number(start / 1e6)}, with them ${number(most / 1e6)}, behind ${number(end / 1e6)} MB`,
    other: `behind 100 more ${number(again / 1e6)} MB`,
    ratio: number(end / start),
    target: "≤ 1.05",
    met: end / start <= 1.05,
    data: { start, most, end, again, startWasm, endWasm },
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
    const urls = Array.from({ length: agents }, (_, at) => page.server.url(`m${Math.floor(at / 5)}`, `/stream?deltas=${deltas}&rate=${rate}`));
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
