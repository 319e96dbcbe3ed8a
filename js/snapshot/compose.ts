// A save that the page writes, where there is no session to say it.

import type { SavedAgent } from "../api/saving.js";
import type { Queued, Saved } from "./save.js";

const nothing: Pick<Saved, "v" | "interrupts" | "handled" | "unsent" | "queue"> = { v: 1, interrupts: [], handled: [], unsent: [], queue: [] };

/** The elements of both lists, each once. */
export function union<Item>(one: readonly Item[] = [], other: readonly Item[] = [], id: (item: Item) => unknown): readonly Item[] {
  const knownIds = new Set(one.map(id));
  return [...one, ...other.filter((item) => !knownIds.has(id(item)))];
}

type ThreadOfSave = Pick<SavedAgent, "threadId" | "messages" | "state">;

/** The last save or record that is known, with the thread as it is and the submits that came since. */
export function compose(last: Partial<Saved>, { threadId, messages, state }: ThreadOfSave, waiting: readonly Queued[] = []): Saved {
  const begun = waiting.filter(({ runId }) => runId !== last.runId);
  return { ...nothing, ...last, threadId, messages, state, queue: union(last.queue, begun, ({ runId }) => runId) };
}

/** The same as JSON text. */
export const composeSave = (last = "{}", ...since: [thread: ThreadOfSave, waiting?: readonly Queued[]]): string =>
  JSON.stringify(compose(JSON.parse(last), ...since));
