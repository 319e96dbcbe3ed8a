// A submit is taken back: it leaves the queue, or its run is stopped.

import type { AgentSnapshot, QueuedSubmit } from "../api/types.js";
import type { Intent, QueuedIntent } from "./intent.js";
import { ending } from "./stop.js";

/** Takes it back; `id`: its ticket; `shown`: the snapshot that is shown. */
export function cancel<State>({ id, runId }: Pick<QueuedSubmit, "id" | "runId">, shown: AgentSnapshot<State>): QueuedIntent<State> {
  const fold: Intent<State>["fold"] = (at) => ({ ...at, queue: at.queue.filter((row) => row.runId !== runId) });
  const runs = shown.isLoading && shown.runId === runId;
  return { method: "cancel", json: id, runId, waiting: () => undefined, ...(runs ? ending(shown) : { fold }) };
}
