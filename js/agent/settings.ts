// The settings of a session: the options as the core reads them, with every default.

import type { AgentOptions } from "../api/types.js";
import { expect, toJson, unfit } from "../base/failure.js";
import type { OwnParts } from "../core/client.js";
import { retryTimes } from "../network/request.js";

/** The settings of sessions. Some may change until a session is made: those are read then. */
export function toSettings(options: AgentOptions, threadId: () => string, guard: () => string | undefined): OwnParts["settings"] {
  const { rules = "tolerant", protocol = "1.0" } = options;
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
    get guard() {
      return guard();
    },
    ...whole({ ...options.limits }),
    saves: !!options.persist,
    get network() {
      checkWords(options);
      return toNetwork(options);
    },
  };
}

/** The words of options that nothing else refuses: the first bundle has no room for them. */
const words = { notify: ["frame", "microtask", "sync"], "resume.in": ["forwardedProps", "query"], "thread.edits": ["same-id", "new-id", "none"] } as const;

/** Throws where one of these options is another word, or of another type. */
function checkWords(options: AgentOptions): void {
  for (const [name, known] of Object.entries(words)) {
    const value = name.split(".").reduce((at: unknown, member) => Object(at)[member], options);
    if (value == null || typeof value === "object" || (known as readonly unknown[]).includes(value)) continue;
    throw unfit(name, `"${known.join('" or "')}"`, value);
  }
  for (const name of ["server", "thread", "transport", "limits", "saving"] as const) expect(name, "object", options[name] ?? {});
}

/** The counts, and the times as a timer can take them: a longer one fires at once. */
const whole = (values: Record<string, number | undefined>): Record<string, number> =>
  Object.fromEntries(Object.entries(values).flatMap(([name, value]) => (value == null ? [] : [[name, Math.min(Math.round(value), 1e9)]])));

/** The settings of the network as the core reads them. */
function toNetwork({ retry, resume, headers, transport, saving }: AgentOptions): object {
  const marked = resume && "path" in resume ? resume : undefined;
  const inBody = marked && !("in" in marked && marked.in === "query");
  return {
    ...whole(retryTimes(retry)),
    refusals: !!retry,
    posts: !!retry && retry.posts === true && !saving?.required,
    renewHeaders: transport ? transport.renews === true : typeof headers === "function",
    seed: Math.floor(Math.random() * 2 ** 48),
    by: resume?.by,
    path: marked?.path,
    param: inBody ? (marked.param ?? "lastSeenEventId") : undefined,
  };
}
