// What the framework bindings share.

import type { Agent, AgentOptions } from "./types.js";

/** Whether it is an agent, of whatever copy of this package, and not options for one. */
export function isAgent<State>(target: Agent<State> | AgentOptions<State>): target is Agent<State> {
  return "getSnapshot" in target;
}

/**
 * Other options with the same key go to the same agent. A function cannot be told from the one that stood there before,
 * so it is taken to be the same.
 */
export function keyOf<State>(target: Agent<State> | AgentOptions<State>): unknown {
  if (isAgent(target)) return target;
  const { url, threadId } = target;
  return JSON.stringify([typeof url === "function" ? null : String(url), threadId]);
}
