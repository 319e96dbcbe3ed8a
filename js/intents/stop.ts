// The run in progress is stopped.

import type { AgentSnapshot } from "../api/types.js";
import { stopped } from "../snapshot/cut-off.js";
import type { Intent } from "./intent.js";

/** Stops the run that is shown there, and none that waits there: it may have begun by the time that the core hears of this. */
export const stop = <State>(shown: AgentSnapshot<State>): Intent<State> => {
  const json = shown.queue.map(({ runId }) => runId).join("\n");
  return { method: "stop", json, ...ending(shown) };
};

/** Nothing more of the run that is shown there is shown, whatever is on the way. */
export function ending<State>(shown: AgentSnapshot<State>): Pick<Intent<State>, "fold" | "stops"> {
  let still: AgentSnapshot<State> | undefined;
  // A submit that is queued begins next.
  return { fold: () => (still ??= shown.queue.length || !shown.isLoading ? shown : stopped(shown)), stops: true };
}
