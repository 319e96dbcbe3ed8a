// A save that the page writes, where there is no session to say it.

import type { SavedAgent } from "../api/saving.js";
import type { Queued, Saved } from "./save.js";

const nothing: Pick<Saved, "v" | "interrupts" | "handled" | "unsent" | "queue"> = { v: 1, interrupts: [], handled: [], unsent: [], queue: [] };

/** The elements of both lists, each once. */
export function union<Item>(one: readonly Item[] = [], other: readonly Item[] = [], id: (item: Item) => unknown): readonly Item[] {
  const knownIds = new Set(one.map(id));
  return [...one, ...other.filter((item) => !knownIds.has(id(item)))];
}

/**
 * A save where there is no session: the last one that is known, with the thread as it is and the submits that came since.
 * `lastSave`: JSON text.
 */
export function composeSave(
  lastSave: string | undefined,
  { threadId, messages, state }: Pick<SavedAgent, "threadId" | "messages" | "state">,
  waiting: readonly Queued[] = [],
): string {
  const last: Partial<Saved> = lastSave === undefined ? nothing : JSON.parse(lastSave);
  const begun = waiting.filter(({ runId }) => runId !== last.runId);
  return JSON.stringify({ ...nothing, ...last, threadId, messages, state, queue: union(last.queue, begun, ({ runId }) => runId) });
}
