// A change of a submit that waits.

import type { Agent, QueuedSubmit } from "../api/types.js";
import { toJson } from "../base/failure.js";
import { toCoreInput, toSubmitInput } from "./input.js";
import type { Self } from "./self.js";

/** Gives the submit that waits another input. False if it no longer waits. */
export function editQueued<State>(
  self: Pick<Self<State>, "thread" | "read" | "options">,
  waiting: QueuedSubmit,
  input: Parameters<Agent<State>["editQueued"]>[1],
): boolean {
  const { link } = self.thread;
  const { runId } = waiting;
  const long = toSubmitInput("editQueued", input);
  const resume = long.resume && self.thread.source.parts()?.toResume(long.resume, self.read());
  const { tools, pageTools, context, forwardedProps, own: explicit = [], ...core } = toCoreInput(self.options(), { ...long, runId }, resume);
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
  const changed = { ...core, ...replaced, messages };
  const live = link.live();
  if (live) return live.call("editQueued", toJson({ ...changed, ticket: Number(waiting.id) })) ?? false;
  const json = toJson(changed);
  return link.queued(runId, (old) => ({ ...old, ...JSON.parse(json), own: [...(old.own ?? []), ...explicit] }));
}
