/** The platform's Web Locks. `undefined` where there are none, or a page may not have them. */
export function lockManager(): LockManager | undefined {
  try {
    return globalThis.navigator?.locks;
  } catch {
    return undefined;
  }
}

/** Asks for a lock. Rejects where it cannot be had. */
export async function requestLock(name: string, granted: () => unknown): Promise<void> {
  await navigator.locks.request(name, granted);
}
