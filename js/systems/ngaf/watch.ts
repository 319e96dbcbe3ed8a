// The watchers of the fields, and how they are notified: once for all that one read brings.

import type { Field, NgafEvent } from "./types.js";

export type NgafWatch = ReturnType<typeof createWatch>;

/** Nobody watches yet. */
export function createWatch() {
  // A listener that subscribes twice is called twice.
  const watchers = new Set<{ notify(): void }>();
  const listeners = new Set<{ listener: (event: NgafEvent) => void }>();
  let scheduled = false;
  let closed = false;

  const notify = (): void => {
    scheduled = false;
    for (const watcher of [...watchers]) if (watchers.has(watcher)) watcher.notify();
  };
  const subscribe = (listener: () => void): () => void => {
    const watcher = { notify: listener };
    watchers.add(watcher);
    return () => void watchers.delete(watcher);
  };

  return {
    /** Something has changed. */
    changed: (): void => {
      if (closed || scheduled || !watchers.size) return;
      scheduled = true;
      queueMicrotask(notify);
    },
    field: <Value>(get: () => Value): Field<Value> => ({
      get,
      subscribe: (listener) => {
        let last = get();
        return subscribe(() => {
          const value = get();
          if (Object.is(value, last)) return;
          last = value;
          listener(value);
        });
      },
    }),
    subscribe,
    /** Tells the listeners of `events$`. */
    emit: (event: NgafEvent): void => {
      for (const entry of [...listeners]) if (listeners.has(entry)) entry.listener(event);
    },
    listen: (listener: (event: NgafEvent) => void): () => void => {
      const entry = { listener };
      listeners.add(entry);
      return () => void listeners.delete(entry);
    },
    /** Nobody is notified any longer. */
    close: (): void => {
      closed = true;
      watchers.clear();
      listeners.clear();
    },
  };
}
