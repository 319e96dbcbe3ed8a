// What the application changes by hand: messages, the state, submits that wait, and the way back to a checkpoint.

import type { Agent, Checkpoint, QueuedSubmit } from "../api/types.js";
import { toJson, unsupported } from "../base/failure.js";
import { messagesEdit, stateEdit } from "./edit.js";
import type { toFork } from "./fork.js";
import { toCoreInput, toSubmitInput } from "./input.js";
import type { Self } from "./self.js";

/** The id of a checkpoint. */
export const idOf = (checkpoint: Checkpoint | string): string => (typeof checkpoint === "string" ? checkpoint : checkpoint?.id);

type Client<State> = Pick<Self<State>, "link" | "history" | "read" | "saves" | "view" | "options" | "act">;

/** These methods of an agent. */
export function createEdits<State>(
  self: Client<State>,
  parts: () => { readonly toFork: typeof toFork } | undefined,
): Pick<Agent<State>, "editQueued" | "cancelQueued" | "setMessages" | "setState" | "fork"> {
  const { link, history, read, act } = self;

  /** The submit that waits under that id, if it still does. */
  const queued = (id: string): QueuedSubmit | undefined => {
    act();
    link.flush();
    return read().queue.find((waiting) => waiting.id === id);
  };

  const editQueued: Agent<State>["editQueued"] = (id, input) => {
    const waiting = queued(id);
    if (!waiting) return false;
    const { runId } = waiting;
    const long = toSubmitInput("editQueued", input);
    const { tools, pageTools, context, forwardedProps, own: named = [], ...core } = toCoreInput(self.options(), { ...long, runId }, read().interrupts);
    // What is not given stays as it was submitted.
    const given = {
      ...(long.tools && { tools, pageTools }),
      ...(long.context && { context }),
      ...(long.forwardedProps !== undefined && { forwardedProps }),
    };
    // It stays the same row of the page.
    const [message] = waiting.messages;
    const own = typeof input === "object" && typeof input.message === "object" && input.message.id;
    const messages = message && !own ? core.messages.map((edited) => ({ ...edited, id: message.id })) : core.messages;
    const json = toJson({ ...core, ...given, messages });
    if (link.open()) return link.now((session) => session.editQueued(Number(id), json)) ?? false;
    return link.queued(runId, (old) => ({ ...old, ...JSON.parse(json), own: [...(old.own ?? []), ...named] }));
  };

  const cancelQueued: Agent<State>["cancelQueued"] = (id) => {
    const waiting = queued(id);
    if (!waiting || self.view.holder()?.cancel(self.view, id)) return !!waiting;
    if (!link.open()) return link.queued(waiting.runId, () => undefined);
    link.now((session) => session.cancel(Number(id)));
    return true;
  };

  const setMessages: Agent<State>["setMessages"] = (next) => {
    act();
    const { messages } = read();
    link.edit(messagesEdit(messages, typeof next === "function" ? next(messages) : next, toJson));
  };

  const setState: Agent<State>["setState"] = (next) => {
    act();
    const { state } = read();
    link.edit(stateEdit(state, typeof next === "function" ? (next as (state: State) => State)(state) : next, toJson));
  };

  const fork = (checkpoint: Checkpoint | string): void => {
    act();
    const then = history.at(idOf(checkpoint));
    if (!then) {
      throw unsupported("checkpoint-unknown", `Unknown checkpoint ${idOf(checkpoint)}: only the newest limits.history are kept`);
    }
    // A checkpoint came with the core.
    link.reset(parts()!.toFork(read().threadId, then));
    self.saves.renew();
  };

  return { editQueued, cancelQueued, setMessages, setState, fork };
}
