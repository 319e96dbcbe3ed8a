// The last question asked again, or the one before a message.

import { toJson } from "../base/failure.js";
import { toQueued, type RunInput, type RunIntent } from "./run.js";

/** The run; `of`: the message to say anew. */
export function askAgain<State>(method: "retry" | "regenerate", input: RunInput, of?: string): RunIntent<State> {
  const json = toJson({ ...input, of });
  return { id: input.runId, method, json, queued: () => toQueued(method, json) };
}
