// The snapshot of an agent: its thread, and with it the error of a call of this agent that could not be made, until something
// else is called.

import type { AgentError } from "../api/error.js";
import type { AgentSnapshot, SubmitHolder } from "../api/types.js";
import { expect } from "../base/failure.js";
import { createListeners } from "../base/listeners.js";

/** The snapshot of an agent, and its listeners. */
export interface View<State> {
  /** Returns the snapshot. */
  read(): AgentSnapshot<State>;
  /** The thread has changed. */
  changed(): void;
  /** Shows that a call could not be made, or, without an error, no longer shows it. */
  refuse(error?: AgentError): void;
  /** Shows submits that wait for their attachments, and who holds them; without both there are none. */
  hold(fold?: (at: AgentSnapshot<State>) => AgentSnapshot<State>, by?: SubmitHolder): void;
  /** Returns the holder of submits, if there is one. */
  holder(): SubmitHolder | undefined;
  /** Calls the listener after every change, until what this returns is called. */
  subscribe(listener: () => void): () => void;
  /** Whether it has a listener. */
  watched(): boolean;
  /** Calls no listener from now on. */
  close(): void;
}

/** The view of a thread, which `bare` gives. */
export function createView<State>(bare: () => AgentSnapshot<State>): View<State> {
  const { notify: changed, ...listeners } = createListeners();
  let refused: AgentError | undefined;
  let held: ((at: AgentSnapshot<State>) => AgentSnapshot<State>) | undefined;
  let holder: SubmitHolder | undefined;
  let shown: { readonly of: AgentSnapshot<State>; readonly snapshot: AgentSnapshot<State> } | undefined;

  return {
    read: () => {
      const of = bare();
      if (!refused && !held) return of;
      if (shown?.of === of) return shown.snapshot;
      const snapshot = refused ? { ...of, status: of.isLoading ? of.status : ("error" as const), error: refused } : of;
      shown = { of, snapshot: held?.(snapshot) ?? snapshot };
      return shown.snapshot;
    },
    changed,
    refuse: (error) => {
      if (error === refused) return;
      refused = error;
      shown = undefined;
      changed();
    },
    hold: (fold, by) => {
      held = fold;
      holder = by;
      shown = undefined;
      changed();
    },
    holder: () => holder,
    subscribe: (listener) => {
      expect("subscribe()", "function", listener);
      return listeners.subscribe(listener);
    },
    watched: listeners.any,
    close: listeners.clear,
  };
}
