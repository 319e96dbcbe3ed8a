// As `index.ts`, with the module that has the dialects and the guard.

import { createAgentWith } from "../agent.js";
import { compactWith } from "../compact.js";
import type { AgUiEvent } from "../events.js";
import { bytes } from "../glue/full-bytes.js";
import { inflate } from "../loader.js";
import type { Agent, AgentOptions } from "../types.js";
import { loadFull } from "./core.js";

export { AgentError } from "../error.js";
export type { AgentErrorData, AgentErrorKind } from "../error.js";
export { indexedDbStore, localStorageStore } from "../stores.js";
export { tool } from "../tools.js";
export { custom, eventSource, fetchTransport, webSocket } from "../transports.js";
export type * from "../types.js";

/**
 * `createAgent` of `ag-ui-wasm`, which says more, for servers that do not speak AG-UI alone.
 *
 * @example
 * const agent = createAgent({ url: "/v1/agents/assistant/message:stream", dialect: "hector" });
 */
export function createAgent<State = unknown>(options: AgentOptions<State>): Agent<State> {
  return createAgentWith(load, options, true);
}

/** `compactEvents` of `ag-ui-wasm`, which says more. */
export function compactEvents(events: Iterable<AgUiEvent>): Promise<AgUiEvent[]> {
  return compactWith(load, events);
}

const load = () => loadFull(() => inflate(bytes));
