// A submit is taken back: it leaves the queue, or its run is stopped.

import type { AgentSnapshot } from "../api/types.js";
import { takenOut } from "./run.js";
import type { QueuedIntent } from "./intent.js";
import { ending } from "./stop.js";

/** Takes back the submit of that run; `shown`: the snapshot that is shown. */
export function cancel<State>(runId: string, shown: AgentSnapshot<State>): QueuedIntent<State> {
  const runs = shown.isLoading && shown.runId === runId;
  return { method: "cancel", json: runId, ...takenOut<State>(runId), ...(runs && ending(shown)) };
}
