// Events as the core takes them, and as it gives them back. A chunk of its own, which imports no code: see js/core/checks.ts.

import type { AgUiEvent } from "../api/events.js";
import type { FullCore } from "../core/loader.js";

/** The helpers of the page that this chunk is given. */
type Failures = Pick<typeof import("../base/failure.js"), "internal" | "misuse">;

/** The shorter list. */
export async function compacted({ internal, misuse }: Failures, load: () => Promise<FullCore>, events: Iterable<AgUiEvent>): Promise<AgUiEvent[]> {
  let lines = "";
  try {
    for (const event of events) lines += `${JSON.stringify(event) ?? "null"}\n`;
  } catch (cause) {
    throw misuse(cause);
  }
  const { compact } = await load();
  try {
    // A line end never stands inside of JSON text.
    return JSON.parse(`[${compact(lines).trimEnd().replaceAll("\n", ",")}]`);
  } catch (cause) {
    throw internal("The events could not be compacted", cause);
  }
}
