// The snapshot of an agent: its thread, and with it the error of a call of this agent that could not be made, until something
// else is called.

import type { AgentError } from "../api/error.js";
import type { AgentSnapshot, SubmitHolder } from "../api/types.js";
import { expect } from "../base/failure.js";
import { createListeners } from "../base/listeners.js";

/** The snapshot of an agent, and its listeners. */
export type View<State> = ReturnType<typeof createView<State>>;

/** The view of a thread, which `bare` gives. */
export function createView<State>(bare: () => AgentSnapshot<State>) {
  const { notify: changed, ...listeners } = createListeners();
  let refused: AgentError | undefined;
  let held: ((at: AgentSnapshot<State>) => AgentSnapshot<State>) | undefined;
  let holder: SubmitHolder | undefined;
  // The last snapshot of the thread, and what is shown of it.
  let shown: readonly [AgentSnapshot<State>, AgentSnapshot<State>] | undefined;
  const change = (): void => {
    shown = undefined;
    changed();
  };

  return {
    read: (): AgentSnapshot<State> => {
      const of = bare();
      if (shown?.[0] !== of) {
        const at = refused ? { ...of, status: of.isLoading ? of.status : ("error" as const), error: refused } : of;
        shown = [of, held?.(at) ?? at];
      }
      return shown[1];
    },
    /** The thread has changed. */
    changed,
    /** Shows that a call could not be made, or, without an error, no longer shows it. */
    refuse: (error?: AgentError): void => {
      if (error === refused) return;
      refused = error;
      change();
    },
    /** Shows submits that wait for their attachments, and who holds them; without both there are none. */
    hold: (fold?: (at: AgentSnapshot<State>) => AgentSnapshot<State>, by?: SubmitHolder): void => {
      held = fold;
      holder = by;
      change();
    },
    /** Returns the holder of submits, if there is one. */
    holder: (): SubmitHolder | undefined => holder,
    /** Calls the listener after every change, until what this returns is called. */
    subscribe: (listener: () => void): () => void => {
      expect("subscribe()", "function", listener);
      return listeners.subscribe(listener);
    },
    /** Whether it has a listener. */
    watched: listeners.any,
    /** Calls no listener from now on. */
    close: listeners.clear,
  };
}
