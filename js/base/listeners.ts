import { call } from "./call.js";

/** Listeners. One that subscribes twice is called twice. */
export function createListeners() {
  const entries = new Set<{ readonly listener: () => void }>();
  return {
    /** Returns what ends the subscription. */
    subscribe: (listener: () => void): () => void => {
      const entry = { listener };
      entries.add(entry);
      return () => void entries.delete(entry);
    },
    /** Calls those that are subscribed. One that unsubscribes meanwhile is not called. */
    notify: (): void => {
      for (const entry of [...entries]) if (entries.has(entry)) call(entry.listener);
    },
    /** Whether there is one. */
    any: (): boolean => entries.size > 0,
    clear: (): void => entries.clear(),
  };
}
