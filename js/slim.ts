import { createAgentWith } from "./agent/agent.js";
import { compactWith } from "./agent/compact.js";
import type { AgUiEvent } from "./api/events.js";
import { moduleFor } from "./core/modules.js";
import { modulesAt } from "./core/slim-modules.js";
import type { Agent, SlimAgentOptions } from "./api/types.js";

export * from "./common.js";

/**
 * An agent whose WebAssembly comes from where the application says, so that it is cached and compiled by itself. `wasm` is
 * `ag-ui-wasm/core.wasm`, or `ag-ui-wasm/full.wasm` for a `dialect`, a `guard`, strict rules or `binary`; or both, of which one is loaded.
 *
 * @example
 * import wasm from "ag-ui-wasm/core.wasm?url"; // as Vite names it
 * const agent = createAgent({ url: "/agent", wasm });
 */
export function createAgent<State = unknown>(options: SlimAgentOptions<State>): Agent<State> {
  return createAgentWith(moduleFor(modulesAt(options?.wasm), options), options);
}

/**
 * A shorter list of events with the same outcome: `compactEvents` of `ag-ui-wasm`, which says more.
 *
 * @example
 * import wasm from "ag-ui-wasm/full.wasm?url"; // as Vite names it
 * const shorter = await compactEvents(recording, { wasm });
 */
export function compactEvents(
  events: Iterable<AgUiEvent>,
  options: Pick<SlimAgentOptions, "wasm">,
): Promise<AgUiEvent[]> {
  return compactWith(modulesAt(options?.wasm).full, events);
}
