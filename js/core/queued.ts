// A submit that waits in the save that the next session begins with.

import { cancel } from "../intents/cancel.js";
import type { QueuedIntent } from "../intents/intent.js";
import type { Queued } from "../snapshot/save.js";
import type { LinkState } from "./client.js";

/** Changes it, or takes it out, which ends its run, as this intent says; or takes out that of this name. False if there is no such submit. */
export function changeQueued<State>(shared: LinkState<State>, change: QueuedIntent<State> | string): boolean {
  const { at, last } = shared.home;
  if (at !== "saved") return false;
  const { runId, waiting, fold } = typeof change === "string" ? cancel(change, shared.pending.confirmed()) : change;
  const save = JSON.parse(last) as { queue?: Queued[] };
  const old = save.queue?.find((each) => each.runId === runId);
  if (!old) return false;
  const next = waiting(old);
  save.queue = save.queue!.flatMap((each) => (each === old ? (next ?? []) : each));
  shared.home = { at, last: JSON.stringify(save) };
  shared.pending.show(fold(shared.pending.confirmed()));
  if (!next) { for (const run of shared.runs) if (run.id === runId) shared.settle(run, "aborted"); }
  return true;
}
