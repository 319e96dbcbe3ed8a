// The settings of a session: the options as the core reads them, with every default.

import type { AgentOptions } from "../api/types.js";
import { toJson } from "../base/failure.js";
import { toPolicy } from "../core/capabilities.js";
import type { SessionOptions } from "../glue/core.js";
import { retryTimes } from "../network/request.js";

/** The settings of sessions. Some may change until a session is made: those are read then. */
export function toSettings(options: AgentOptions, threadId: () => string, guard: () => string | undefined): SessionOptions {
  const { rules = "tolerant", protocol = "1.0" } = options;
  const limits = options.limits ?? {};
  const { name: dialect, ...ownSettings } = typeof options.dialect === "string" ? { name: options.dialect } : (options.dialect ?? {});
  return {
    get threadId() {
      return threadId();
    },
    rules,
    binary: !!(options.transport ?? options).binary,
    protocol,
    dialect,
    // The address may tell a dialect how it is spoken there.
    dialectSettings: toJson(dialect ? { url: typeof options.url === "function" ? undefined : options.url, ...ownSettings } : {}),
    events: "",
    get guard() {
      const policy = guard();
      return policy && toPolicy(policy);
    },
    decisions: false,
    maxFrameBytes: limits.frameBytes ?? 10 * 2 ** 20,
    maxStateBytes: limits.stateBytes ?? 16 * 2 ** 20,
    maxThreadBytes: limits.threadBytes ?? 64 * 2 ** 20,
    maxItems: limits.items ?? 100_000,
    maxWarnings: limits.warnings ?? 1000,
    maxErrorBodyBytes: limits.errorBodyBytes ?? 64 * 2 ** 10,
    errorBodyMs: whole(limits.errorBodyMs ?? 5000),
    maxQueue: limits.queue ?? 32,
    maxDepth: limits.depth ?? 512,
    maxHistory: limits.history ?? 100,
    graceMs: whole(limits.graceMs ?? 1000),
    saves: !!options.persist,
    get network() {
      return toNetwork(options);
    },
  };
}

/** A count, or a time that a timer can take. A longer one fires at once. */
const whole = (value: number): number => Math.min(Math.round(value), 1e9);

/** The settings of the network as the core reads them: JSON text. */
function toNetwork({ retry, resume, headers, transport, saving }: AgentOptions): string {
  const { attempts, ...times } = retryTimes(retry);
  const marked = resume && "path" in resume ? resume : undefined;
  const inBody = marked && !("in" in marked && marked.in === "query");
  return JSON.stringify({
    ...Object.fromEntries(Object.entries(times).map(([name, value]) => [name, whole(value)])),
    attempts: whole(attempts),
    refusals: !!retry,
    posts: !!retry && retry.posts === true && !saving?.required,
    renewHeaders: transport ? transport.renews === true : typeof headers === "function",
    seed: Math.floor(Math.random() * 2 ** 48),
    by: resume?.by,
    path: marked?.path,
    param: inBody ? (marked.param ?? "lastSeenEventId") : undefined,
  });
}
