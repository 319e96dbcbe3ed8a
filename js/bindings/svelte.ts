// Svelte: what the entries share, which differ in the agents that they make of options.

import { getContext, setContext } from "svelte";
import { createSubscriber } from "svelte/reactivity";
import { toStore } from "svelte/store";
import { isAgent, keyOf, nowhere, type AgentTarget, type CreateAgent } from "./shared.js";
import type { Agent, AgentOptions, AgentSnapshot } from "../api/types.js";

/**
 * The result of `useAgent`: the snapshot's fields as reactive getters, the agent's methods, and the agent
 * itself. It is a store as well: `$chat` is the snapshot.
 */
export type UseAgent<State = unknown> =
  & AgentSnapshot<State>
  & Omit<Agent<State>, "subscribe" | "getSnapshot" | "getServerSnapshot" | "setOptions" | typeof Symbol.dispose>
  & {
    readonly agent: Agent<State>;
    /** The store contract. Follows the agent, should the function of options make another. */
    subscribe(run: (snapshot: AgentSnapshot<State>) => void): () => void;
  };

const context = Symbol("ag-ui-wasm");

/** `setAgent` of an entry. */
export function setAgentOf<State>(create: CreateAgent, target: AgentTarget<State>): UseAgent<State> {
  return setContext(context, useAgentOf(create, target));
}

/** `useAgent` of an entry. */
export function useAgentOf<State>(create: CreateAgent, target?: AgentTarget<State>): UseAgent<State> {
  if (!target) {
    const found = getContext<UseAgent<State> | undefined>(context);
    if (!found) throw nowhere("setAgent");
    return found;
  }
  const make = (resolved: Agent<State> | AgentOptions<State>, key: unknown) => {
    const agent = isAgent(resolved) ? resolved : create(resolved);
    return { key, agent, track: createSubscriber((update) => agent.subscribe(update)) };
  };
  let made: ReturnType<typeof make> | undefined;
  const current = () => {
    if (made && typeof target !== "function") return made;
    const resolved = typeof target === "function" ? target() : target;
    const key = keyOf(resolved);
    if (!made || made.key !== key) return (made = make(resolved, key));
    if (!isAgent(resolved)) made.agent.setOptions(resolved);
    return made;
  };

  const { agent } = current();
  // Read in a component, a function may depend on what changes.
  const agents = typeof target === "function" ? toStore(() => current().agent) : undefined;
  const follow = (listener: (agent: Agent<State>) => void): () => void => {
    if (agents) return agents.subscribe(listener);
    listener(agent);
    return () => {};
  };
  const view = {} as UseAgent<State>;
  const define = (name: string, get: () => unknown) => Object.defineProperty(view, name, { get, enumerable: true, configurable: true });
  for (const [name, value] of Object.entries(agent)) {
    const method = (...args: unknown[]) => Reflect.get(current().agent, name)(...args);
    define(name, () => {
      if (typeof value === "function") return method;
      const { agent: now, track } = current();
      // The history changes with the snapshot.
      track();
      return Reflect.get(now, name);
    });
  }
  for (const key of Object.keys(agent.getSnapshot())) {
    define(key, () => {
      const { agent: now, track } = current();
      track();
      return Reflect.get(now.getSnapshot(), key);
    });
  }
  define("agent", () => current().agent);
  define("subscribe", () => (run: (snapshot: AgentSnapshot<State>) => void) => subscribeTo(follow, run));
  return view;
}

/** Calls back with each snapshot of the agent that is followed now, until what it returns is called. */
function subscribeTo<State>(follow: (listener: (agent: Agent<State>) => void) => () => void, run: (snapshot: AgentSnapshot<State>) => void): () => void {
  let off: (() => void) | undefined;
  const end = follow((agent) => {
    off?.();
    run(agent.getSnapshot());
    off = agent.subscribe(() => run(agent.getSnapshot()));
  });
  return () => {
    end();
    off?.();
  };
}
