// How far the opening of a thread is, and what the page is shown of that.

import type { AgentError } from "../api/error.js";
import type { AgentSnapshot, ThreadState } from "../api/types.js";
import type { RemoteClient } from "./client.js";
import type { Hidden } from "./hidden.js";
import type { Paging } from "./older.js";

/** The status of the thread. */
export interface ThreadStatus<State> {
  readonly now: ThreadState["status"];
  /** Why it could not be opened. */
  readonly failure: AgentError | undefined;
  set(next: ThreadState["status"], failure?: AgentError): void;
  /** The snapshot that the page is shown, of that of the core. */
  shown(core: AgentSnapshot<State>): AgentSnapshot<State>;
}

/** As the options of the agent say. */
export function createStatus<State>(client: RemoteClient<State>, hidden: Hidden<State>, paging: Paging): ThreadStatus<State> {
  const { thread: threadOptions, threadId } = client.options();
  let now: ThreadState["status"] = !threadOptions?.load ? "ready" : threadId === undefined ? "new" : "loading";
  let failure: AgentError | undefined;
  let thread: ThreadState = { status: now, hasOlder: false };
  // The last pair: one snapshot of the core is shown as one object.
  let memo: readonly [core: AgentSnapshot<State>, shown: AgentSnapshot<State>] | undefined;

  return {
    get now() {
      return now;
    },
    get failure() {
      return failure;
    },
    set: (next, error) => {
      [now, failure, memo] = [next, error, undefined];
      if (!client.disposed()) client.changed();
    },
    shown: (core) => {
      paging.see(core);
      const status = now === "new" && core.messages.length ? "ready" : now;
      if (thread.status !== status || thread.hasOlder !== paging.has) [thread, memo] = [{ status, hasOlder: paging.has }, undefined];
      if (memo?.[0] !== core) memo = [core, hidden.shown(core, thread, failure)];
      return memo[1];
    },
  };
}
