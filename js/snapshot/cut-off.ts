// How the page shows a run that was cut off, where the core cannot say so.

import type { AgentSnapshot, Delivery, Subagent } from "../api/types.js";
import { unanswered } from "./initial.js";
import { cancelled } from "./run.js";

/** Nothing in it continues. As the core has it after a run that did not end well (`Thread::end_run`). */
export function cutOff<State>(snapshot: AgentSnapshot<State>, delivery: Delivery): AgentSnapshot<State> {
  const { messages, toolCalls, steps, subagents } = snapshot;
  const error = (item: Subagent): Subagent => {
    const children = each(item.children, () => true, error);
    return item.status === "running" ? { ...item, status: "error", children } : children === item.children ? item : { ...item, children };
  };
  return {
    ...snapshot,
    messages: each(messages, (item) => item.delivery === "streaming", (item) => ({ ...item, delivery })),
    toolCalls: each(toolCalls, runs, (call) => ({ ...call, status: "error", phase: "output-error", error: unanswered })),
    steps: each(steps, runs, (step) => ({ ...step, status: "error" })),
    subagents: each(subagents, () => true, error),
  };
}

/** A run that is stopped; the partial answer stays. */
export function stopped<State>(at: AgentSnapshot<State>): AgentSnapshot<State> {
  return cancelled(cutOff(at, "aborted"));
}

const runs = ({ status }: { readonly status: string }): boolean => status === "running";

/** The list with those changed that `is` says; the same list where that changes none. */
function each<Item>(list: readonly Item[], is: (item: Item) => boolean, change: (item: Item) => Item): readonly Item[] {
  const next = list.map((item) => (is(item) ? change(item) : item));
  return next.some((item, at) => item !== list[at]) ? next : list;
}
