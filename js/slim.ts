import { createAgentWith } from "./agent.js";
import { compactWith } from "./compact.js";
import { AgentError } from "./error.js";
import type { AgUiEvent } from "./events.js";
import { loadCore } from "./loader.js";
import type { Agent, AgentOptions } from "./types.js";

export { AgentError } from "./error.js";
export type { AgentErrorData, AgentErrorKind } from "./error.js";
export { indexedDbStore, localStorageStore } from "./stores.js";
export { tool } from "./tools.js";
export { custom, eventSource, fetchTransport, webSocket } from "./transports.js";
export type * from "./types.js";

/** Where the WebAssembly is: the file `ag-ui-wasm/core.wasm` of this very version, in any form. */
export type WasmSource = string | URL | Response | Promise<Response> | BufferSource | WebAssembly.Module;

/** What `createAgent` of `ag-ui-wasm/slim` takes. */
export type SlimAgentOptions<State = unknown> = AgentOptions<State> & { readonly wasm: WasmSource };

/**
 * An agent whose WebAssembly comes from where the application says, so that it is cached and compiled by itself.
 *
 * @example
 * import wasm from "ag-ui-wasm/core.wasm?url"; // as Vite names it
 * const agent = createAgent({ url: "/agent", wasm });
 */
export function createAgent<State = unknown>(options: SlimAgentOptions<State>): Agent<State> {
  return createAgentWith(() => loadCore(() => find(options.wasm)), options);
}

/**
 * A shorter list of events with the same outcome: `compactEvents` of `ag-ui-wasm`, which says more.
 *
 * @example
 * import wasm from "ag-ui-wasm/core.wasm?url"; // as Vite names it
 * const shorter = await compactEvents(recording, { wasm });
 */
export function compactEvents(
  events: Iterable<AgUiEvent>,
  options: Pick<SlimAgentOptions, "wasm">,
): Promise<AgUiEvent[]> {
  return compactWith(() => loadCore(() => find(options.wasm)), events);
}

async function find(wasm: WasmSource): Promise<Response | BufferSource | WebAssembly.Module> {
  const given = await wasm;
  const found = typeof given === "string" || given instanceof URL ? await fetch(given) : given;
  if (found instanceof Response && !found.ok) {
    const { status, url } = found;
    const message = `The WebAssembly core could not be loaded: HTTP ${status} from ${url}`;
    throw new AgentError({ kind: "internal", code: "load", message, retryable: true, status });
  }
  return found;
}
