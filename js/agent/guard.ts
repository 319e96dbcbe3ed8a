// The guard of an agent: its counters and its capabilities.

import type { AgentGuard } from "../api/guard.js";
import { toJson } from "../base/failure.js";
import type { Self } from "./self.js";

/** @internal */
export function createGuard<State>({ thread, alive }: Pick<Self<State>, "thread" | "alive">): AgentGuard {
  let last = { forwarded: 0, blocked: 0, total: 0 };
  const read = (): typeof last => {
    const json = thread.link.live()?.call("guardCounters");
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
      alive();
      // A session that begins later has them too.
      if (thread.guard) thread.guard = toJson({ ...JSON.parse(thread.guard), capabilities: tokens });
      thread.link.live()?.call("present", toJson(tokens));
    },
  };
}
