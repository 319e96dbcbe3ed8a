// What a session is made with: the options as the core reads them, with every default.

import type { AgentOptions } from "../api/types.js";
import { expect, toJson, unfit } from "../base/failure.js";
import { toPolicy } from "../core/policy.js";
import type { SessionOptions } from "../glue/core.js";

/** The settings of sessions. `threadId` and `network` are asked when a session is made: an agent may be made in a prerender. */
export function toSettings(given: AgentOptions, threadId: () => string, network: () => string): SessionOptions {
  const { rules = "tolerant", protocol = "1.0" } = given;
  // As the core reads it, which comes too late to tell of a mistake where it was made.
  if (typeof protocol !== "string" || !/^(1\.0|0\.0\.(0|[1-9]\d{0,2}))$/.test(protocol)) {
    throw unfit("protocol", '"1.0" or "0.0.x"', protocol);
  }
  const { name: dialect, ...ownSettings } = typeof given.dialect === "string" ? { name: given.dialect } : (given.dialect ?? {});
  if (given.dialect) expect("dialect", "string", dialect);
  const limits = given.limits ?? {};
  return {
    get threadId() {
      return threadId();
    },
    rules,
    protocol,
    dialect,
    // The address may tell a dialect how it is spoken there.
    dialectSettings: toJson(dialect ? { url: typeof given.url === "function" ? undefined : given.url, ...ownSettings } : {}),
    events: "",
    guard: given.guard === undefined ? undefined : toPolicy(given.guard),
    decisions: false,
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
    saves: !!given.persist,
    get network() {
      return network();
    },
  };
}
