// An intent: something that a person or the application does. One file for each kind.

import type { AgentSnapshot } from "../api/types.js";
import type { SessionMethods } from "../glue/core.js";

/** A call of the session: one of its methods, with its argument as JSON text. */
export interface CoreCall<Name extends keyof SessionMethods = keyof SessionMethods> {
  readonly method: Name;
  readonly json?: string | undefined;
}

/** Something that a person or the application does. */
export interface Intent<State> extends CoreCall {
  /** Shows it at once. */
  fold(snapshot: AgentSnapshot<State>): AgentSnapshot<State>;
  /** The save of the agent with it, if it has more than the snapshot. */
  readonly save?: string;
}
