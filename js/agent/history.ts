// The checkpoints of an agent: which snapshot it was where a run or a step began or ended.

import type { AgentSnapshot, Checkpoint } from "../api/snapshot.js";
import type { CheckpointData } from "../snapshot/mirror.js";

/** The checkpoints that are kept, oldest first. */
export interface History<State> {
  readonly list: readonly Checkpoint[];
  at(id: string): AgentSnapshot<State> | undefined;
  add(data: CheckpointData, snapshot: AgentSnapshot<State>): void;
  /** Forgets all, and all that come until what it returns is called. */
  clear(): () => void;
}

/** A history of at most so many checkpoints. */
export function createHistory<State>(limit: number): History<State> {
  // Snapshots share what did not change, so that one costs little more than what changed since the one before.
  const snapshots = new Map<string, AgentSnapshot<State>>();
  let list: readonly Checkpoint[] = [];
  let made = 0;
  let deaf = 0;

  return {
    get list() {
      return list;
    },
    at: (id) => snapshots.get(id),
    add: (data, snapshot) => {
      if (deaf) return;
      const id = String(++made);
      snapshots.set(id, snapshot);
      list = [...list, { id, ...data }];
      while (list.length > limit) {
        snapshots.delete(list[0]!.id);
        list = list.slice(1);
      }
    },
    clear: () => {
      snapshots.clear();
      list = [];
      deaf++;
      return () => void deaf--;
    },
  };
}
