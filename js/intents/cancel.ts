// A submit is taken back: it leaves the queue, or its run is stopped.

import type { AgentSnapshot } from "../api/types.js";
import type { Intent, QueuedIntent } from "./intent.js";
import { ending } from "./stop.js";

/** Takes back the submit of that run; `shown`: the snapshot that is shown. */
export function cancel<State>(runId: string, shown: AgentSnapshot<State>): QueuedIntent<State> {
  const fold: Intent<State>["fold"] = (at) => ({ ...at, queue: at.queue.filter((row) => row.runId !== runId) });
  const runs = shown.isLoading && shown.runId === runId;
  return { method: "cancel", json: runId, runId, waiting: () => undefined, ...(runs ? ending(shown) : { fold }) };
}
