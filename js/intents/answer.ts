// The answer to one interrupt. The last one begins a run with all.

import type { ResumeEntry } from "../api/types.js";
import { toJson } from "../base/failure.js";
import type { RunInput, RunIntent } from "./run.js";

/** The answer, and the input of the run that follows. */
export function answer<State>(entry: ResumeEntry, run: RunInput): RunIntent<State> {
  return { id: run.runId, method: "answer", json: toJson({ ...entry, run }), part: true };
}
