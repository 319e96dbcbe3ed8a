// What the platform calls in the core: timers and promises. Nothing above them would see the core trap.

import type { Host } from "../glue/core.js";

/** A host as its owner writes it. */
export type WatchfulHost = Omit<Host, "watch"> & {
  /** The core has trapped: its session is lost. */
  lost(trap: unknown): void;
};

/**
 * The host that the core gets: reports traps in callbacks of the platform to `lost`. What it makes holds nothing but the
 * given methods.
 */
export function watched({ lost, ...host }: WatchfulHost): Host {
  const watch =
    (callback: (value?: unknown) => void) =>
    (value?: unknown): void => {
      try {
        callback(value);
      } catch (trap) {
        lost(trap);
      }
    };
  return { ...host, watch };
}
