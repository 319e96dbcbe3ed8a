// Something that only a session can do, and that looks like nothing until it is done: a result that is given by hand, an approval, a
// denial, leaving a run to the server.

import { toJson } from "../base/failure.js";
import type { Intent } from "./intent.js";

/** Calls that method; the data as the core reads it. */
export function act<State>(method: Intent<State>["method"], data?: object): Intent<State> {
  return { method, json: data && toJson(data), fold: (at) => at, acts: true };
}
