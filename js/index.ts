import { createAgentWith } from "./agent.js";
import { bytes } from "./glue/bytes.js";
import { inflate, loadCore } from "./loader.js";
import type { Agent, AgentOptions } from "./types.js";

export { AgentError } from "./error.js";
export type { AgentErrorData, AgentErrorKind } from "./error.js";
export type * from "./types.js";

/**
 * An agent that needs no set-up: the WebAssembly is part of this module. Nothing is loaded or sent before the
 * agent is used, so it may be made anywhere, on a server too.
 *
 * @example
 * const agent = createAgent({ url: "/agent" });
 * await agent.submit("hello");
 * console.log(agent.getSnapshot().messages);
 */
export function createAgent<State = unknown>(options: AgentOptions<State>): Agent<State> {
  return createAgentWith(() => loadCore(() => inflate(bytes)), options);
}
