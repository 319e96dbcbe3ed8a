// Edits by the application: messages, the state, queued submits, and the way back to a checkpoint or to the beginning.

import type { Agent, Checkpoint } from "../api/types.js";
import { ask } from "../base/call.js";
import { unsupported } from "../base/failure.js";
import { messagesEdit } from "../intents/edit-messages.js";
import { stateEdit } from "../intents/edit-state.js";
import { reset as toReset } from "../intents/reset.js";
import type { Self } from "./self.js";

/** The id of a checkpoint. */
export const idOf = (checkpoint: Checkpoint | string): string => (typeof checkpoint === "string" ? checkpoint : checkpoint?.id);

type EditsClient<State> = Pick<Self<State>, "thread" | "first" | "read" | "view" | "options" | "act">;

/** These methods of an agent. */
export function createEdits<State>(
  self: EditsClient<State>,
): Pick<Agent<State>, "editQueued" | "cancelQueued" | "setMessages" | "setState" | "fork" | "reset"> {
  const { thread, read, act } = self;
  const { link, source } = thread;

  const editQueued: Agent<State>["editQueued"] = (id, input) => {
    act();
    // A queued submit came with the core, or waits for its attachments.
    return source.parts()?.editQueued(self, id, input) ?? false;
  };

  const cancelQueued: Agent<State>["cancelQueued"] = (id) => {
    act();
    return self.view.holder()?.cancel(self.view, id) || (source.parts()?.cancelQueued(self, id) ?? false);
  };

  const setMessages: Agent<State>["setMessages"] = (next) => {
    act();
    const { messages } = read();
    link.apply(messagesEdit(messages, ask(next, messages)));
  };

  const setState: Agent<State>["setState"] = (next) => {
    act();
    const { state } = read();
    link.apply(stateEdit(state, ask(next as State | ((old: State) => State), state)));
  };

  const fork = (checkpoint: Checkpoint | string): void => {
    act();
    const id = idOf(checkpoint);
    // A checkpoint came with the core.
    if (!source.parts()?.fork(self, id)) throw unsupported("checkpoint-unknown", `Unknown checkpoint ${id}`);
    thread.saves.renew();
  };

  const reset = (): void => {
    act();
    self.view.holder()?.cancel(self.view);
    // Until the core has heard of it, checkpoints of the runs that it has ended may come.
    const resumeHistory = source.parts()?.history.clear();
    link.reset(toReset(self.first, resumeHistory));
    thread.saves.renew();
  };

  return { editQueued, cancelQueued, setMessages, setState, fork, reset };
}
