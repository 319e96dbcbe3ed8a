// The way back to a checkpoint: the thread becomes what it was.

import type { AgentSnapshot } from "../api/types.js";
import { toJson } from "../base/failure.js";
import { initialSnapshot } from "../snapshot/initial.js";
import type { Intent } from "./intent.js";

/** The change that makes a thread of that name what `then` shows. */
export function toFork<State>(threadId: string, then: AgentSnapshot<State>): Intent<State> {
  const { messages, toolCalls } = initialSnapshot("", then.messages);
  const interrupts = then.interrupts.map((interrupt) => ({ ...interrupt, answered: undefined }));
  const { state } = then;
  // As a save of that time: its calls have been executed, or never will be.
  const handled = then.toolCalls.map(({ id }) => id);
  const json = toJson({ v: 1, threadId, messages, state, interrupts, handled, unsent: [], queue: [] });
  const forked = { ...initialSnapshot<State>(threadId), messages, toolCalls, state, interrupts: then.interrupts };
  return { method: "fork", json, save: json, resets: true, fold: () => forked };
}
