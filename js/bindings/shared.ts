// Helpers that the framework bindings share.

import { AgentError } from "../api/error.js";
import type { Agent, AgentOptions } from "../api/types.js";

/** Makes an agent for components. */
export type CreateAgent = <State>(options: AgentOptions<State>) => Agent<State>;

/** An agent, options for one, or a function that returns one of the two. */
export type AgentTarget<State> = Agent<State> | AgentOptions<State> | (() => Agent<State> | AgentOptions<State>);

/** The error of a component that looks for an agent above it, where nobody has put one. */
export function nowhere(giver: string): AgentError {
  const message = `useAgent() found no agent: pass one, or provide one with ${giver}`;
  return new AgentError({ kind: "unsupported", code: "input", message });
}

/** Whether it is an agent, of whatever copy of this package, and not options for one. */
export function isAgent<State>(target: Agent<State> | AgentOptions<State>): target is Agent<State> {
  return "getSnapshot" in Object(target);
}

/**
 * Other options with the same key go to the same agent. A function cannot be distinguished from the one that stood there before,
 * so it is taken to be the same.
 */
export function keyOf<State>(target: Agent<State> | AgentOptions<State>): unknown {
  if (isAgent(target)) return target;
  const { url, threadId, dialect, persist } = target;
  return JSON.stringify([typeof url === "function" ? null : String(url), threadId, dialect, persist?.key]);
}

/**
 * Finds the agent of a target that changes: the one that is given, or the one that is made of options. It gets other options as
 * long as the key is the same.
 */
export function createFinder<State>(create: CreateAgent): (target: Agent<State> | AgentOptions<State>) => Agent<State> {
  let last: { readonly key: unknown; readonly agent: Agent<State> } | undefined;
  return (target) => {
    const key = keyOf(target);
    if (!last || last.key !== key) last = { key, agent: isAgent(target) ? target : create(target) };
    else if (!isAgent(target)) last.agent.setOptions(target);
    return last.agent;
  };
}

/** The agent's methods as they are now: each calls that of the agent which `current` then returns. */
export function methodsOf(current: () => object): Record<string, (...args: unknown[]) => unknown> {
  const names = Object.entries(current()).flatMap(([name, value]) => (typeof value === "function" ? name : []));
  return Object.fromEntries(names.map((name) => [name, (...args: unknown[]) => Reflect.get(current(), name)(...args)]));
}

/** All that is fixed for an agent of these options, as text. Nothing where that cannot be said: of a store without a key, or a save. */
export function nameOf(options: object): string | undefined {
  const { persist, restore } = options as AgentOptions;
  if (restore || (persist && persist.key === undefined)) return undefined;
  try {
    return JSON.stringify(options);
  } catch {
    return undefined;
  }
}
