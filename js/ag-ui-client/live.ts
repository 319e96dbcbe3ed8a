// The messages and the state of an agent, which a run brings up to date when they are read.

import type { Message, State } from "@ag-ui/core";

const held: unique symbol = Symbol("ag-ui-wasm.held");
const runs: unique symbol = Symbol("ag-ui-wasm.runs");

interface Shows {
  messages: Message[];
  state: State;
  [held]?: { messages?: Message[]; state?: State };
  /** Bring the agent up to date. */
  [runs]?: Set<() => void>;
}

/** Gives a prototype `messages` and `state` that can be assigned, and that {@link follow} brings up to date. */
export function showThread(prototype: Shows): void {
  for (const key of ["messages", "state"] as const) {
    Object.defineProperty(prototype, key, {
      configurable: true,
      enumerable: true,
      get(this: Shows) {
        this[runs]?.forEach((update) => update());
        return this[held]?.[key];
      },
      set(this: Shows, value: never) {
        (this[held] ??= {})[key] = value;
      },
    });
  }
}

/** Calls `update` before the messages or the state of an agent are read, until the function that it returns is called. */
export function follow(agent: Pick<Shows, "messages" | "state">, update: () => void): () => void {
  const updates = ((agent as Shows)[runs] ??= new Set());
  updates.add(update);
  return () => void updates.delete(update);
}
