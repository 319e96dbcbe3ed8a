// The worker's snapshot beside the one that is shown.

import { keep } from "../snapshot/mirror.js";
import type { AgentSnapshot } from "../api/types.js";

/** Values that came as they were shown stay the same objects. */
export function keepShown<State>(shown: AgentSnapshot<State>, next: AgentSnapshot<State>): AgentSnapshot<State> {
  const messages = keepItems(shown.messages, next.messages);
  const toolCalls = keepItems(shown.toolCalls, next.toolCalls);
  const state = keepCopy(shown.state, next.state);
  const same = messages === next.messages && toolCalls === next.toolCalls && state === next.state;
  return same ? next : { ...next, messages, toolCalls, state };
}

/** As `keep`, of values that others may hold. */
function keepCopy<Value>(old: Value, value: Value): Value {
  return old === value ? value : (keep(old, JSON.parse(JSON.stringify(value) ?? "null")) as Value);
}

function keepItems<Item>(old: readonly Item[], items: readonly Item[]): readonly Item[] {
  if (old === items) return items;
  const next = items.map((item, at) => (at < old.length ? keepCopy(old[at]!, item) : item));
  return next.length === old.length && next.every((item, at) => item === old[at]) ? old : next;
}
