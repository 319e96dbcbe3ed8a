// The cause of a connection's error: the value that the last request was rejected with, which the core does not see.

import type { AgentError } from "../api/error.js";

/** The cause of the errors of one session. */
export interface Cause {
  /** A request begins. */
  clear(): void;
  /** It was rejected with this value. */
  set(cause: unknown): void;
  /** Gives the error of a connection that value. */
  explain(error: AgentError | undefined): void;
}

/** Nothing has failed yet. */
export function createCause(): Cause {
  let thrown: { readonly cause: unknown } | undefined;
  return {
    clear: () => void (thrown = undefined),
    set: (cause) => void (thrown = { cause }),
    explain: (error) => {
      if (!thrown || !error || !(error.kind === "connection" || error.kind === "auth" || error.code === "truncated")) return;
      Object.defineProperty(error, "cause", { value: thrown.cause, writable: true, configurable: true });
      if ((thrown.cause as AgentError | undefined)?.code === "not-saved") Object.assign(error, { code: "not-saved" });
    },
  };
}
