import type { ReactNode } from "react";
import { createAgent } from "./index.js";
import { useAgentOf, useProvider, type AgentProviderProps, type UseAgent } from "../react-binding.js";
import type { Agent, AgentOptions } from "../types.js";

export { useAgentSelector } from "../react-binding.js";
export type { AgentProviderProps, UseAgent } from "../react-binding.js";

/** `AgentProvider` of `ag-ui-wasm/react`, which says more, with the options of `ag-ui-wasm/full`. */
export function AgentProvider<State = unknown>(props: AgentProviderProps<State>): ReactNode {
  return useProvider(createAgent, props);
}

/**
 * `useAgent` of `ag-ui-wasm/react`, which says more, with the options of `ag-ui-wasm/full`. Another `dialect` makes another
 * agent too.
 *
 * @example
 * const { messages, submit } = useAgent({ url: "/agents/assistant", dialect: "hector" });
 */
export function useAgent<State = unknown>(target?: Agent<State> | AgentOptions<State>): UseAgent<State> {
  return useAgentOf(createAgent, target);
}
