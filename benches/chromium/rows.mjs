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

/** Row 6. @param {Page} page @param {{ full: boolean }} scope @returns {AsyncGenerator<Line>} */
export async function* rendering(page, { full }) {
  const [deltas, rate] = [full ? 20_000 : 4_000, 2_000];
  const neighbors = ["AI SDK", OFFICIAL, "TanStack"];
  const throttled = `${OURS}, throttled`;
  const what = `${number(deltas)} deltas at ${number(rate)}/s, 500 messages, React`;

  /** @param {readonly string[]} ways @param {boolean} hidden */
  const measure = async (ways, hidden) => {
    /** @type {Record<string, { work: import("./devtools.mjs").Work, value: any }[]>} */
    const results = {};
    for (let round = 0; round < (full ? 3 : 1); round++) {
      for (const name of ways) {
        // Slow neighbors, which take a minute and are not the best, have one round.
        if (round > 0 && [OFFICIAL, "TanStack"].includes(name)) continue;
        const host = await page.fresh("thread");
        const url = page.server.url(host, `/stream?deltas=${deltas}&rate=${rate}&protocol=${name === "AI SDK" ? "ai" : "ag-ui"}`);
        await page.devtools.evaluate(`bench.prepare(${json(name)}, ${json({ url, messages: 500, hidden })})`);
        const { work, value } = await page.devtools.observe(() => page.devtools.evaluate(`bench.run(${deltas * 11})`));
        if (value.shown.length < deltas * 11) throw new Error(`${name} showed ${value.shown.length} characters`);
        (results[name] ??= []).push({ work, value: { ...value, shown: value.shown.length } });
      }
    }
    return results;
  };

  for (const hidden of [false, true]) {
    const results = await measure([OURS, throttled, OURS_BESIDE, "floor", ...neighbors], hidden);
    const all = (/** @type {string} */ name) => results[name] ?? [];
    const work = (/** @type {"busy" | "script" | "layout"} */ part) => (/** @type {{ work: import("./devtools.mjs").Work }} */ { work: measured }) =>
      measured[part];
    const busy = (/** @type {string} */ name) => all(name).map(work("busy"));
    const middle = (/** @type {string} */ name) => quantile(busy(name), 0.5);
    const best = [...neighbors].sort((a, b) => middle(a) - middle(b))[0] ?? "";
    const each = (/** @type {readonly string[]} */ names, /** @type {(name: string) => string} */ show) =>
      names.map((name) => `${name} ${show(name)}`).join(", ");
    const times = ratio(busy(best), busy(OURS));
    yield {
      row: 6,
      work: hidden ? "the same, not laid out and not painted" : `${what}: the main thread is busy`,
      ours: time(middle(OURS)),
      other: each([...neighbors, "floor"], (name) => time(middle(name))),
      ratio: spread(times),
      target: hidden ? "" : "≥ 10",
      met: hidden ? undefined : times.median >= 10,
      data: results,
    };
    if (!hidden) {
      const parts = (/** @type {string} */ name) => [work("script"), work("layout")].map((of) => time(quantile(all(name).map(of), 0.5))).join(" + ");
      yield beside("… of that in scripts + in layout and styles", parts(OURS), each(["AI SDK", "floor"], parts));
    }
    const inWorker = ratio(busy(best), busy(OURS_BESIDE));
    yield {
      row: 6,
      work: "… in worker mode",
      ours: time(middle(OURS_BESIDE)),
      other: `${best} ${time(middle(best))}`,
      ratio: spread(inWorker),
      target: hidden ? "" : "≥ 10",
      met: hidden ? undefined : inWorker.median >= 10,
    };
    const level = spread(ratio(busy("AI SDK"), busy(throttled)));
    yield beside("… throttled to 50 ms, as the AI SDK is", time(middle(throttled)), `AI SDK ${time(middle("AI SDK"))}`, level);
    if (hidden) return;
    const longest = (/** @type {string} */ name) => Math.max(...all(name).map(({ work: measured }) => measured.longest));
    yield {
      row: 6,
      work: "… the longest task",
      ours: time(longest(OURS)),
      other: each(neighbors, (name) => time(longest(name))),
      ratio: "",
      target: "≤ 50 ms",
      met: longest(OURS) <= 50,
    };
    const most = (/** @type {string} */ name) => Math.max(...all(name).map(({ value }) => value.most));
    yield {
      row: 6,
      work: "… commits in one frame, at most",
      ours: `${most(OURS)}`,
      other: each(neighbors, (name) => `${most(name)}`),
      ratio: "",
      target: "≤ 1",
      met: most(OURS) <= 1,
    };
  }
}

/** Row 6 with an answer in Markdown. @param {Page} page @param {{ full: boolean }} scope @returns {AsyncGenerator<Line>} */
export async function* markdown(page, { full }) {
  const neighbors = ["AI SDK", "TanStack"];
  const [often, inPage, defaults, whole] = [`${OURS}, 50 ms`, `${OURS}, no worker`, `${OURS}, defaults`, `${OURS}, whole text`];
  const loads = full ? [[20_000, 2_000], [5_000, 100]] : [[4_000, 2_000]];
  for (const [deltas = 0, rate = 0] of loads) {
    /** @type {Record<string, { work: import("./devtools.mjs").Work, value: any }[]>} */
    const results = {};
    for (let round = 0; round < (full && rate > 100 ? 3 : 1); round++) {
      for (const name of [OURS, often, inPage, defaults, whole, ...neighbors]) {
        // Slow neighbors, which take minutes and are not the best, have one round.
        if (round > 0 && [whole, "TanStack"].includes(name)) continue;
        const host = await page.fresh("markdown");
        const url = page.server.url(host, `/stream?deltas=${deltas}&rate=${rate}&words=markdown&protocol=${name === "AI SDK" ? "ai" : "ag-ui"}`);
        await page.devtools.evaluate(`bench.prepare(${json(name)}, ${json({ url, messages: 500 })})`);
        const sections = sectionsOf(deltas);
        const { work, value } = await page.devtools.observe(() => page.devtools.evaluate(`bench.run(${sections})`));
        if (value.shown < sections) throw new Error(`${name} showed ${value.shown} of ${sections} sections`);
        (results[name] ??= []).push({ work, value });
      }
    }
    const all = (/** @type {string} */ name) => results[name] ?? [];
    const busy = (/** @type {string} */ name) => all(name).map(({ work }) => work.busy);
    const middle = (/** @type {string} */ name) => quantile(busy(name), 0.5);
    const [best = "", second = ""] = [...neighbors].sort((a, b) => middle(a) - middle(b));
    const each = (/** @type {readonly string[]} */ names, /** @type {(name: string) => string} */ show) =>
      names.map((name) => `${name} ${show(name)}`).join(", ");
    const times = ratio(busy(best), busy(OURS));
    const isLong = deltas === loads[0]?.[0];
    yield {
      row: 6,
      work: `an answer in Markdown, ${number(deltas)} deltas at ${number(rate)}/s, 500 messages, React: the main thread is busy`,
      ours: time(middle(OURS)),
      other: each([best, second, whole], (name) => time(middle(name))),
      ratio: spread(times),
      target: isLong ? "≥ 5" : "",
      met: isLong ? times.median >= 5 : undefined,
      data: results,
    };
    const settings = /** @type {const} */ ([
      ["… throttled to 50 ms", often],
      ["… not in worker mode", inPage],
      ["… with default settings and DOMPurify: shown each frame", defaults],
    ]);
    for (const [work, name] of settings) {
      yield beside(work, time(middle(name)), `AI SDK ${time(middle("AI SDK"))}`, spread(ratio(busy("AI SDK"), busy(name))));
    }
    const script = (/** @type {string} */ name) => time(quantile(all(name).map(({ work }) => work.script), 0.5));
    yield beside("… of that in scripts", script(OURS), each([...neighbors, whole], script));
    const longest = (/** @type {string} */ name) => Math.max(...all(name).map(({ work }) => work.longest));
    yield {
      row: 6,
      work: "… the longest task",
      ours: time(longest(OURS)),
      other: each([...neighbors, whole], (name) => time(longest(name))),
      ratio: "",
      target: "≤ 50 ms",
      met: longest(OURS) <= 50,
    };
    const updates = (/** @type {string} */ name) => quantile(all(name).map(({ value }) => value.updates), 0.5);
    const one = (/** @type {string} */ name) => `${time(middle(name) / updates(name))} × ${number(updates(name))}`;
    yield {
      row: 6,
      work: "… busy for each frame that brings something, and how many there were",
      ours: one(OURS),
      other: each([...neighbors, whole], one),
      ratio: number((middle(best) / updates(best)) / (middle(OURS) / updates(OURS))),
      target: "",
      met: undefined,
    };
    const took = (/** @type {string} */ name) => time(quantile(all(name).map(({ value }) => value.took), 0.5));
    yield {
      row: 6,
      work: `… all of it is shown after; it has come after ${time((deltas / rate) * 1000)}`,
      ours: took(OURS),
      other: each([...neighbors, whole], took),
      ratio: "",
      target: "",
      met: undefined,
    };
    const frame = (/** @type {string} */ name) => time(Math.max(...all(name).map(({ value }) => value.longestFrame)));
    yield {
      row: 6,
      work: "… the longest frame, on the clock; 0: none over 50 ms",
      ours: frame(OURS),
      other: each([...neighbors, whole], frame),
      ratio: "",
      target: "",
      met: undefined,
    };
  }
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
  const measure = async () => ({ heap: await page.devtools.heap(), wasm: /** @type {number} */ (await page.devtools.evaluate("bench.wasm()")) });
  const deltas = 100_000;
  const mega = (/** @type {number} */ bytes) => number(bytes / 1e6);
  for (const [words, title] of /** @type {const} */ ([["plain", "plain ASCII"], ["latin", "with emoji, of which engines keep two bytes a character"]])) {
    /** @type {Record<string, { heap: number, wasm: number }>} */
    const growth = {};
    for (const name of full ? [OURS, "AI SDK", "floor"] : [OURS]) {
      const host = await page.fresh("plain");
      const url = (/** @type {number} */ amount) => page.server.url(host, `/stream?deltas=${amount}&rate=0&words=${words}`);
      const keep = (/** @type {number} */ amount, /** @type {number} */ count) =>
        page.devtools.evaluate(`bench.keep(${json(name)}, ${json(url(amount))}, ${count})`);
      const { text } = textWork(deltas, languages[words]);
      const few = await keep(2_000, 1);
      const before = await measure();
      if ((await keep(deltas, 4)) - few !== 4 * text.length) throw new Error(`${name} made another text of it`);
      const bytes = 4 * Buffer.byteLength(text);
      const after = await measure();
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

  const host = await page.fresh("plain");
  const url = page.server.url(host, "/stream?deltas=2000&rate=0");
  /** @param {number} count */
  const use = async (count) => {
    await page.devtools.evaluate(`bench.keep(${json(OURS)}, ${json(url)}, ${count})`);
    const most = await measure();
    await page.devtools.evaluate("bench.drop()");
    // Memory is freed in a task of its own.
    await page.devtools.evaluate("new Promise((done) => setTimeout(done, 200))");
    return [most, await measure()];
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
