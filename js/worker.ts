import type { Agent } from "./types.js";
import { createWorkerAgentWith, type WorkerAgentOptions } from "./worker-agent.js";
import { beyondVite } from "./worker-pool.js";

export { AgentError } from "./error.js";
export type { AgentErrorData, AgentErrorKind } from "./error.js";
export { indexedDbStore, localStorageStore } from "./stores.js";
export { tool } from "./tools.js";
export { custom, eventSource, fetchTransport, webSocket } from "./transports.js";
export type * from "./types.js";
export type { WorkerAgentOptions } from "./worker-agent.js";

/**
 * `createAgent` of `ag-ui-wasm`, which says more, for agents that read their streams in a worker: only what has changed
 * comes to the page, when the page is to show it. Tools, callbacks and functions among the options run in the page.
 *
 * @example
 * const agent = createAgent({ url: "/agent", worker: true });
 * await agent.submit("hello");
 */
export function createAgent<State = unknown>(options: WorkerAgentOptions<State>): Agent<State> {
  return createWorkerAgentWith(load, spawn, beyondVite(import.meta.url, "worker-main.js"), options);
}

// Bundlers look for this very form.
const spawn = (): Worker => new Worker(new URL("./worker-main.js", import.meta.url), { type: "module" });

// Only pages that have no worker load this.
const load = async () => {
  const [{ loadCore }, { inflate }, { bytes }] = await Promise.all([import("./core.js"), import("./loader.js"), import("./glue/bytes.js")]);
  return loadCore(() => inflate(bytes));
};
