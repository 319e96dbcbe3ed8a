// Calls that a thread was stored with and without a result, because another page asked for them, or this one before it was left. They
// are not executed here, for that may have been done. A person may answer them, and the run that follows on that is begun here.

import type { AgentSnapshot } from "../api/types.js";
import type { RemoteClient } from "./client.js";

/** The calls at the end of a stored thread. */
export interface OpenCalls<State> {
  /** The thread was opened. */
  begin(): void;
  /** What the core says now. */
  see(core: AgentSnapshot<State>): void;
}

/** None yet. */
export function createOpenCalls<State>({ core, answer }: RemoteClient<State>): OpenCalls<State> {
  let open = new Set<string>();
  return {
    begin: () => {
      const { messages, toolCalls } = core();
      // After something else was said nobody waits for them.
      const caller = messages.filter(({ role }) => role !== "tool").pop()?.id;
      open = new Set(toolCalls.filter(({ messageId, phase }) => messageId === caller && phase === "input-available").map(({ id }) => id));
    },
    see: ({ isLoading, toolCalls }) => {
      if (!open.size) return;
      // A submit has denied them, or answers them itself.
      if (isLoading) open.clear();
      else if (toolCalls.every(({ id, phase }) => !open.has(id) || phase.startsWith("output-"))) {
        open.clear();
        queueMicrotask(answer);
      }
    },
  };
}
