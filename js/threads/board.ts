// The list that the server has sent, and changes that are not confirmed yet. The snapshot shows one folded over the other.

import { call } from "../base/call.js";
import type { AgentError } from "../api/error.js";
import type { ThreadInfo, ThreadsSnapshot } from "../api/threads.js";
import type { Change } from "./changes.js";

/** The state of the list apart from its threads. */
interface Progress {
  readonly status: ThreadsSnapshot["status"];
  /** Where the next page begins. */
  readonly next: string | undefined;
  readonly isLoadingMore: boolean;
  readonly error: AgentError | undefined;
}

/** The state of a list of threads, and who listens to it. */
export type Board = ReturnType<typeof createBoard>;

/** An empty board. It stays as it is after `ended`. */
export function createBoard(ended: AbortSignal) {
  let progress: Progress = { status: "new", next: undefined, isLoadingMore: false, error: undefined };
  let confirmed: readonly ThreadInfo[] = [];
  const pending = new Set<Change>();
  // Confirmed while pages are on their way, which may not know about it: one list a request.
  const requests = new Set<Change[]>();
  const listeners = new Set<() => void>();
  let shown: ThreadsSnapshot | undefined;

  const show = (old: ThreadsSnapshot | undefined): ThreadsSnapshot => {
    const { next, ...rest } = progress;
    const ids = new Set([...pending].map(({ threadId }) => threadId));
    return { ...parts(fold(confirmed, pending), old), hasMore: next !== undefined, pending: [...ids], ...rest };
  };
  /** Notes progress, and notifies. */
  const report = (members: Partial<Progress>): void => {
    if (ended.aborted) return;
    progress = { ...progress, ...members };
    shown = show(shown);
    for (const listener of [...listeners]) call(listener);
  };

  return {
    /** Ids of threads that the server has not listed yet. */
    local: new Set<string>(),
    get progress(): Progress {
      return progress;
    },
    /** The threads as the server has confirmed them. */
    get confirmed(): readonly ThreadInfo[] {
      return confirmed;
    },
    snapshot: (): ThreadsSnapshot => (shown ??= show(undefined)),
    subscribe: (listener: () => void): () => void => {
      // One listener twice is two subscriptions.
      const registered = () => listener();
      listeners.add(registered);
      return () => void listeners.delete(registered);
    },
    report,
    /** Begins a request for pages. The result replaces the list, with the changes that were confirmed meanwhile. */
    request: () => {
      const meanwhile: Change[] = [];
      requests.add(meanwhile);
      return {
        land: (threads: readonly ThreadInfo[], members: Partial<Progress>): void => {
          confirmed = fold(threads, meanwhile);
          report(members);
        },
        end: (): void => void requests.delete(meanwhile),
      };
    },
    /** Shows a change that is not confirmed. */
    begin: (change: Change): void => {
      pending.add(change);
      report({ error: undefined });
    },
    /** Takes the change back; what is confirmed of it stays. */
    end: (change: Change, ...changes: readonly Change[]): void => {
      pending.delete(change);
      confirmed = fold(confirmed, changes);
      for (const meanwhile of requests) meanwhile.push(...changes);
      report({});
    },
  };
}

const fold = (list: readonly ThreadInfo[], changes: Iterable<Change>): readonly ThreadInfo[] =>
  [...changes].reduce((threads, change) => change.fold(threads), list);

/** The threads in two lists, each of which is the old one where that has the same. */
function parts(all: readonly ThreadInfo[], old: ThreadsSnapshot | undefined): Pick<ThreadsSnapshot, "threads" | "archived"> {
  const part = (archived: boolean, before: readonly ThreadInfo[] = []): readonly ThreadInfo[] => {
    const list = all.filter((thread) => !!thread.archived === archived);
    return before.length === list.length && list.every((thread, i) => thread === before[i]) ? before : list;
  };
  return { threads: part(false, old?.threads), archived: part(true, old?.archived) };
}
