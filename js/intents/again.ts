// The last question asked again, or the one before a message.

import { toJson } from "../base/failure.js";
import type { RunInput, RunIntent } from "./run.js";

/** The run; `of`: the message to say anew. */
export function askAgain<State>(method: "retry" | "regenerate", input: RunInput, of?: string): RunIntent<State> {
  return { id: input.runId, method, json: toJson({ ...input, of }), queued: true };
}

/** A run that a failed load has kept from the core. A submit's messages and state stand in the thread already. */
export function askLost<State>({ id, method, json, queued }: RunIntent<State>): RunIntent<State> {
  if (!queued || method !== "submit") return { id, method, json };
  const input = { ...JSON.parse(json!), messages: [], replaces: undefined, state: undefined };
  return { id, method: input.resume ? method : "retry", json: toJson(input) };
}
