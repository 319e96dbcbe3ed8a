// The limits of a session, with every default.

import type { Limits } from "../api/options.js";
import type { SessionOptions } from "../glue/core.js";

type LimitName = Extract<keyof SessionOptions, `max${string}` | `${string}Ms`>;

/** What a session is made with, but for its limits. */
export type Settings = Omit<SessionOptions, LimitName>;

/** The limits as the core reads them. */
export const toLimits = (limits: Limits = {}): Pick<SessionOptions, LimitName> => ({
  maxFrameBytes: limits.frameBytes ?? 10 * 2 ** 20,
  maxStateBytes: limits.stateBytes ?? 16 * 2 ** 20,
  maxThreadBytes: limits.threadBytes ?? 64 * 2 ** 20,
  maxItems: limits.items ?? 100_000,
  maxWarnings: limits.warnings ?? 1000,
  maxErrorBodyBytes: limits.errorBodyBytes ?? 64 * 2 ** 10,
  errorBodyMs: limits.errorBodyMs ?? 5000,
  maxQueue: limits.queue ?? 32,
  maxDepth: limits.depth ?? 512,
  maxHistory: limits.history ?? 100,
  graceMs: limits.graceMs ?? 1000,
});
