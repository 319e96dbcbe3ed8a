// How often and how fast connections are made again. The core decides it for runs (src/session/rejoin/policy.rs and budget.rs); this is the same
// rule for connections that are kept open, which the page makes where no core may be loaded yet, or the core is in a
// worker and could answer only later. src/session/rejoin/table.json holds both.

import type { retryTimes } from "./request.js";

type Bounds = Pick<ReturnType<typeof retryTimes>, "baseMs" | "minMs" | "maxMs">;

/** The milliseconds before an attempt, counted from 1. `random`: the point of the jitter, from 0 to 1. */
export const pauseOf = ({ baseMs, minMs, maxMs }: Bounds, attempt: number, random: number): number =>
  minMs + random * Math.max(Math.min(baseMs * 2 ** Math.min(attempt - 1, 30), maxMs) - minMs, 0);

/**
 * A token bucket of half of what a minute allows, refilled at half of that rate; full at first. What is returned spends `made`
 * connections, and says when the next one may be made: now, or once there is enough left.
 */
export function createBudget(): (perMinute: number, now: number, made?: number) => number {
  let remaining = 0;
  let at = -Infinity;
  return (perMinute, now, made = 0) => {
    const half = Math.min(Math.max(perMinute / 2, 1), 1e15);
    remaining = Math.min(remaining + (Math.max(now - at, 0) * half) / 60_000, half) - made;
    at = Math.max(at, now);
    return now + (Math.max(1 - remaining, 0) * 60_000) / half;
  };
}
