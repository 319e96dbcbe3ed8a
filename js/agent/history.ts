// The checkpoints of an agent: which snapshot it was where a run or a step began or ended.

import type { AgentSnapshot } from "../api/types.js";

/** A boundary of a run or a step, at which `agent.at()` knows the snapshot. */
export interface Checkpoint {
  /** Names it within its agent. */
  readonly id: string;
  readonly kind: "run-started" | "run-finished" | "step-started" | "step-finished";
  readonly runId: string;
  /** Of a step. */
  readonly stepName?: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** What the core tells of one. */
export type Mark = Omit<Checkpoint, "id">;

/** The checkpoints that are kept, oldest first. */
export interface History<State> {
  readonly list: readonly Checkpoint[];
  at(id: string): AgentSnapshot<State> | undefined;
  add(mark: Mark, snapshot: AgentSnapshot<State>): void;
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
    add: (mark, snapshot) => {
      if (deaf) return;
      const id = String(++made);
      snapshots.set(id, snapshot);
      list = [...list, { id, ...mark }];
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
