// The guard of an agent: its counters and its capabilities.

import type { AgentGuard } from "../api/guard.js";
import { toList, toPolicy } from "../core/policy.js";
import type { Self } from "./self.js";

/** @internal */
export function createGuard<State>({ thread, alive }: Pick<Self<State>, "thread" | "alive">): AgentGuard {
  let last = { forwarded: 0, blocked: 0, total: 0 };
  const read = (): typeof last => {
    const json = thread.link.call("guardCounters");
    return json ? (last = JSON.parse(json)) : last;
  };
  return {
    get forwarded() {
      return read().forwarded;
    },
    get blocked() {
      return read().blocked;
    },
    get total() {
      return read().total;
    },
    present: (tokens) => {
      const json = toList(tokens);
      alive();
      const capabilities = JSON.parse(json);
      // A session that begins later has them too.
      if (thread.guard) thread.guard = toPolicy({ ...JSON.parse(thread.guard), capabilities });
      thread.link.call("present", json);
    },
  };
}
