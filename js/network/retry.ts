import type { AgentOptions } from "../api/types.js";

/** How often and how fast connections are made again: the option `retry` with its defaults. */
export function retryTimes(retry: AgentOptions["retry"]) {
  const { attempts = 5, baseMs = 500, minMs = 100, maxMs = 30_000, perMinute = 60, idleMs = 0 } = retry || {};
  return { attempts: retry === false ? 0 : attempts, baseMs, minMs, maxMs, perMinute, idleMs };
}
