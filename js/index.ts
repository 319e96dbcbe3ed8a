import { createAgentWith } from "./agent/agent.js";
import { compactWith } from "./agent/compact.js";
import type { AgUiEvent } from "./api/events.js";
import { inline } from "./core/inline.js";
import { moduleFor } from "./core/modules.js";
import type { Agent, AgentOptions, AgentSchemas, TypedAgent, TypedOptions } from "./api/types.js";

export * from "./common.js";

/**
 * An agent that needs no set-up: the WebAssembly is part of the package, as a chunk that a page begins to load when its first
 * agent is made. A server loads nothing before a run, so agents may be made anywhere. `dialect`, `guard`, `rules: "strict"` and
 * `binary` load the full module, other options the small one.
 *
 * @example
 * const agent = createAgent({ url: "/agent" });
 * await agent.submit("hello");
 * console.log(agent.getSnapshot().messages);
 */
export function createAgent<const Schemas extends AgentSchemas, const Tools extends readonly { readonly name: string }[] = []>(
  options: TypedOptions<Schemas, Tools>,
): TypedAgent<Schemas, Tools>;
export function createAgent<State = unknown>(options: AgentOptions<State>): Agent<State>;
export function createAgent(options: object): object {
  return createAgentWith(moduleFor(inline, options), options as AgentOptions);
}

/**
 * A shorter list of events with the same outcome, to be kept or sent instead of a recording: what an agent shows after
 * the one it shows after the other. Deltas of one message, call or document become one event.
 *
 * @example
 * const recording = [];
 * agent.on("event", (event) => recording.push(event));
 * await agent.submit("hello");
 * localStorage.setItem("run", JSON.stringify(await compactEvents(recording)));
 */
export function compactEvents(events: Iterable<AgUiEvent>): Promise<AgUiEvent[]> {
  return compactWith(inline.full, events);
}
