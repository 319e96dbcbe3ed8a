// An edit of the state: as that of the messages, what it changes (src/thread/state.rs).

import { expectJson, toJson } from "../base/failure.js";
import { edited, isPlain } from "../snapshot/edited.js";
import type { Intent } from "./intent.js";

/** The edit that has made one state of another. */
export function stateEdit<State>(before: State, after: State): Intent<State> {
  expectJson("setState()", after);
  const [from, to] = changed(before, after);
  const json = toJson({ before: from, after: to });
  return { method: "editState", json, fold: (at) => ({ ...at, state: edited(before, after, at.state) as State }) };
}

/** The two values without the members of objects that are the same object or value in both. */
function changed(before: unknown, after: unknown): [unknown, unknown] {
  if (!isPlain(before) || !isPlain(after)) return [before, after];
  const from = Object.entries(before).filter(([key]) => !Object.hasOwn(after, key));
  const to: [string, unknown][] = [];
  for (const [key, value] of Object.entries(after)) {
    const had = Object.hasOwn(before, key);
    if (had && value === before[key]) continue;
    const [old, made] = had ? changed(before[key], value) : [undefined, value];
    if (had) from.push([key, old]);
    to.push([key, made]);
  }
  return [Object.fromEntries(from), Object.fromEntries(to)];
}
