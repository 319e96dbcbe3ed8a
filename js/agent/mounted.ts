import type { Agent, AgentOptions } from "../api/types.js";
import { inline } from "../core/inline.js";
import { moduleFor } from "../core/modules.js";
import { createAgentWith } from "./agent.js";

/**
 * An agent for components, which is there while one of them listens.
 *
 * @internal
 */
export function createMountedAgent<State>(options: AgentOptions<State>): Agent<State> {
  return createAgentWith(moduleFor(inline, options), options, true);
}
