// What is shown of an agent, and to whom: the thread as the core or the link to it has it, and with it the error of a call that
// could not be made, until something else is called.

import type { AgentError } from "../api/error.js";
import type { SavedAgent } from "../api/saving.js";
import type { AgentOptions, AgentSnapshot, QueuedSubmit, SubmitHolder } from "../api/types.js";
import { call } from "../base/call.js";
import { toJson, unfit } from "../base/failure.js";
import { lazily } from "../base/lazy.js";
import { uuid } from "../base/uuid.js";
import { initialSnapshot } from "../snapshot/initial.js";
import { savedSnapshot } from "../snapshot/save.js";

/** The snapshot of an agent, and its listeners. */
export interface View<State> {
  /** What the agent shows before anything happens. A server and the page that hydrates have the same one. */
  readonly first: AgentSnapshot<State>;
  /** What is shown. */
  read(): AgentSnapshot<State>;
  /** The same without a call that was refused. */
  bare(): AgentSnapshot<State>;
  threadId(): string;
  /** The snapshot of that thread when nothing has happened in it. */
  empty(threadId?: string): AgentSnapshot<State>;
  /** The snapshot of a save, whose thread is the agent's from now on. */
  restored(saved: SavedAgent): AgentSnapshot<State>;
  publish(next: AgentSnapshot<State>): void;
  /** Shows that a call could not be made, or, without an error, no longer shows it. */
  refuse(error?: AgentError): void;
  /** Shows submits that wait for their attachments after the queue, and who holds them; without both there are none. */
  hold(queue?: readonly QueuedSubmit[], by?: SubmitHolder): void;
  /** Who holds submits, if somebody does. */
  holder(): SubmitHolder | undefined;
  /** Calls the listener after every change, until what this returns is called. */
  subscribe(listener: () => void): () => void;
  /** Whether it has a listener. */
  watched(): boolean;
  /** Calls no listener from now on. */
  close(): void;
}

/** The view of a new agent. `changed` is called before the listeners. */
export function createView<State>(given: AgentOptions<State>, changed: (next: AgentSnapshot<State>) => void): View<State> {
  // Ids and randomness are drawn when they are first needed: an agent may be made in a prerender, which must be the same
  // every time.
  let { threadId } = given;
  const ownThreadId = (): string => (threadId ??= uuid());
  // A server and the page that hydrates have the same one only if the application gives it.
  // A copy, as the core has it: what the application does to its own is none of the agent's.
  const state = given.initialState === undefined ? undefined : (JSON.parse(toJson(given.initialState)) as State);
  const first = initialSnapshot(threadId ?? "", given.initialMessages, state);
  let bare: AgentSnapshot<State> = threadId === undefined ? lazily({ ...first }, "threadId", ownThreadId) : first;
  let snapshot = bare;
  // A listener that subscribes twice is called twice.
  const listeners = new Set<{ readonly listener: () => void }>();
  let refused: AgentError | undefined;
  let held: readonly QueuedSubmit[] | undefined;
  let holder: SubmitHolder | undefined;

  const show = (): void => {
    const status = bare.isLoading ? bare.status : "error";
    snapshot = refused ? { ...bare, status, error: refused } : bare;
    if (held) snapshot = { ...snapshot, queue: [...bare.queue, ...held] };
    for (const entry of [...listeners]) if (listeners.has(entry)) call(entry.listener);
  };

  return {
    first,
    read: () => snapshot,
    bare: () => bare,
    subscribe: (listener) => {
      if (typeof listener !== "function") throw unfit("subscribe()", "a function", listener);
      const entry = { listener };
      listeners.add(entry);
      return () => void listeners.delete(entry);
    },
    watched: () => listeners.size > 0,
    close: () => listeners.clear(),
    threadId: ownThreadId,
    empty: (id = ownThreadId()) => (id === first.threadId ? first : { ...first, threadId: id }),
    restored: (saved) => {
      threadId = saved.threadId;
      return savedSnapshot(saved);
    },
    publish: (next) => {
      if (next === bare) return;
      bare = next;
      changed(next);
      show();
    },
    refuse: (error) => {
      if (error === refused) return;
      refused = error;
      show();
    },
    hold: (queue, by) => {
      held = queue;
      holder = by;
      show();
    },
    holder: () => holder,
  };
}
