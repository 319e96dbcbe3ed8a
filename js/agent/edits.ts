// Edits by the application: messages, the state, queued submits, and the way back to a checkpoint or to the beginning.

import type { Agent, Checkpoint, QueuedSubmit } from "../api/types.js";
import { ask } from "../base/call.js";
import { unsupported } from "../base/failure.js";
import { messagesEdit } from "../intents/edit-messages.js";
import { stateEdit } from "../intents/edit-state.js";
import { reset as toReset } from "../intents/reset.js";
import { queuedEdit } from "../intents/edit-queued.js";
import type { QueuedIntent } from "../intents/intent.js";
import { toCoreInput, toSubmitInput } from "./input.js";
import type { Self } from "./self.js";

/** The id of a checkpoint. */
export const idOf = (checkpoint: Checkpoint | string): string => (typeof checkpoint === "string" ? checkpoint : checkpoint?.id);

/** These methods of an agent. */
export function createEdits<State>(self: Self<State>): Pick<Agent<State>, "editQueued" | "cancelQueued" | "setMessages" | "setState" | "fork" | "reset"> {
  const { thread, read, act } = self;
  const { link, source } = thread;

  /** Changes the submit that waits under that id, or may, as the save is on its way; without an edit it is taken out. False if it no longer waits. */
  const change = (id: string, edit?: (row?: QueuedSubmit) => QueuedIntent<State>): boolean => {
    link.live()?.flush();
    const { home: { at, live }, pending, runs } = link.shared;
    const row = read().queue.find((each) => each.id === id);
    const run = [...runs].find((each) => each.id === id);
    // One that the page alone has stands in no queue yet, and one that waits for its files is only shown there.
    if (row ? row.attachments : run || at !== "awaited") return false;
    if (edit) link.apply(edit(row));
    else (live ?? pending).cancel(run ?? { id });
    // Nothing else has that written.
    if (!live) thread.saves.save();
    return true;
  };

  const editQueued: Agent<State>["editQueued"] = (id, input) => {
    act();
    return change(id, (row) => {
      const long = toSubmitInput("editQueued", input);
      const parts = source.parts();
      // The rest of it is changed at once.
      if (long.resume && !parts) source.loadParts().then(() => editQueued(id, input)).catch(() => {});
      const resume = long.resume && parts?.toResume(long.resume, read());
      const core = toCoreInput(self.options(), { ...long, runId: id }, resume);
      return queuedEdit(id, core, Object(long.message).id ? undefined : row?.messages[0]?.id);
    });
  };

  return {
    editQueued,
    cancelQueued: (id) => {
      act();
      return self.view.holder()?.cancel(self.view, id) || change(id);
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
