// The run in progress is stopped.

import type { AgentSnapshot } from "../api/types.js";
import { stopped } from "../snapshot/cut-off.js";
import type { Intent } from "./intent.js";

/** Stops the run that is shown there; `name`: that of its submit, without which it is the one that is in progress. */
export const stop = <State>(shown: AgentSnapshot<State>, name?: string): Intent<State> =>
  name === undefined ? { method: "stop", ...ending(shown) } : { method: "cancel", json: name, ...ending(shown) };

/** Nothing more of the run that is shown there is shown, whatever is on the way. */
export function ending<State>(shown: AgentSnapshot<State>): Pick<Intent<State>, "fold" | "stops"> {
  let still: AgentSnapshot<State> | undefined;
  // A submit that is queued begins next.
  return { fold: () => (still ??= shown.queue.length || !shown.isLoading ? shown : stopped(shown)), stops: true };
}
