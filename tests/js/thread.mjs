// Workers for tests in Node, in two kinds: one in the thread of the test, and one in a thread of its own.

import { after } from "node:test";
import { Worker as Thread } from "node:worker_threads";
import { carried, folder, load } from "./lib.mjs";

/** A worker whose script runs in this thread. What passes is cloned, as between threads. `core`: of each worker that is made without one. */
export async function localWorkers(core) {
  const { startWorker } = await load("worker/serve");
  const all = [];
  class LocalWorker {
    dead = false;
    ports = [];
    constructor(core) {
      all.push(this);
      this.scope = { onmessage: null, postMessage: (data) => this.#later(() => this.onmessage?.({ data: structuredClone(data) })) };
      startWorker(this.scope, core);
    }
    #later(action) {
      setImmediate(() => this.dead || action());
    }
    postMessage(data, ports = []) {
      this.ports.push(...ports);
      this.#later(() => this.scope.onmessage({ data, ports }));
    }
    /** As a thread that dies of what nobody catches. */
    crash(message) {
      this.onerror?.({ message, preventDefault() {} });
    }
    terminate() {
      this.dead = true;
      for (const port of this.ports) port.close();
    }
  }
  return { all, spawn: (own = core) => new LocalWorker(own) };
}

const script = (file) => `
  const { parentPort } = require("node:worker_threads");
  globalThis.postMessage = (message) => parentPort.postMessage(message);
  // As in a page's worker, what comes before the script has run waits.
  import(${JSON.stringify(new URL(file, folder).href)}).then(() =>
    parentPort.on("message", ({ data, ports }) => globalThis.onmessage({ data, ports })));`;

/** The package's own script in a thread, with the interface of a page's worker. */
export function threadWorker(file = "worker-main.js") {
  const thread = new Thread(script(file), { eval: true });
  const worker = {
    thread,
    postMessage: (data, ports = []) => thread.postMessage({ data, ports }, ports),
    terminate: () => void thread.terminate(),
  };
  thread.on("message", (data) => worker.onmessage?.({ data }));
  thread.on("error", ({ message }) => worker.onerror?.({ message }));
  return worker;
}

/** `createAgent` over workers in this thread, one for each module. */
export async function inWorker() {
  const [{ createAgent }, { needsFull }] = await Promise.all(["worker", "core/modules"].map(load));
  const [small, full] = await Promise.all(["core", "full"].map(async (name) => (await localWorkers(await carried(name))).spawn));
  const made = [];
  // The process ends when no port is open.
  after(() => made.forEach((agent) => agent.dispose()));
  return (options) => {
    const agent = createAgent({ ...options, worker: needsFull(options) ? full : small });
    made.push(agent);
    return agent;
  };
}
