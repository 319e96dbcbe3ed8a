// Calls of a chat that make no sense.

import { AgentError } from "../api/error.js";
import type { Agent } from "../api/types.js";

/** The error of such a call. */
export const unfit = (message: string): AgentError => new AgentError({ kind: "unsupported", code: "input", message });

/** The argument of that function, where it is an agent. */
export function asAgent<State>(name: string, agent: Agent<State>): Agent {
  if (typeof agent?.getSnapshot !== "function") throw unfit(`${name} expects an agent, got ${typeof agent}`);
  return agent as unknown as Agent;
}
