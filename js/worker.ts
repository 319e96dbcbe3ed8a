import { compactWith } from "./agent/compact.js";
import type { AgUiEvent } from "./api/events.js";
import { inline } from "./core/inline.js";
import { moduleFor, needsFull } from "./core/modules.js";
import type { Agent } from "./api/types.js";
import { createWorkerAgentWith, type WorkerAgentOptions } from "./worker/agent.js";
import { beyondVite } from "./worker/pool.js";

export * from "./common.js";
export type { WorkerAgentOptions } from "./worker/agent.js";

/**
 * `createAgent` of `ag-ui-wasm`, which says more, for agents that read their streams in a worker: only what has changed
 * comes to the page, when the page is to show it. Tools, callbacks and functions among the options run in the page.
 *
 * @example
 * const agent = createAgent({ url: "/agent", worker: true });
 * await agent.submit("hello");
 */
export function createAgent<State = unknown>(options: WorkerAgentOptions<State>): Agent<State> {
  const [spawn, file] = needsFull(options) ? ([spawnFull, "worker-full.js"] as const) : ([spawnSmall, "worker-main.js"] as const);
  return createWorkerAgentWith(moduleFor(inline, options), spawn, beyondVite(import.meta.url, file), options);
}

/** `compactEvents` of `ag-ui-wasm`, in the page: it loads the WebAssembly there. */
export function compactEvents(events: Iterable<AgUiEvent>): Promise<AgUiEvent[]> {
  return compactWith(inline.full, events);
}

// Bundlers look for this very form. Each module has a script: one that imports either cannot be bundled as a classic script.
const spawnSmall = (): Worker => new Worker(new URL("./worker-main.js", import.meta.url), { type: "module" });
const spawnFull = (): Worker => new Worker(new URL("./worker-full.js", import.meta.url), { type: "module" });
