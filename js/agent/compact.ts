import type { AgUiEvent } from "../api/events.js";
import { internal, misuse } from "../base/failure.js";
import { loading } from "../core/loader.js";
import type { Modules } from "../core/modules.js";
import { inflate } from "./core-source.js";

/**
 * Compaction with a core that is loaded for it, if it is not there yet.
 *
 * @internal
 */
export async function compactWith(load: Modules["full"], events: Iterable<AgUiEvent>): Promise<AgUiEvent[]> {
  // A copy: the application may change its list while the chunk loads.
  const now = Array.isArray(events) ? [...events] : events;
  return (await loading(() => import("./compacted.js"))).compacted({ internal, misuse }, () => load(inflate, { rules: "strict" }, "stepper"), now);
}
