// Edits by the application: messages, the state, queued submits, and the way back to a checkpoint or to the beginning.

import type { Agent, AgentSnapshot, Checkpoint, QueuedSubmit } from "../api/types.js";
import { toJson, unsupported } from "../base/failure.js";
import { messagesEdit } from "../intents/edit-messages.js";
import { stateEdit } from "../intents/edit-state.js";
import type { Self } from "./self.js";
import { ofThread } from "./shown.js";

/** The id of a checkpoint. */
export const idOf = (checkpoint: Checkpoint | string): string => (typeof checkpoint === "string" ? checkpoint : checkpoint?.id);

type EditsClient<State> = Pick<Self<State>, "thread" | "first" | "read" | "view" | "options" | "act">;

/** These methods of an agent. */
export function createEdits<State>(
  self: EditsClient<State>,
): Pick<Agent<State>, "editQueued" | "cancelQueued" | "setMessages" | "setState" | "fork" | "reset"> {
  const { thread, read, act } = self;
  const { link, source } = thread;

  /** The submit that waits under that id, if it still does. */
  const queued = (id: string): QueuedSubmit | undefined => {
    act();
    link.live()?.flush();
    return read().queue.find((waiting) => waiting.id === id);
  };

  const editQueued: Agent<State>["editQueued"] = (id, input) => {
    const waiting = queued(id);
    // A queued submit came with the core, or waits for its attachments.
    return (waiting && source.parts()?.editQueued(self, waiting, input)) ?? false;
  };

  const cancelQueued: Agent<State>["cancelQueued"] = (id) => {
    const waiting = queued(id);
    if (!waiting || self.view.holder()?.cancel(self.view, id)) return !!waiting;
    return link.cancelQueued(waiting);
  };

  const setMessages: Agent<State>["setMessages"] = (next) => {
    act();
    const { messages } = read();
    link.edit(messagesEdit(messages, typeof next === "function" ? next(messages) : next));
  };

  const setState: Agent<State>["setState"] = (next) => {
    act();
    const { state } = read();
    link.edit(stateEdit(state, typeof next === "function" ? (next as (state: State) => State)(state) : next));
  };

  const fork = (checkpoint: Checkpoint | string): void => {
    act();
    const then = source.parts()?.history.at(idOf(checkpoint)) as AgentSnapshot<State> | undefined;
    if (!then) {
      throw unsupported("checkpoint-unknown", `Unknown checkpoint ${idOf(checkpoint)}`);
    }
    // A checkpoint came with the core.
    link.reset(source.parts()!.toFork(read().threadId, then));
    thread.saves.renew();
  };

  const reset = (): void => {
    act();
    self.view.holder()?.cancel(self.view);
    // Until the core has heard of it, checkpoints of the runs that it has ended may come.
    const resumeHistory = source.parts()?.history.clear();
    const { messages, state } = self.first;
    const json = toJson({ messages, state });
    link.reset({ method: "reset", json, fold: ({ threadId }) => ofThread(self.first, threadId) }, resumeHistory);
    thread.saves.renew();
  };

  return { editQueued, cancelQueued, setMessages, setState, fork, reset };
}
