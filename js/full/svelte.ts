import { createAgent } from "./index.js";
import { setAgentOf, useAgentOf, type Target, type UseAgent } from "../svelte-binding.js";

export type { Target, UseAgent } from "../svelte-binding.js";

/** `setAgent` of `ag-ui-wasm/svelte`, which says more, with the options of `ag-ui-wasm/full`. */
export function setAgent<State = unknown>(target: Target<State>): UseAgent<State> {
  return setAgentOf(createAgent, target);
}

/**
 * `useAgent` of `ag-ui-wasm/svelte`, which says more, with the options of `ag-ui-wasm/full`. Another `dialect` makes another
 * agent too.
 */
export function useAgent<State = unknown>(target?: Target<State>): UseAgent<State> {
  return useAgentOf(createAgent, target);
}
