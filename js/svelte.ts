import { createMountedAgent } from "./agent/mounted.js";
import { setAgentOf, useAgentOf, type UseAgent } from "./bindings/svelte.js";
import type { AgentTarget } from "./bindings/shared.js";

export { messageKey } from "./snapshot/message-key.js";
export type { UseAgent } from "./bindings/svelte.js";
export type { AgentTarget } from "./bindings/shared.js";

/**
 * Gives an agent to all components below this one, where `useAgent()` finds it. Takes what {@link useAgent} does, and
 * returns the same. To be called while the component is set up.
 *
 * @example
 * <script>
 *   import { setAgent } from "ag-ui-wasm/svelte";
 *   const { children } = $props();
 *   setAgent({ url: "/agent" });
 * </script>
 * {@render children()}
 */
export function setAgent<State = unknown>(target: AgentTarget<State>): UseAgent<State> {
  return setAgentOf(createMountedAgent, target);
}

/**
 * An agent whose fields are reactive wherever they are read; don't destructure them. A function of options is asked
 * whenever something is read or called, so that another `url`, `threadId` or `dialect` gives another agent. Given nothing, the agent
 * that a component above has set with {@link setAgent}.
 *
 * @example
 * <script>
 *   import { page } from "$app/state";
 *   import { messageKey, useAgent } from "ag-ui-wasm/svelte";
 *   const chat = useAgent(() => ({ url: "/agent", threadId: page.params.id }));
 * </script>
 * {#each chat.messages as message (messageKey(message))}<p>{message.content}</p>{/each}
 * <button onclick={() => chat.submit("hello")}>Send</button>
 */
export function useAgent<State = unknown>(target?: AgentTarget<State>): UseAgent<State> {
  return useAgentOf(createMountedAgent, target);
}
