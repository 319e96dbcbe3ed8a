// A submit that waits gets another input.

import type { QueuedSubmit } from "../api/types.js";
import { toJson } from "../base/failure.js";
import { withRow, type QueuedIntent } from "./queued.js";
import type { CoreInput } from "./submit.js";

/** Gives it this input; `own`: what of the input it has of its own from now on. Absent members stay as they were submitted. */
export function queuedEdit<State>({ id, runId }: QueuedSubmit, { own = [], ...input }: Partial<CoreInput> & Pick<CoreInput, "messages">): QueuedIntent<State> {
  return {
    method: "editQueued",
    json: toJson({ ...input, ticket: Number(id) }),
    runId,
    fold: (at) => withRow(at, runId, (row) => ({ ...row, messages: input.messages })),
    waiting: (old) => ({ ...old, ...JSON.parse(toJson(input)), own: [...(old.own ?? []), ...own] }),
  };
}
