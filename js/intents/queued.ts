// A change of a submit that waits: in the queue of a session, or in the save that the next session begins with.

import type { AgentSnapshot, QueuedSubmit } from "../api/types.js";
import type { Queued } from "../snapshot/save.js";
import type { Intent } from "./intent.js";

/** The change of one. */
export interface QueuedIntent<State> extends Intent<State> {
  readonly runId: string;
  /** The submit as a save has it from then on; nothing if it is taken out. */
  waiting(old: Queued): Queued | undefined;
}

/** The snapshot with another row, or none, in place of that of this run. */
export const withRow = <State>(at: AgentSnapshot<State>, runId: string, change: (row: QueuedSubmit) => QueuedSubmit | undefined): AgentSnapshot<State> => ({
  ...at,
  queue: at.queue.flatMap((row) => (row.runId === runId ? (change(row) ?? []) : row)),
});
