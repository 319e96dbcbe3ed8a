"use client";

import type { ReactNode } from "react";
import { createAgent } from "./index.js";
import { useAgentOf, useProvider, type AgentProviderProps, type UseAgent } from "./bindings/react.js";
import type { Agent, AgentOptions } from "./api/types.js";

export { messageKey } from "./snapshot/message-key.js";
export { useAgentSelector } from "./bindings/react.js";
export { useThreads, type UseThreads } from "./bindings/threads-react.js";
export type { AgentProviderProps, UseAgent } from "./bindings/react.js";

/**
 * Gives an agent to all components below it: `useAgent()` and `useAgentSelector(select)` find it. Takes an agent, or options
 * as {@link useAgent} does. It does not render again when the snapshot changes.
 *
 * @example
 * function App() {
 *   return (
 *     <AgentProvider agent={{ url: "/agent", tools: [weather] }}>
 *       <Thread />
 *       <Composer />
 *     </AgentProvider>
 *   );
 * }
 */
export function AgentProvider<State = unknown>(props: AgentProviderProps<State>): ReactNode {
  return useProvider(createAgent, props);
}

/**
 * Renders an agent. Given options, it makes one for the component, which another `url`, `threadId` or `dialect` replaces; all
 * other options may change with every render. Given nothing, it takes the one of the {@link AgentProvider} above.
 * Unmounting stops listening, not the agent.
 *
 * @example
 * function Chat() {
 *   const { messages, isLoading, submit, stop } = useAgent({ url: "/agent" });
 *   return (
 *     <>
 *       {messages.map((message) => <Row key={messageKey(message)} message={message} />)}
 *       <button onClick={() => (isLoading ? stop() : submit("hello"))}>{isLoading ? "Stop" : "Send"}</button>
 *     </>
 *   );
 * }
 */
export function useAgent<State = unknown>(target?: Agent<State> | AgentOptions<State>): UseAgent<State> {
  return useAgentOf(createAgent, target);
}
