// The way back to a checkpoint. It comes beside the core, as checkpoints do.

import type { AgentSnapshot } from "../api/types.js";
import { toFork } from "../intents/fork.js";
import type { Self } from "./self.js";

/** Makes the thread what it was at that checkpoint. False if it is not known. */
export function fork<State>({ thread: { link, source }, read }: Pick<Self<State>, "thread" | "read">, checkpoint: string): boolean {
  const then = source.parts()!.history.at(checkpoint) as AgentSnapshot<State> | undefined;
  if (then) link.reset(toFork(read().threadId, then));
  return !!then;
}
