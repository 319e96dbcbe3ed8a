// What a session is made with: the options as the core reads them, with every default.

import type { AgentOptions } from "../api/types.js";
import { expect, misuse, toJson } from "../base/failure.js";
import { toPolicy } from "../core/policy.js";
import type { Settings } from "../core/limits.js";

/** The settings of sessions. `threadId` and `network` are asked when a session is made: an agent may be made in a prerender. */
export function toSettings(given: AgentOptions, threadId: () => string, network: () => string): Settings {
  const { rules = "tolerant", protocol = "1.0" } = given;
  // As the core reads it, which comes too late to tell of a mistake where it was made.
  if (typeof protocol !== "string" || !/^(1\.0|0\.0\.(0|[1-9]\d{0,2}))$/.test(protocol)) {
    throw misuse(new TypeError(`expected "1.0" or "0.0.x" as protocol, not ${JSON.stringify(protocol)}`));
  }
  const { name: dialect, ...ownSettings } = typeof given.dialect === "string" ? { name: given.dialect } : (given.dialect ?? {});
  if (given.dialect) expect("dialect", "string", dialect);
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
    saves: !!given.persist,
    get network() {
      return network();
    },
  };
}
