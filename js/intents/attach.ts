// A run that continues at the server is joined.

import { toJson } from "../base/failure.js";
import type { RunInput, RunIntent } from "./run.js";

/** The run with that id; without one the last one: `last`, or one that only the save knows, which is called by a name of its own. */
export function attach<State>(input: RunInput, runId: string | undefined, last?: string): RunIntent<State> {
  const id = runId ?? last ?? input.runId;
  return { id, method: "attach", json: toJson({ ...input, runId, name: id }) };
}
