// The thread begins anew.

import type { AgentSnapshot } from "../api/types.js";
import { toJson } from "../base/failure.js";
import { ofThread } from "../snapshot/initial.js";
import type { Intent } from "./intent.js";

/** The thread becomes what it was at first. `applied`: see there. */
export function reset<State>(first: AgentSnapshot<State>, applied?: () => void): Intent<State> {
  const { messages, state } = first;
  return { method: "reset", json: toJson({ messages, state }), resets: true, applied, fold: ({ threadId }) => ofThread(first, threadId) };
}
