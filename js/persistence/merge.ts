// Two saves of one thread, compared and made one.

import { union } from "../snapshot/compose.js";
import type { Saved } from "../snapshot/save.js";

/** Whether nothing was said or changed between two saves: JSON texts. */
export function sameThread(one: string, other: string): boolean {
  const [then, now] = [JSON.parse(one), JSON.parse(other)] as [Saved, Saved];
  return (["messages", "state", "queue"] as const).every((part) => JSON.stringify(then[part]) === JSON.stringify(now[part]));
}

/** Two saves as one, where the newer was made by an agent that did not know the older: nothing of either is lost. */
export function mergeSaves(older: string, newer: string): string {
  const [old, own] = [JSON.parse(older), JSON.parse(newer)] as [Saved, Saved];
  const itself = (id: string): string => id;
  const byId = ({ id }: { readonly id: string }): string => id;
  return JSON.stringify({
    ...old,
    ...own,
    messages: union(old.messages, own.messages, byId),
    interrupts: union(old.interrupts, own.interrupts, byId),
    handled: union(old.handled, own.handled, itself),
    unsent: union(old.unsent, own.unsent, itself),
    untold: union(old.untold, own.untold, ({ call }) => call),
    // The reader adds up what belongs to one model.
    usage: [...(old.usage ?? []), ...(own.usage ?? [])],
    queue: union(old.queue, own.queue, ({ runId }) => runId).filter(({ runId }) => runId !== own.runId),
  });
}
