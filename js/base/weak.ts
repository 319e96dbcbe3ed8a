// Lets an agent that nobody holds be collected, although a worker's port or a pool calls it.
//
// Whatever is called from outside of the page's heap gets `weakly(…)` of it (weakly.ts). While something is in progress of which the page has
// to hear (a request, a wait for the next attempt), it is in `retained`.

/** Objects that may not be collected although nothing may reference them: they have work to finish. */
export const retained = new Set<object>();

const registry = /* @__PURE__ */ new FinalizationRegistry<() => void>((end) => end());

/** Calls back when the object has been collected. `end` must not hold it. */
export function whenCollected(target: object, end: () => void): void {
  registry.register(target, end);
}
