// The lock of a store, which one thread of the origin has.

import { lockManager, requestLock } from "../base/locks.js";
import { inPage } from "../base/place.js";

/** Lets a lock go. */
export type Free = () => void;

/**
 * Waits for the lock of a store, where the platform has locks that decide between tabs about a store of this key. Resolves once this
 * page has it, or to nothing where the page may not have it.
 */
export const takeLock = (key: string | undefined): Promise<Free | undefined> | undefined =>
  key !== undefined && inPage() && lockManager()
    ? new Promise((resolve) => requestLock(`ag-ui-wasm:${key}`, () => new Promise<void>(resolve)).catch(() => resolve(undefined)))
    : undefined;
