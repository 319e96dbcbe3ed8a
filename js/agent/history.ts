// The checkpoints of an agent: which snapshot it was where a run or a step began or ended.

import type { AgentSnapshot, Checkpoint } from "../api/snapshot.js";
import type { Mark } from "../snapshot/mirror.js";

/** The checkpoints that are kept, oldest first. */
export interface History<State> {
  readonly list: readonly Checkpoint[];
  at(id: string): AgentSnapshot<State> | undefined;
  readonly add: Mark<AgentSnapshot<State>>;
  /** Forgets all, and all that come until what it returns is called. */
  clear(): () => void;
}

/** A history of at most so many checkpoints. */
export function createHistory<State>(limit = 100): History<State> {
  // Snapshots are made when they are asked for.
  const entries = new Map<string, { readonly checkpoint: Checkpoint; readonly then: () => AgentSnapshot<State> }>();
  let list: readonly Checkpoint[] | undefined;
  let made = 0;
  let clearing = 0;

  return {
    get list() {
      return (list ??= [...entries.values()].map(({ checkpoint }) => checkpoint));
    },
    at: (id) => entries.get(id)?.then(),
    add: (data, then) => {
      if (clearing) return;
      const id = String(++made);
      entries.set(id, { checkpoint: { id, ...data }, then });
      list = undefined;
      if (entries.size > limit) entries.delete(entries.keys().next().value!);
    },
    clear: () => {
      entries.clear();
      list = undefined;
      clearing++;
      return () => void clearing--;
    },
  };
}
