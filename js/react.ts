import { useInsertionEffect, useMemo, useRef, useState, useSyncExternalStore } from "react";
import { isAgent, keyOf } from "./binding.js";
import { createAgent } from "./index.js";
import type { Agent, AgentOptions, AgentSnapshot } from "./types.js";

/** What `useAgent` returns: the snapshot's fields, the agent's bound methods, and the agent itself. */
export type UseAgent<State = unknown> = AgentSnapshot<State> &
  Omit<Agent<State>, "getSnapshot" | "getServerSnapshot" | "setOptions"> & { readonly agent: Agent<State> };

/**
 * Renders an agent. Given options, it makes one for the component, which another `url` or `threadId` replaces; all
 * other options may change with every render. Unmounting stops listening, not the agent.
 *
 * @example
 * function Chat() {
 *   const { messages, isLoading, submit, stop } = useAgent({ url: "/agent" });
 *   return (
 *     <>
 *       {messages.map((message) => <Row key={message.id} message={message} />)}
 *       <button onClick={() => (isLoading ? stop() : submit("hello"))}>{isLoading ? "Stop" : "Send"}</button>
 *     </>
 *   );
 * }
 */
export function useAgent<State = unknown>(target: Agent<State> | AgentOptions<State>): UseAgent<State> {
  const key = keyOf(target);
  const make = () => ({ key, agent: isAgent(target) ? target : createAgent(target) });
  const [made, setMade] = useState(make);
  let { agent } = made;
  if (made.key !== key) {
    const next = make();
    setMade(next);
    agent = next.agent;
  }
  useInsertionEffect(() => {
    if (!isAgent(target)) agent.setOptions(target);
  });
  const snapshot = useSyncExternalStore(agent.subscribe, agent.getSnapshot, agent.getServerSnapshot);
  return useMemo(() => ({ ...agent, ...snapshot, agent }), [agent, snapshot]);
}

/**
 * Renders a part of an agent's snapshot: the component renders again only when that part changes.
 *
 * @example
 * const last = useAgentSelector(agent, (snapshot) => snapshot.messages[snapshot.messages.length - 1]);
 */
export function useAgentSelector<State, Part>(
  agent: Agent<State>,
  select: (snapshot: AgentSnapshot<State>) => Part,
  isEqual: (a: Part, b: Part) => boolean = Object.is,
): Part {
  const last = useRef<{ snapshot: AgentSnapshot<State>; select: typeof select; part: Part }>(undefined);
  const read = (snapshot: AgentSnapshot<State>): Part => {
    const old = last.current;
    if (old?.snapshot === snapshot && old.select === select) return old.part;
    const part = select(snapshot);
    last.current = { snapshot, select, part: old && isEqual(old.part, part) ? old.part : part };
    return last.current.part;
  };
  return useSyncExternalStore(
    agent.subscribe,
    () => read(agent.getSnapshot()),
    () => read(agent.getServerSnapshot()),
  );
}
