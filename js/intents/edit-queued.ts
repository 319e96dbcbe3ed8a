// A submit that waits gets another input.

import { toJson } from "../base/failure.js";
import type { QueuedIntent } from "./intent.js";
import type { CoreInput } from "./submit.js";

/** Gives it this input; `own`: what of the input it has of its own from now on. Absent members stay as they were submitted. */
export function queuedEdit<State>(
  runId: string,
  { own = [], ...input }: Partial<CoreInput> & Pick<CoreInput, "messages">,
): QueuedIntent<State> {
  const { messages } = input;
  return {
    method: "editQueued",
    json: toJson({ ...input, runId }),
    runId,
    fold: (at) => ({ ...at, queue: at.queue.map((row) => (row.runId === runId ? { ...row, messages } : row)) }),
    waiting: (old) => ({ ...old, ...JSON.parse(toJson(input)), own: [...(old.own ?? []), ...own] }),
  };
}
