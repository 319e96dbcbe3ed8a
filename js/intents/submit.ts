// A submit.

import type { AgentSnapshot, Message } from "../api/types.js";

/** The part of a submit that the snapshot shows. */
interface Submitted {
  readonly messages: readonly Message[];
  readonly state?: unknown;
  readonly replaces?: string | undefined;
}

/** A submit: the messages are appended, or take the place of `replaces` and what follows it. Idempotent. */
export function submitted<State>(
  at: AgentSnapshot<State>,
  { messages, state, replaces }: Submitted,
): AgentSnapshot<State> {
  const cut = at.messages.findIndex((old) => old.id === replaces);
  const earlier = cut < 0 ? at.messages : at.messages.slice(0, cut);
  const added = messages.filter(({ id }) => !earlier.some((old) => old.id === id));
  return { ...at, messages: [...earlier, ...added], state: merge(at.state, state as State) };
}

/** Members of an object are merged, any other value replaces. */
function merge<State>(old: State, state: State | Partial<State> | undefined): State {
  if (state === undefined) return old;
  const mergeable = [old, state].every((value) => typeof value === "object" && value && !Array.isArray(value));
  return mergeable ? { ...old, ...state } : (state as State);
}
