// The cause of a connection's error: the value that the last request was rejected with, which the core does not see.

import type { AgentError } from "../api/error.js";

/** The cause of the errors of one session. */
export type Cause = ReturnType<typeof createCause>;

/** Nothing has failed yet. */
export function createCause() {
  let thrown: { readonly cause: unknown } | undefined;
  return {
    /** A request begins. */
    clear: (): void => void (thrown = undefined),
    /** It was rejected with this value. */
    set: (cause: unknown): void => void (thrown = { cause }),
    /** Gives the error of a connection that value. */
    explain: (error: AgentError | undefined): void => {
      if (!thrown || !error || !(error.kind === "connection" || error.kind === "auth" || error.code === "truncated")) return;
      Object.defineProperty(error, "cause", { value: thrown.cause, writable: true, configurable: true });
      if ((thrown.cause as AgentError | undefined)?.code === "not-saved") Object.assign(error, { code: "not-saved" });
    },
  };
}
