// As `slim.ts`, with the module that has the dialects and the guard.

import { createAgentWith } from "../agent.js";
import { compactWith } from "../compact.js";
import type { AgUiEvent } from "../events.js";
import { find } from "../loader.js";
import type { Agent, SlimAgentOptions } from "../types.js";
import { loadFull } from "./core.js";

export { AgentError } from "../error.js";
export type { AgentErrorData, AgentErrorKind } from "../error.js";
export { indexedDbStore, localStorageStore } from "../stores.js";
export { tool } from "../tools.js";
export { custom, eventSource, fetchTransport, webSocket } from "../transports.js";
export type * from "../types.js";

/**
 * `createAgent` of `ag-ui-wasm/full`, whose WebAssembly comes from where the application says.
 *
 * @example
 * import wasm from "ag-ui-wasm/full.wasm?url"; // as Vite names it
 * const agent = createAgent({ url: "/agents/assistant", dialect: "hector", wasm });
 */
export function createAgent<State = unknown>(options: SlimAgentOptions<State>): Agent<State> {
  return createAgentWith(() => loadFull(() => find(options.wasm)), options, true);
}

/** `compactEvents` of `ag-ui-wasm`, which says more. */
export function compactEvents(
  events: Iterable<AgUiEvent>,
  options: Pick<SlimAgentOptions, "wasm">,
): Promise<AgUiEvent[]> {
  return compactWith(() => loadFull(() => find(options.wasm)), events);
}
