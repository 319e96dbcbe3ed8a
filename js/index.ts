import { createAgentWith } from "./agent.js";
import { compactWith } from "./compact.js";
import { loadCore } from "./core.js";
import type { AgUiEvent } from "./events.js";
import { bytes } from "./glue/bytes.js";
import { inflate } from "./loader.js";
import type { Agent, AgentOptions } from "./types.js";

export { AgentError } from "./error.js";
export type { AgentErrorData, AgentErrorKind } from "./error.js";
export { indexedDbStore, localStorageStore } from "./stores.js";
export { tool } from "./tools.js";
export { custom, eventSource, fetchTransport, webSocket } from "./transports.js";
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
  return createAgentWith(load, options);
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
  return compactWith(load, events);
}

const load = () => loadCore(() => inflate(bytes));
