// The snapshot of a thread: as the core or the link to it has it, and as it is shown.

import type { SavedAgent } from "../api/saving.js";
import type { AgentOptions, AgentSnapshot } from "../api/types.js";
import { toJson } from "../base/failure.js";
import { uuid } from "../base/uuid.js";
import { initialSnapshot, localThread, ofThread } from "../snapshot/initial.js";
import { savedSnapshot } from "../snapshot/save.js";

/** The snapshot of a thread with these options before anything happens. A server and the page that hydrates have the same one. */
export function firstSnapshot<State>(options: AgentOptions<State>): AgentSnapshot<State> {
  const { threadId = "", initialMessages, initialState } = options;
  // A copy, as the core has it: what the application does to its own is none of the agent's.
  const state = JSON.parse(toJson(initialState)) as State;
  return initialSnapshot(threadId, initialMessages, state, threadOf(options));
}

/** The thread at the server before it is opened. */
const threadOf = ({ thread, threadId }: Pick<AgentOptions, "thread" | "threadId">): AgentSnapshot["thread"] =>
  thread?.load ? { status: threadId === undefined ? "new" : "loading", hasOlder: false } : localThread;

/** The snapshot of a thread. */
export type Shown<State> = ReturnType<typeof createShown<State>>;

/** The snapshot of a new thread. `view`: what is shown of one of the core's; `changed` is called after every change. */
export function createShown<State>(
  options: AgentOptions<State>,
  first: AgentSnapshot<State>,
  view: (confirmed: AgentSnapshot<State>) => AgentSnapshot<State>,
  changed: (next: AgentSnapshot<State>) => void,
) {
  // Ids and randomness are drawn when they are first needed: an agent may be made in a prerender, which must be the same
  // every time.
  let { threadId } = options;
  const ownThreadId = (): string => (threadId ??= uuid());
  const unnamed = (): AgentSnapshot<State> => ({
    ...first,
    get threadId() {
      return ownThreadId();
    },
  });
  let snapshot = threadId === undefined ? unnamed() : first;
  let confirmed = snapshot;
  let bare = snapshot;
  const covers: Record<string, ((at: AgentSnapshot<State>) => AgentSnapshot<State>) | undefined> = {};

  /** Shows it anew. */
  const show = (): void => {
    const next = view(confirmed);
    if (next === bare) return;
    bare = snapshot = next;
    for (const fold of Object.values(covers)) snapshot = fold?.(snapshot) ?? snapshot;
    changed(snapshot);
  };

  return {
    ...{ first, show, threadId: ownThreadId },
    read: (): AgentSnapshot<State> => snapshot,
    /** The last snapshot of the core, of which not all is shown. */
    confirmed: (): AgentSnapshot<State> => confirmed,
    /** The snapshot when nothing has happened. */
    empty: (): AgentSnapshot<State> => ofThread(first, ownThreadId()),
    /** The snapshot of a save, whose thread this is from now on. */
    restored: (saved: SavedAgent): AgentSnapshot<State> => {
      threadId = saved.threadId;
      return savedSnapshot(saved);
    },
    /** The core has this. */
    publish: (next: AgentSnapshot<State>): void => {
      confirmed = next;
      show();
    },
    /** From the next change on, what is shown is what this makes of it; under each name one. */
    cover: (name: string, fold?: (at: AgentSnapshot<State>) => AgentSnapshot<State>): void => void (covers[name] = fold),
  };
}
