// The guard of an agent: its counters and its capabilities.

import type { AgentGuard } from "../api/guard.js";
import { toList } from "../core/policy.js";

/** What the guard of an agent needs of it. */
interface Client {
  /** The core's JSON text, if there is one. */
  count(): string | undefined;
  present(json: string): void;
}

/** @internal */
export function createGuard({ count, present }: Client): AgentGuard {
  let last = { forwarded: 0, blocked: 0, total: 0 };
  const read = (): typeof last => {
    const json = count();
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
    present: (capabilities) => present(toList(capabilities)),
  };
}
