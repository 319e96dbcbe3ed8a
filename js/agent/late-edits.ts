// Edits of what only the core brings: a submit that waits, a checkpoint.

import type { Agent, AgentSnapshot, QueuedSubmit } from "../api/types.js";
import { cancel } from "../intents/cancel.js";
import { queuedEdit } from "../intents/edit-queued.js";
import { toFork } from "../intents/fork.js";
import type { QueuedIntent } from "../intents/intent.js";
import type { Saved } from "../snapshot/save.js";
import { toCoreInput, toSubmitInput } from "./input.js";
import type { Self } from "./self.js";

type Editing<State> = Pick<Self<State>, "thread" | "options">;

/** The submit that waits under that id, if it still does. One of the save that the next session begins with may not be shown. */
function waitingAs<State>({ thread: { link, read } }: Editing<State>, id: string): Pick<QueuedSubmit, "messages"> | undefined {
  link.live()?.flush();
  const { at, last } = link.shared.home;
  const saved = (): Saved["queue"] => (at === "saved" && JSON.parse(last).queue) || [];
  return read().queue.find((waiting) => waiting.id === id) ?? saved().find(({ runId }) => runId === id);
}

/** Changes it. Where there is no session, nothing else has that written. */
function change<State>({ thread: { link, saves } }: Editing<State>, intent: QueuedIntent<State>): boolean {
  const changed = link.queued(intent);
  if (changed && !link.live()) saves.save();
  return changed;
}

/** Takes the submit that waits out of the queue. False if it no longer waits. */
export function cancelQueued<State>(self: Editing<State>, id: string): boolean {
  const waiting = waitingAs(self, id);
  return !!waiting && change(self, cancel(id, self.thread.read()));
}

/** Gives the submit that waits another input. False if it no longer waits. */
export function editQueued<State>(self: Editing<State>, id: string, input: Parameters<Agent<State>["editQueued"]>[1]): boolean {
  const waiting = waitingAs(self, id);
  if (!waiting) return false;
  const long = toSubmitInput("editQueued", input);
  const resume = long.resume && self.thread.source.parts()?.toResume(long.resume, self.thread.read());
  const { tools, pageTools, context, forwardedProps, ...core } = toCoreInput(self.options(), { ...long, runId: id }, resume);
  // Absent members stay as they were submitted.
  const replaced = {
    ...(long.tools && { tools, pageTools }),
    ...(long.context && { context }),
    ...(long.forwardedProps !== undefined && { forwardedProps }),
  };
  // It stays the same row of the page.
  const [message] = waiting.messages;
  const hasId = typeof input === "object" && typeof input.message === "object" && input.message.id;
  const messages = message && !hasId ? core.messages.map((edited) => ({ ...edited, id: message.id })) : core.messages;
  return change(self, queuedEdit(id, { ...core, ...replaced, messages }));
}

/** Makes the thread what it was at that checkpoint. False if it is not known. */
export function fork<State>({ thread: { link, source, read } }: Editing<State>, checkpoint: string): boolean {
  const then = source.parts()!.history.at(checkpoint) as AgentSnapshot<State> | undefined;
  if (then) link.reset(toFork(read().threadId, then));
  return !!then;
}
