import type { Notify } from "../api/types.js";

// No animation frames come to a page that is hidden, or that gets hidden while one is awaited.
const unseenMs = 100;
// Where there are no frames at all.
const frameMs = 16;

/** Decides when a change is published, in one of the ways of `notify`. */
export function createScheduler(notify: Notify = "frame", publish: () => void) {
  let cancel: (() => void) | undefined;
  let last = -Infinity;

  /** It has been published: nothing more to do. */
  const clear = (): void => {
    cancel?.();
    cancel = undefined;
    last = Date.now();
  };
  const fire = (): void => {
    clear();
    publish();
  };
  const later = (ms: number): () => void => {
    const timer = setTimeout(fire, ms);
    return () => clearTimeout(timer);
  };

  const wait = (large?: boolean): () => void => {
    if (typeof notify === "object") return later(Math.min(notify.throttleMs, last + notify.throttleMs - Date.now()));
    if (notify === "microtask" && !large) {
      let on = true;
      queueMicrotask(() => on && fire());
      return () => (on = false);
    }
    // Taken from the global object each time: tests and polyfills may replace them.
    const { document, requestAnimationFrame, cancelAnimationFrame } = globalThis;
    if (typeof requestAnimationFrame !== "function") return later(frameMs);
    const stop = later(unseenMs);
    if (document?.hidden) return stop;
    const id = requestAnimationFrame(fire);
    return () => {
      stop();
      cancelAnimationFrame(id);
    };
  };

  return {
    /** Publishes soon; once, however often it is asked. `large`: it takes long, so with the next frame at the earliest. */
    schedule: (large?: boolean): void => {
      if (notify === "sync" && !large) publish();
      else cancel ??= wait(large);
    },
    clear,
  };
}
