// The lock of a store, which one thread of the origin has.

import { inPage } from "../base/place.js";

/** Lets a lock go. */
export type Free = () => void;

/**
 * Waits for the lock of a store, where the platform has locks that decide between tabs about a store of this key. Resolves once this
 * page has it, or to nothing where the page may not have it.
 */
export function takeLock(key: string | undefined): Promise<Free | undefined> | undefined {
  let locks: LockManager | undefined;
  try {
    locks = key === undefined || !inPage() ? undefined : navigator.locks;
  } catch {
    // The page may have none.
  }
  const ask = (have: (free: Free) => void, refuse: () => void): void => {
    locks!.request(`ag-ui-wasm:${key}`, () => new Promise<void>(have)).catch(refuse);
  };
  return locks && new Promise(ask).catch(() => undefined);
}
