// A save that the page writes, where there is no session to say it.

import type { SavedAgent } from "../api/saving.js";
import type { Queued, Saved } from "./save.js";

/** The elements of both lists, each once. */
export function union<Item>(one: readonly Item[] = [], other: readonly Item[] = [], id: (item: Item) => unknown): readonly Item[] {
  const knownIds = new Set(one.map(id));
  return [...one, ...other.filter((item) => !knownIds.has(id(item)))];
}

/** The change of a submit that waits. */
export interface QueueChange {
  readonly runId?: string;
  /** The submit as a save has it from then on; nothing if it is taken out. */
  waiting?(old: Queued): Queued | undefined;
}

/** A queue, as these change it. */
export const changedQueue = (queue: readonly Queued[] | undefined, changes: readonly QueueChange[]): readonly Queued[] =>
  changes.reduce((at, { runId, waiting }) => at.flatMap((each) => (each.runId === runId && waiting ? (waiting(each) ?? []) : each)), queue ?? []);

type ThreadOfSave = Pick<SavedAgent, "threadId" | "messages" | "state">;

/** The last save or record that is known, with the thread as it is, its queue as these change it, and the submits that came since. */
export function compose(
  last: Partial<Saved>,
  { threadId, messages, state }: ThreadOfSave,
  changes: readonly QueueChange[] = [],
  waiting?: readonly Queued[],
): Saved {
  const begun = waiting?.filter(({ runId }) => runId !== last.runId);
  const queue = union(changedQueue(last.queue, changes), begun, ({ runId }) => runId);
  return { v: 1, interrupts: [], handled: [], unsent: [], ...last, threadId, messages, state, queue };
}

/** The same as JSON text. */
export const composeSave = (last = "{}", ...since: [thread: ThreadOfSave, changes?: readonly QueueChange[], waiting?: readonly Queued[]]): string =>
  JSON.stringify(compose(JSON.parse(last), ...since));
