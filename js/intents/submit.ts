// A submit: messages for the thread, and a run that answers them.

import type { AgentSnapshot, Message, ResumeEntry, ToolCall } from "../api/types.js";
import { toJson } from "../base/failure.js";
import { isPlain } from "../snapshot/edited.js";
import type { RunInput, RunIntent } from "./run.js";

/** The core's form of a submit. */
export interface CoreInput extends RunInput {
  messages: readonly Message[];
  state?: unknown;
  resume?: readonly ResumeEntry[] | undefined;
  replaces?: string | undefined;
  ifBusy: RunIntent<unknown>["ifBusy"];
  ifAwaiting?: "deny" | "wait" | "reject" | undefined;
}

/** Submits this; `calls`: those of the thread, for whose approval it may wait. */
export function submit<State>(core: CoreInput, calls: readonly ToolCall[]): RunIntent<State> {
  const { runId: id, ifBusy, ifAwaiting } = core;
  const waits = ifAwaiting === "wait" && calls.some(({ phase }) => phase === "awaiting-approval");
  return { id, method: "submit", json: toJson(core), ifBusy, waits, queued: true, fold: (at) => submitted(at, core) };
}

/** The messages are appended, or take the place of `replaces` and what follows it. Idempotent. */
export function submitted<State>(
  at: AgentSnapshot<State>,
  { messages, state, replaces }: Pick<CoreInput, "messages" | "state" | "replaces">,
): AgentSnapshot<State> {
  const cut = at.messages.findIndex((old) => old.id === replaces);
  const earlier = cut < 0 ? at.messages : at.messages.slice(0, cut);
  const added = messages.filter(({ id }) => !earlier.some((old) => old.id === id));
  return { ...at, messages: [...earlier, ...added], state: merge(at.state, state as State) };
}

/** Members of an object are merged, any other value replaces. */
function merge<State>(old: State, state: State | Partial<State> | undefined): State {
  if (state === undefined) return old;
  return [old, state].every(isPlain) ? { ...old, ...state } : (state as State);
}
