// Why runs are asked for, and what the option `thread.edits` makes of that: by which id an edit or another answer reaches the memory of
// the server.

import type { SendReason } from "../api/types.js";
import type { Asking, RemoteClient } from "./client.js";

/** How a submit, or a run that asks again, says whether a message keeps its id. */
export interface IdChoices {
  readonly keepId?: boolean | undefined;
  readonly newMessageId?: boolean | undefined;
  readonly message?: unknown;
}

/** How many runs may wait at a time, and more. */
const most = 256;

/** The reasons of the last runs. */
export function createReasons<State>(client: RemoteClient<State>) {
  // Submits need not wait for this chunk; others do.
  const reasons = new Map<string, SendReason>(client.waiting().map((runId) => [runId, "submit"]));
  return {
    /** Notes the reason, and changes what is asked as the options say. Throws (code `server-keeps`) where the server takes no part in it. */
    note: (reason: SendReason, asking: Asking, { keepId, newMessageId, message }: IdChoices): void => {
      const edits = client.options().thread?.edits;
      const option = reason === "edit" ? keepId : reason === "regenerate" ? newMessageId : true;
      if (edits === "none" && option === undefined) {
        const why = "The server keeps what was said: it takes no edit, and another answer would be a second one";
        throw client.error({ kind: "unsupported", code: "server-keeps", message: why });
      }
      reasons.set(asking.runId, reason);
      if (reasons.size > most) reasons.delete(reasons.keys().next().value!);
      const [first] = asking.messages ?? [];
      const hasId = typeof message === "object" && message !== null && "id" in message;
      if (reason === "edit" && first && !hasId && (keepId ?? edits === "same-id")) asking.messages = [{ ...first, id: asking.replaces! }];
      if ((reason === "retry" || reason === "regenerate") && (newMessageId ?? edits === "new-id")) asking.newMessageId ??= client.uuid();
    },
    /** Of a run, or of one that follows on the calls of another. */
    of: (runId: string): SendReason => reasons.get(runId) ?? (reasons.has(runId.replace(/-\d+$/, "")) ? "tool-results" : "submit"),
  };
}
