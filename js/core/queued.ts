// A submit that waits in the save that the next session begins with. A change of it is pending until then.

import type { QueuedIntent } from "../intents/intent.js";
import { takenOut } from "../intents/run.js";
import { changedQueue } from "../snapshot/save.js";
import type { LinkState } from "./client.js";

/** Whether that submit waits there, or may: the save is on the way. */
export function hasQueued<State>({ home: { at, last = "{}" }, pending }: LinkState<State>, runId: string): boolean {
  // One that the page alone has stands in no queue yet.
  if (pending.list.some(({ run }) => run?.id === runId)) return false;
  return at === "awaited" || (at === "saved" && changedQueue(JSON.parse(last).queue, pending.list).some((each) => each.runId === runId));
}

/** Takes out the submit of that name, which ends its run, or changes it as this intent says. False if there is no such submit. */
export function changeQueued<State>(shared: LinkState<State>, runId: string, change?: QueuedIntent<State>): boolean {
  if (!hasQueued(shared, runId)) return false;
  const { waiting, fold } = change ?? takenOut<State>(runId);
  shared.pending.add({ runId, waiting, fold });
  if (!change) { for (const run of shared.runs) if (run.id === runId) shared.settle(run, "aborted"); }
  return true;
}
