// React: what the entries share, which differ in the agents that they make of options.

import {
  createContext,
  createElement,
  useContext,
  useInsertionEffect,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
  type Context,
  type ReactNode,
} from "react";
import { isAgent, keyOf, nowhere } from "./binding.js";
import type { Agent, AgentOptions, AgentSnapshot } from "./types.js";

/** What `useAgent` returns: the snapshot's fields, the agent's bound methods, and the agent itself. */
export type UseAgent<State = unknown> = AgentSnapshot<State> &
  Omit<Agent<State>, "getSnapshot" | "getServerSnapshot" | "setOptions"> & { readonly agent: Agent<State> };

/** `createAgent` of the entry. */
type Create = <State>(options: AgentOptions<State>) => Agent<State>;

/** What `AgentProvider` takes. */
export interface AgentProviderProps<State> {
  readonly agent: Agent<State> | AgentOptions<State>;
  readonly children?: ReactNode;
}

// Made when it is first used: where server components are rendered, React has no contexts, but modules are imported.
let context: Context<Agent | undefined> | undefined;
const provided = (): Context<Agent | undefined> => (context ??= createContext<Agent | undefined>(undefined));

/** What is given, or the provider's agent. */
function useProvided<Target>(target: Target | undefined): Target | Agent {
  const agent = useContext(provided());
  if (!target && !agent) throw nowhere("AgentProvider");
  return target ?? agent!;
}

/** The agent that is given, or the one that is made of options. */
function useMade<State>(create: Create, target: Agent<State> | AgentOptions<State>): Agent<State> {
  const key = keyOf(target);
  const make = () => ({ key, agent: isAgent(target) ? target : create(target) });
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
  return agent;
}

/** `AgentProvider` of an entry. */
export function useProvider<State>(create: Create, { agent, children }: AgentProviderProps<State>): ReactNode {
  const value = useMade(create, agent) as Agent<unknown>;
  return createElement(provided().Provider, { value }, children);
}

/** `useAgent` of an entry. */
export function useAgentOf<State>(create: Create, target?: Agent<State> | AgentOptions<State>): UseAgent<State> {
  const agent = useMade(create, useProvided(target) as Agent<State> | AgentOptions<State>);
  const snapshot = useSyncExternalStore(agent.subscribe, agent.getSnapshot, agent.getServerSnapshot);
  return useMemo(() => ({ ...agent, ...snapshot, agent }), [agent, snapshot]);
}

type Select<State, Part> = (snapshot: AgentSnapshot<State>) => Part;
type IsEqual<Part> = (a: Part, b: Part) => boolean;

/**
 * Renders a part of an agent's snapshot: the component renders again only when that part changes. Without an agent, of
 * the one of the {@link AgentProvider} above.
 *
 * @example
 * const last = useAgentSelector(agent, (snapshot) => snapshot.messages[snapshot.messages.length - 1]);
 * const busy = useAgentSelector((snapshot) => snapshot.isLoading);
 */
export function useAgentSelector<State, Part>(
  agent: Agent<State>,
  select: Select<State, Part>,
  isEqual?: IsEqual<Part>,
): Part;
export function useAgentSelector<Part, State = unknown>(select: Select<State, Part>, isEqual?: IsEqual<Part>): Part;
export function useAgentSelector<State, Part>(...given: readonly unknown[]): Part {
  const [target, select, isEqual = Object.is] = (typeof given[0] === "function" ? [undefined, ...given] : given) as [
    Agent<State> | undefined,
    Select<State, Part>,
    IsEqual<Part>?,
  ];
  const agent = useProvided(target) as Agent<State>;
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
