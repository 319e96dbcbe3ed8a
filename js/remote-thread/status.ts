// How far the opening of a thread is, and what the page is shown of that.

import type { AgentError } from "../api/error.js";
import type { AgentSnapshot, ThreadState } from "../api/types.js";
import type { RemoteClient } from "./client.js";
import type { Hidden } from "./hidden.js";
import type { Paging } from "./older.js";

/** The status of the thread. */
export type ThreadStatus<State> = ReturnType<typeof createStatus<State>>;

/** As the options of the agent say. */
export function createStatus<State>(client: RemoteClient<State>, hidden: Hidden<State>, paging: Paging<State>) {
  let { thread } = client;
  let now = thread.status;
  let failure: AgentError | undefined;
  // The last pair: one snapshot of the core is shown as one object.
  let memo: readonly [core: AgentSnapshot<State>, shown: AgentSnapshot<State>] | undefined;

  return {
    get now(): ThreadState["status"] {
      return now;
    },
    /** Why it could not be opened. */
    get failure(): AgentError | undefined {
      return failure;
    },
    set: (next: ThreadState["status"], error?: AgentError): void => {
      [now, failure, memo] = [next, error, undefined];
      if (!client.disposed()) client.changed();
    },
    /** The snapshot that the page is shown, of that of the core. */
    shown: (core: AgentSnapshot<State>): AgentSnapshot<State> => {
      paging.see(core);
      const status = now === "new" && core.messages.length ? "ready" : now;
      if (thread.status !== status || thread.hasOlder !== paging.has) [thread, memo] = [{ status, hasOlder: paging.has }, undefined];
      if (memo?.[0] !== core) memo = [core, hidden.shown(core, thread, failure)];
      return memo[1];
    },
  };
}
