// Edits by the application: messages, the state, queued submits, and the way back to a checkpoint or to the beginning.

import type { Agent, Checkpoint } from "../api/types.js";
import { ask } from "../base/call.js";
import { unsupported } from "../base/failure.js";
import { messagesEdit } from "../intents/edit-messages.js";
import { stateEdit } from "../intents/edit-state.js";
import { reset as toReset } from "../intents/reset.js";
import { takenOut } from "../intents/run.js";
import type { Self } from "./self.js";

/** The id of a checkpoint. */
export const idOf = (checkpoint: Checkpoint | string): string => (typeof checkpoint === "string" ? checkpoint : checkpoint?.id);

/** These methods of an agent. */
export function createEdits<State>(self: Self<State>): Pick<Agent<State>, "editQueued" | "cancelQueued" | "setMessages" | "setState" | "fork" | "reset"> {
  const { thread, read, act } = self;
  const { link, source } = thread;

  /** A submit that waits is changed by code that comes before the core: until then the change waits, where there is a save that may have it. */
  const change = (by: (parts: NonNullable<ReturnType<typeof source.parts>>) => boolean): boolean => {
    act();
    const parts = source.parts();
    if (parts) return by(parts);
    if (!link.shared.home.at) return false;
    source.loadParts().then(by).catch(() => {});
    return true;
  };

  return {
    editQueued: (id, input) => change((parts) => parts.editQueued(self, id, input)),
    cancelQueued: (id) => {
      act();
      if (self.view.holder()?.cancel(self.view, id)) return true;
      if (source.parts() || !read().queue.some((row) => row.id === id)) return change((parts) => parts.cancelQueued(self, id));
      // One of a save that is shown. The page may be left before any code has come.
      link.shared.pending.add(takenOut(id));
      return true;
    },
    setMessages: (next) => {
      act();
      const { messages } = read();
      link.apply(messagesEdit(messages, ask(next, messages)));
    },
    setState: (next) => {
      act();
      const { state } = read();
      link.apply(stateEdit(state, ask(next as State | ((old: State) => State), state)));
    },
    fork: (checkpoint) => {
      act();
      const id = idOf(checkpoint);
      // A checkpoint came with the core.
      if (!source.parts()?.fork(self, id)) throw unsupported("checkpoint-unknown", `Unknown checkpoint ${id}`);
      thread.saves.renew();
    },
    reset: () => {
      act();
      self.view.holder()?.cancel(self.view);
      // Until the core has heard of it, checkpoints of the runs that it has ended may come.
      const resumeHistory = source.parts()?.history.clear();
      link.reset(toReset(self.first, resumeHistory));
      thread.saves.renew();
    },
  };
}
