// A thread is saved a while after it has changed, or when the page is hidden.

import { later } from "../base/timer.js";

export type Keeper = ReturnType<typeof createKeeper>;

/** A keeper of a thread that has not changed. `save` stops it. */
export function createKeeper(everyMs: number, save: () => void) {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let cost = 0;

  const due = (): void => {
    const begin = performance.now();
    save();
    cost = performance.now() - begin;
  };
  const page = typeof document === "object" ? document : undefined;
  const hide = ({ type }: Event): void => {
    if (type === "pagehide" || page?.visibilityState === "hidden") due();
  };
  /** Sets the time to save, or none. Nothing of the page knows a thread that has nothing to save. */
  const set = (next: typeof timer, change: "addEventListener" | "removeEventListener"): void => {
    clearTimeout(timer);
    timer = next;
    page?.[change]("visibilitychange", hide);
    if (page) globalThis[change]?.("pagehide", hide);
  };

  return {
    /** Something has changed. Of the time of a run, saves are worth a thirtieth. */
    touch: () => timer ?? set(later(Math.max(everyMs, 30 * cost), due), "addEventListener"),
    /** It is saved. */
    stop: () => timer && set(undefined, "removeEventListener"),
  };
}
