// A submit is taken back: it leaves the queue, or its run is stopped.

import type { AgentSnapshot, QueuedSubmit } from "../api/types.js";
import { withRow, type QueuedIntent } from "./queued.js";
import { ending } from "./stop.js";

/** Takes it back; `id`: its ticket. */
export function cancel<State>({ id, runId }: Pick<QueuedSubmit, "id" | "runId">, shown: AgentSnapshot<State>): QueuedIntent<State> {
  const runs = shown.isLoading && shown.runId === runId;
  const look = runs ? ending(shown) : { fold: (at: AgentSnapshot<State>) => withRow(at, runId, () => undefined) };
  return { method: "cancel", json: id, runId, waiting: () => undefined, ...look };
}
