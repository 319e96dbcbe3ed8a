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
  // Nothing of the page knows a thread that has nothing to save.
  const listen = (change: "addEventListener" | "removeEventListener"): void => {
    page?.[change]("visibilitychange", hide);
    if (page) globalThis[change]?.("pagehide", hide);
  };

  return {
    /** Something has changed. */
    touch: (): void => {
      if (timer !== undefined) return;
      // Of the time of a run, saves are worth a thirtieth.
      timer = later(Math.max(everyMs, 30 * cost), due);
      listen("addEventListener");
    },
    /** It is saved. */
    stop: (): void => {
      if (timer === undefined) return;
      clearTimeout(timer);
      timer = undefined;
      listen("removeEventListener");
    },
  };
}
