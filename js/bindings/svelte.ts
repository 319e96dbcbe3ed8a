// Svelte: what the entries share, which differ in the agents that they make of options.

import { getContext, setContext } from "svelte";
import { createSubscriber } from "svelte/reactivity";
import { derived, readable, toStore } from "svelte/store";
import { createFinder, nowhere, type AgentTarget, type CreateAgent } from "./shared.js";
import type { Agent, AgentSnapshot } from "../api/types.js";

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
  const find = createFinder<State>(create);
  let last: { readonly agent: Agent<State>; readonly track: () => void } | undefined;
  const current = () => {
    if (last && typeof target !== "function") return last;
    const agent = find(typeof target === "function" ? target() : target);
    if (!last || last.agent !== agent) last = { agent, track: createSubscriber((update) => agent.subscribe(update)) };
    return last;
  };
  /** Reads something that changes with the snapshot. */
  const tracked = (read: (agent: Agent<State>) => unknown) => () => {
    const { agent, track } = current();
    track();
    return read(agent);
  };

  const { agent } = current();
  // Read in a component, a function may depend on what changes.
  const agents = typeof target === "function" ? toStore(() => current().agent) : readable(agent);
  const view = {} as UseAgent<State>;
  const define = (name: string, get: () => unknown) => Object.defineProperty(view, name, { get, enumerable: true, configurable: true });
  for (const [name, value] of Object.entries(agent)) {
    const read = (now: Agent<State>) => now[name as keyof typeof now];
    const method = (...args: readonly never[]) => (read(current().agent) as (...args: readonly never[]) => unknown)(...args);
    define(name, typeof value === "function" ? () => method : tracked(read));
  }
  for (const key of Object.keys(agent.getSnapshot())) define(key, tracked((now) => now.getSnapshot()[key as keyof AgentSnapshot<State>]));
  define("agent", () => current().agent);
  const { subscribe } = derived<typeof agents, AgentSnapshot<State>>(agents, (now, set) => {
    set(now.getSnapshot());
    return now.subscribe(() => set(now.getSnapshot()));
  });
  define("subscribe", () => subscribe);
  return view;
}
