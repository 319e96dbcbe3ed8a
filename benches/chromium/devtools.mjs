// Chromium's developer tools over one WebSocket: what the page's main thread did, and what its memory holds.

import { WebSocket } from "ws";

/**
 * @typedef {object} Work  of the main thread
 * @property {number} busy  milliseconds of the processor in tasks
 * @property {number} script  of which in JavaScript and WebAssembly
 * @property {number} layout  of which in layout and styles; most of the rest is painting
 * @property {number} longest  milliseconds of the processor that the longest task took
 * @property {number} longestWall  milliseconds on the clock that the longest task took
 * @property {number} long  tasks of more than 50 ms of the processor
 */

/** The page that the browser shows. @param {string} address @returns {Promise<Devtools>} */
export async function connect(address) {
  const targets = await (await fetch(`http://${address}/json`)).json();
  const page = targets.find((/** @type {{ type: string }} */ { type }) => type === "page");
  const socket = new WebSocket(page.webSocketDebuggerUrl, { perMessageDeflate: false, maxPayload: 2 ** 30 });
  await new Promise((resolve, reject) => {
    socket.once("open", resolve);
    socket.once("error", reject);
  });
  const devtools = new Devtools(socket);
  await devtools.send("Page.enable");
  await devtools.send("Runtime.enable");
  await devtools.send("Performance.enable", { timeDomain: "threadTicks" });
  return devtools;
}

export class Devtools {
  #socket;
  #last = 0;
  /** @type {Map<number, { resolve(value: any): void, reject(error: Error): void }>} */
  #waiting = new Map();
  /** @type {Map<string, (params: any) => void>} */
  #listeners = new Map();

  /** @param {WebSocket} socket */
  constructor(socket) {
    this.#socket = socket;
    socket.on("message", (data) => {
      const { id, result, error, method, params } = JSON.parse(String(data));
      if (id === undefined) return this.#listeners.get(method)?.(params);
      const caller = this.#waiting.get(id);
      this.#waiting.delete(id);
      if (error) caller?.reject(new Error(error.message));
      else caller?.resolve(result);
    });
    socket.on("close", () => {
      for (const caller of this.#waiting.values()) caller.reject(new Error("Chromium has closed the connection."));
    });
  }

  /** @param {string} method @param {object} [params] @returns {Promise<any>} */
  send(method, params = {}) {
    const id = ++this.#last;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#socket.send(JSON.stringify({ id, method, params }));
    });
  }

  /** @param {string} event @returns {Promise<any>} */
  once(event) {
    return new Promise((resolve) => this.#listeners.set(event, resolve));
  }

  /** Opens an address and waits until it has loaded. @param {string} url */
  async open(url) {
    const loaded = this.once("Page.loadEventFired");
    await this.send("Page.navigate", { url });
    await loaded;
  }

  /** @param {string} expression  a promise is awaited @returns {Promise<any>} */
  async evaluate(expression) {
    const { result, exceptionDetails } = await this.send("Runtime.evaluate", { expression, awaitPromise: true, returnByValue: true });
    if (exceptionDetails) throw new Error(`In the page: ${exceptionDetails.exception?.description ?? exceptionDetails.text}`);
    return result.value;
  }

  async #metrics() {
    const { metrics } = await this.send("Performance.getMetrics");
    return Object.fromEntries(metrics.map((/** @type {{ name: string, value: number }} */ { name, value }) => [name, value]));
  }

  /**
   * Records the main thread's work while something is awaited.
   *
   * @template T
   * @param {() => Promise<T>} action
   * @returns {Promise<{ value: T, work: Work }>}
   */
  async observe(action) {
    /** @type {any[]} */
    const events = [];
    this.#listeners.set("Tracing.dataCollected", ({ value }) => events.push(...value));
    await this.send("Tracing.start", {
      transferMode: "ReportEvents",
      traceConfig: { includedCategories: ["toplevel", "__metadata"], excludedCategories: ["*"] },
    });
    const before = await this.#metrics();
    const value = await action();
    const after = await this.#metrics();
    const complete = this.once("Tracing.tracingComplete");
    await this.send("Tracing.end");
    await complete;
    const spent = (/** @type {string} */ metric) => (after[`${metric}Duration`] - before[`${metric}Duration`]) * 1000;
    return {
      value,
      work: { busy: spent("Task"), script: spent("Script"), layout: spent("Layout") + spent("RecalcStyle"), ...tasks(events, before.ProcessTime) },
    };
  }

  /** Bytes of JavaScript's heap that are in use, once all that nobody needs is gone. */
  async heap() {
    await this.send("HeapProfiler.collectGarbage");
    await this.send("HeapProfiler.collectGarbage");
    const { usedSize } = await this.send("Runtime.getHeapUsage");
    return /** @type {number} */ (usedSize);
  }

  close() {
    this.#socket.terminate();
  }
}

/** The tasks of the thread that did most. @param {any[]} events @param {number} _process */
function tasks(events, _process) {
  const main = new Set(events.filter(({ name, args }) => name === "thread_name" && args?.name === "CrRendererMain").map(({ pid, tid }) => `${pid} ${tid}`));
  const runs = events.filter(({ name, ph, pid, tid }) => ph === "X" && name.endsWith("RunTask") && main.has(`${pid} ${tid}`));
  let [longest, longestWall, long] = [0, 0, 0];
  for (const { dur = 0, tdur = 0 } of runs) {
    longest = Math.max(longest, tdur / 1000);
    longestWall = Math.max(longestWall, dur / 1000);
    if (tdur > 50_000) long++;
  }
  return { longest, longestWall, long, count: runs.length };
}
