// When an agent is saved.

import { later } from "../base/timer.js";

/** Saves an agent in time. */
export interface Keeper {
  /** Something has changed: it is saved after a while, or when the page is hidden. */
  touch(): void;
  /** Saves at once: what is given, or the agent as it is. `done` is called within a bounded time; `kept`: it is safe. */
  save(save?: string, done?: (kept: boolean) => void): void;
  /** Forgets what has changed. */
  stop(): void;
}

/** The agent as its keeper sees it. */
export interface KeeperClient {
  /** The agent as it is: JSON text. */
  read(): string;
  /** Writes a save, if the agent may. */
  write(save: string, done: (kept: boolean) => void): void;
  readonly everyMs: number;
}

/** A keeper that has nothing to save yet. */
export function createKeeper({ read, write, everyMs }: KeeperClient): Keeper {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let cost = 0;

  const page = typeof document === "object" ? document : undefined;
  const hide = ({ type }: Event): void => {
    if (type === "pagehide" || page?.visibilityState === "hidden") keeper.save();
  };
  const listen = (on: boolean): void => {
    if (!page) return;
    const change = on ? "addEventListener" : "removeEventListener";
    page[change]("visibilitychange", hide);
    globalThis[change]?.("pagehide", hide);
  };

  const keeper: Keeper = {
    touch: () => {
      if (timer !== undefined) return;
      // Of the time of a run, saves are worth a thirtieth.
      timer = later(Math.max(everyMs, 30 * cost), () => keeper.save());
      // Nothing of the page knows an agent that has nothing to save.
      listen(true);
    },
    save: (save, done = () => {}) => {
      keeper.stop();
      const begin = performance.now();
      write(save ?? read(), done);
      cost = performance.now() - begin;
    },
    stop: () => {
      if (timer === undefined) return;
      clearTimeout(timer);
      timer = undefined;
      listen(false);
    },
  };
  return keeper;
}
