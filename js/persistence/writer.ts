// The writes of a store in this page, one after the other. Of several that wait only the last is made: it has what the others have.

import type { AgentStore } from "../api/saving.js";
import type { SavesKit } from "./open.js";
import type { Text } from "./record.js";

/** A save that is to be written. */
export interface Write {
  readonly store: AgentStore;
  /** JSON text. */
  readonly save: string;
  failed(cause: unknown): void;
  /** It is settled, or has hung for a while; `kept`: the save or its record is there. */
  done(kept: boolean): void;
}

export interface Writer {
  /** Writes after everything that was written before, by any thread of this page; a store that hangs is waited for so long. */
  write(write: Write, waitMs: number): void;
  /** Somebody who has ended writes once the store has answered. Returns what to call when that has begun, or never will. */
  promise(): () => void;
  /** Whether that is to come, or something is being written and does not hang; `ordered`: to a store where a read comes after it. */
  owes(ordered?: boolean): boolean;
  /** Does it once nothing is being written or to come, or it hangs. */
  whenDone(action: () => void): void;
}

/** Calls `done` once: when the result is called, or after so many milliseconds, in which case `hang` is called before. */
const within = (ms: number, done: (kept: boolean) => void, hang: () => void): (kept: boolean) => void => {
  let settled = false;
  const once = (kept: boolean): void => {
    clearTimeout(timer);
    if (!settled) done(kept);
    settled = true;
  };
  const timer = setTimeout(() => {
    hang();
    once(false);
  }, Math.min(ms, 1e9));
  return once;
};

/** The writer of a store to which nothing was written. `begun` and `ended` are called for each write. */
export function createWriter({ writeStore }: SavesKit, text: Text, begun: () => void, ended: () => void): Writer {
  let next: (Omit<Write, "done"> & { readonly done: readonly Write["done"][] }) | undefined;
  let writing = 0;
  let hangs = false;
  let promised = 0;
  const waiting: (() => void)[] = [];

  const owes = (ordered?: boolean): boolean => promised > 0 || (!ordered && writing > 0 && !hangs);
  const rest = (): void => {
    if (!owes()) { for (const action of waiting.splice(0)) action(); }
  };
  const start = (): void => {
    if (!next || (writing && !next.store.ordered)) return;
    const { store, save, failed, done } = next;
    next = undefined;
    writing++;
    begun();
    writeStore(store, text, save, (failure, kept) => {
      if (failure) failed(failure.cause);
      writing--;
      hangs = false;
      for (const each of done) each(kept);
      ended();
      start();
      rest();
    });
  };

  return {
    write: (write, waitMs) => {
      const hang = (): void => {
        hangs = true;
        rest();
      };
      const done = within(waitMs, write.done, hang);
      next = { ...write, done: [...(next?.done ?? []), done] };
      start();
      // A store that hangs is waited for once.
      if (hangs) done(false);
    },
    promise: () => {
      promised++;
      let over = false;
      return () => {
        if (!over) promised--;
        over = true;
        rest();
      };
    },
    owes,
    whenDone: (action) => {
      waiting.push(action);
      rest();
    },
  };
}
