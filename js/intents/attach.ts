// A run that continues at the server is joined.

import { toJson } from "../base/failure.js";
import type { RunInput, RunIntent } from "./run.js";

/** The run with that id; without one the last one, which is known as `last`. */
export function attach<State>(input: RunInput, runId: string | undefined, last: string): RunIntent<State> {
  return { id: runId ?? last, method: "attach", json: toJson({ ...input, runId }) };
}
