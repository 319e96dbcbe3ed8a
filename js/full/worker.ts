// As `worker.ts`, with the module that has the dialects and the guard.

import type { Agent } from "../types.js";
import { createWorkerAgentWith, type WorkerAgentOptions } from "../worker-agent.js";
import { beyondVite } from "../worker-pool.js";

export { AgentError } from "../error.js";
export type { AgentErrorData, AgentErrorKind } from "../error.js";
export { indexedDbStore, localStorageStore } from "../stores.js";
export { tool } from "../tools.js";
export { custom, eventSource, fetchTransport, webSocket } from "../transports.js";
export type * from "../types.js";
export type { WorkerAgentOptions } from "../worker-agent.js";

/**
 * `createAgent` of `ag-ui-wasm/worker`, which says more, for servers that do not speak AG-UI alone.
 *
 * @example
 * const agent = createAgent({ url: "/v1/agents/assistant/message:stream", dialect: "hector", worker: true });
 */
export function createAgent<State = unknown>(options: WorkerAgentOptions<State>): Agent<State> {
  return createWorkerAgentWith(load, spawn, beyondVite(import.meta.url, "full/worker-main.js"), options, true);
}

// Bundlers look for this very form.
const spawn = (): Worker => new Worker(new URL("./worker-main.js", import.meta.url), { type: "module" });

// Only pages that have no worker load this.
const load = async () => {
  const [{ loadFull }, { inflate }, { bytes }] = await Promise.all([import("./core.js"), import("../loader.js"), import("../glue/full-bytes.js")]);
  return loadFull(() => inflate(bytes));
};
