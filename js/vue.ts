import { createMountedAgent } from "./agent/mounted.js";
import { provideAgentOf, useAgentOf, type UseAgent } from "./bindings/vue.js";
import type { AgentTarget } from "./bindings/shared.js";

export { messageKey } from "./snapshot/message-key.js";
export { injectAgent, useAgentSelector } from "./bindings/vue.js";
export type { UseAgent } from "./bindings/vue.js";
export type { AgentTarget } from "./bindings/shared.js";

/**
 * An agent for a component: its fields are refs, its methods may be passed on alone. A function of options is asked again when
 * what it reads has changed; another `url`, `threadId` or `dialect` gives another agent. Given nothing, the agent that a component above has
 * provided. With the scope it stops to listen, not the agent.
 *
 * @example
 * <script setup>
 * import { messageKey, useAgent } from "ag-ui-wasm/vue";
 * const { id } = defineProps(["id"]);
 * const { messages, isLoading, submit, stop } = useAgent(() => ({ url: "/agent", threadId: id }));
 * </script>
 *
 * <template>
 *   <p v-for="message in messages" :key="messageKey(message)">{{ message.content }}</p>
 *   <button @click="submit('hello')">Send</button>
 * </template>
 */
export function useAgent<State = unknown>(target?: AgentTarget<State>): UseAgent<State> {
  return useAgentOf(createMountedAgent, target);
}

/**
 * Gives an agent to all components below this one: `useAgent()`, `injectAgent()` and `useAgentSelector(select)` find it there. Takes what
 * {@link useAgent} does, and returns the same.
 */
export function provideAgent<State = unknown>(target: AgentTarget<State>): UseAgent<State> {
  return provideAgentOf(createMountedAgent, target);
}
