import type { AgUiEvent } from "../api/events.js";
import { internal, misuse } from "../base/failure.js";
import type { FullCore } from "../core/loader.js";

/**
 * Compaction with a core that is loaded for it, if it is not there yet.
 *
 * @internal
 */
export async function compactWith(load: () => Promise<FullCore>, events: Iterable<AgUiEvent>): Promise<AgUiEvent[]> {
  const lines = toLines(events);
  const { compact } = await load();
  try {
    // A line end never stands inside of JSON text.
    return JSON.parse(`[${compact(lines).trimEnd().replaceAll("\n", ",")}]`);
  } catch (cause) {
    throw internal("The events could not be compacted", cause);
  }
}

function toLines(events: Iterable<AgUiEvent>): string {
  let lines = "";
  try {
    for (const event of events) lines += `${JSON.stringify(event) ?? "null"}\n`;
  } catch (cause) {
    throw misuse(cause);
  }
  return lines;
}
