// How a run begins, and how it ends where the core cannot say so (for one that was cut off, see cut-off.ts).

import type { AgentError } from "../api/error.js";
import type { AgentSnapshot } from "../api/types.js";
import { closed } from "./initial.js";

const connecting = { phase: "connecting", attempt: 0 } as const;

/** A run that begins. */
export function begun<State>(at: AgentSnapshot<State>, runId: string): AgentSnapshot<State> {
  return { ...at, runId, status: "running", isLoading: true, error: undefined, outcome: undefined, connection: connecting };
}

/** A run that is stopped before anything of it came. */
export function cancelled<State>(at: AgentSnapshot<State>): AgentSnapshot<State> {
  return { ...at, status: "idle", isLoading: false, outcome: "aborted", connection: closed };
}

/** A failure that ends every run. */
export function failed<State>(at: AgentSnapshot<State>, error: AgentError, outcome: AgentSnapshot["outcome"]): AgentSnapshot<State> {
  return { ...at, status: "error", isLoading: false, error, outcome, connection: closed };
}
