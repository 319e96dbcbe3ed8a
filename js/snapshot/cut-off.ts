// How the page shows a run that was cut off, where the core cannot say so.

import type { AgentSnapshot, Delivery, Subagent } from "../api/types.js";
import { unanswered } from "./initial.js";
import { cancelled } from "./run.js";

/** Nothing in it continues. As the core has it after a run that did not end well (`Thread::end_run`). */
export function cutOff<State>(snapshot: AgentSnapshot<State>, delivery: Delivery): AgentSnapshot<State> {
  const { messages, toolCalls, steps, subagents } = snapshot;
  const error = (item: Subagent): Subagent => {
    const children = each(item.children, error);
    return runs(item) ? { ...item, status: "error", children } : children === item.children ? item : { ...item, children };
  };
  return {
    ...snapshot,
    messages: each(messages, (item) => (item.delivery === "streaming" ? { ...item, delivery } : item)),
    toolCalls: each(toolCalls, (call) => (runs(call) ? { ...call, status: "error", phase: "output-error", error: unanswered } : call)),
    steps: each(steps, (step) => (runs(step) ? { ...step, status: "error" } : step)),
    subagents: each(subagents, error),
  };
}

/** A run that is stopped; the partial answer stays. */
export function stopped<State>(at: AgentSnapshot<State>): AgentSnapshot<State> {
  return cancelled(cutOff(at, "aborted"));
}

const runs = ({ status }: { readonly status: string }): boolean => status === "running";

/** The list with each of them changed; the same list where that changes none. */
function each<Item>(list: readonly Item[], change: (item: Item) => Item): readonly Item[] {
  const next = list.map(change);
  return next.some((item, at) => item !== list[at]) ? next : list;
}
