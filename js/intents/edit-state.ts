// An edit of the state: as that of the messages, what it changes (src/thread/state.rs).

import { toJson } from "../base/failure.js";
import { edited, isPlain } from "../snapshot/edited.js";
import type { Intent } from "./intent.js";

/** The edit that has made one state of another. */
export function stateEdit<State>(before: State, after: State): Intent<State> {
  const [from, to] = changed(before, after);
  const json = toJson({ before: from, after: to });
  return { method: "editState", json, fold: (at) => ({ ...at, state: edited(before, after, at.state) as State }) };
}

/** The two values without the members of objects that are the same object or value in both. */
function changed(before: unknown, after: unknown): [unknown, unknown] {
  if (!isPlain(before) || !isPlain(after)) return [before, after];
  const entries = Object.entries(after).flatMap(([key, value]) => {
    if (!Object.hasOwn(before, key)) return [[key, undefined, value]] as const;
    return value === before[key] ? [] : [[key, ...changed(before[key], value)] as const];
  });
  const gone = Object.entries(before).filter(([key]) => !Object.hasOwn(after, key));
  const had = entries.filter(([key]) => Object.hasOwn(before, key)).map(([key, value]) => [key, value] as const);
  return [Object.fromEntries([...had, ...gone]), Object.fromEntries(entries.map(([key, , value]) => [key, value]))];
}
