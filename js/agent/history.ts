// The checkpoints of an agent: which snapshot it was where a run or a step began or ended.

import type { AgentSnapshot, Checkpoint } from "../api/snapshot.js";
import type { Mark } from "../snapshot/mirror.js";

/** A history of at most so many checkpoints. */
export function createHistory(limit = 100) {
  // Snapshots are made when they are asked for.
  const entries = new Map<string, { readonly checkpoint: Checkpoint; readonly then: () => AgentSnapshot }>();
  let list: readonly Checkpoint[] | undefined;
  let made = 0;
  let clearing = 0;

  return {
    /** The checkpoints that are kept, oldest first. */
    get list(): readonly Checkpoint[] {
      return (list ??= [...entries.values()].map(({ checkpoint }) => checkpoint));
    },
    at: (id: string): AgentSnapshot | undefined => entries.get(id)?.then(),
    add: (...[data, then]: Parameters<Mark<AgentSnapshot>>): void => {
      if (clearing) return;
      const id = String(++made);
      entries.set(id, { checkpoint: { id, ...data }, then });
      list = undefined;
      if (entries.size > limit) entries.delete(entries.keys().next().value!);
    },
    /** Forgets all, and all that come until what it returns is called. */
    clear: (): () => void => {
      entries.clear();
      list = undefined;
      clearing++;
      return () => void clearing--;
    },
  };
}
