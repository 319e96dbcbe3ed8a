// The lock of a store, which one tab of the origin has.

import { lockManager } from "../base/locks.js";
import { inPage } from "../base/place.js";

/** The platform's locks, where they decide between tabs about a store of this key. */
export const locksFor = (key: string | undefined): LockManager | undefined => (key !== undefined && inPage() ? lockManager() : undefined);

/** Lets a lock go. */
export type Free = () => void;

/**
 * Asks for the lock of a store, where there are locks. Resolves once this page has it; without `Free` if another tab has it, unless this one
 * `waits` for its turn.
 */
export const takeLock = (key: string | undefined, waits = false): Promise<Free | undefined> | undefined => {
  const locks = locksFor(key);
  return locks && new Promise((resolve) => {
    const had = (lock: Lock | null): Promise<void> | void => (lock ? new Promise((free) => resolve(free)) : resolve(undefined));
    const ask = async (): Promise<void> => locks.request(`ag-ui-wasm:${key}`, { ifAvailable: !waits }, had);
    // An origin that may not have locks: one page at a time is all that can be seen to.
    ask().catch(() => resolve(() => {}));
  });
};
