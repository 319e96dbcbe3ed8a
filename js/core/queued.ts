// A submit that waits in the save that the next session begins with.

import type { Queued } from "../snapshot/save.js";
import type { LinkClient, LinkState } from "./client.js";

/** Changes it, or takes it out, which ends its run. False if there is a session, or no such submit. */
export function changeQueued<State>(
  { read }: LinkClient<State>,
  shared: LinkState<State>,
  runId: string,
  change: (waiting: Queued) => Queued | undefined,
): boolean {
  const { at, last } = shared.home;
  if (at !== "saved") return false;
  const save = JSON.parse(last) as { queue?: Queued[] };
  const old = save.queue?.find((waiting) => waiting.runId === runId);
  if (!old) return false;
  const next = change(old);
  save.queue = save.queue!.flatMap((waiting) => (waiting === old ? (next ?? []) : waiting));
  shared.home = { at, last: JSON.stringify(save) };
  const queue = read().queue.flatMap((row) => (row.runId !== runId ? row : next ? { ...row, messages: next.messages } : []));
  shared.pending.show({ ...shared.pending.confirmed(), queue });
  if (!next) { for (const run of shared.runs) if (run.id === runId) shared.settle(run, "aborted"); }
  return true;
}
