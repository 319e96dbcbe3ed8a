// Edits of what only the core brings: a submit that waits, a checkpoint.

import type { Agent, AgentSnapshot, QueuedSubmit } from "../api/types.js";
import { changeQueued, hasQueued } from "../core/queued.js";
import { cancel } from "../intents/cancel.js";
import { queuedEdit } from "../intents/edit-queued.js";
import { toFork } from "../intents/fork.js";
import type { QueuedIntent } from "../intents/intent.js";
import { toCoreInput, toSubmitInput } from "./input.js";
import type { Self } from "./self.js";

type Editing<State> = Pick<Self<State>, "thread" | "options">;

/** The submit that waits under that id, as it is. */
function rowOf<State>({ thread: { link, read } }: Editing<State>, id: string): QueuedSubmit | undefined {
  link.live()?.flush();
  return read().queue.find((row) => row.id === id);
}

/** Changes it as this says. Where there is no session, nothing else has that written. */
function change<State>({ thread: { link, saves } }: Editing<State>, id: string, next?: QueuedIntent<State>): boolean {
  const changed = changeQueued(link.shared, id, next);
  if (changed) saves.save();
  return changed;
}

/** Takes the submit that waits out of the queue. False if it no longer waits. */
export function cancelQueued<State>(self: Editing<State>, id: string): boolean {
  const row = rowOf(self, id);
  const live = self.thread.link.live();
  if (!live) return change(self, id);
  // Also where the session is lost over it.
  if (row) live.apply(cancel(id, self.thread.read()));
  return !!row;
}

/** Gives the submit that waits another input. False if it no longer waits. */
export function editQueued<State>(self: Editing<State>, id: string, input: Parameters<Agent<State>["editQueued"]>[1]): boolean {
  const { link, source, read } = self.thread;
  const row = rowOf(self, id);
  if (!(link.live() ? row : hasQueued(link.shared, id))) return false;
  const long = toSubmitInput("editQueued", input);
  const resume = long.resume && source.parts()?.toResume(long.resume, read());
  const { tools, pageTools, context, forwardedProps, ...core } = toCoreInput(self.options(), { ...long, runId: id }, resume);
  // Absent members stay as they were submitted.
  const replaced = {
    ...(long.tools && { tools, pageTools }),
    ...(long.context && { context }),
    ...(long.forwardedProps !== undefined && { forwardedProps }),
  };
  const hasId = typeof input === "object" && typeof input.message === "object" && input.message.id;
  /** It stays the same row of the page. */
  const edit = ([message]: QueuedSubmit["messages"] = []): QueuedIntent<State> => {
    const messages = message && !hasId ? core.messages.map((edited) => ({ ...edited, id: message.id })) : core.messages;
    return queuedEdit(id, { ...core, ...replaced, messages });
  };
  const intent = edit(row?.messages);
  const live = link.live();
  if (!live) return change(self, id, { ...intent, waiting: (old) => edit(old.messages).waiting(old) });
  live.apply(intent);
  return true;
}

/** Makes the thread what it was at that checkpoint. False if it is not known. */
export function fork<State>({ thread: { link, source, read } }: Editing<State>, checkpoint: string): boolean {
  const then = source.parts()!.history.at(checkpoint) as AgentSnapshot<State> | undefined;
  if (then) link.reset(toFork(read().threadId, then));
  return !!then;
}
