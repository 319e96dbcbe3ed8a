// Calls of the page's tools that a run does not follow on by itself.
//
// A thread may be stored with calls that have no result, because another page asked for them, or this one before it was left. They are not
// executed here, for that may have been done. A person may answer them, and the run that follows on that is begun here.
//
// A server may end its run with an interrupt for each call (the option `thread.toolInterrupts`). The results are the replies to these.

import type { AgentSnapshot, Interrupt, ToolCall } from "../api/types.js";
import type { RemoteClient } from "./client.js";

const settled = ({ phase }: ToolCall): boolean => phase.startsWith("output-") || phase === "denied";

/** The calls at the end of a thread. There are none yet. */
export function createOpenCalls<State>({ core, options, answer, reply }: RemoteClient<State>) {
  let open = new Set<string>();
  const replied = new Set<string>();
  const isCall = ({ reason }: Interrupt): boolean => reason === options().thread?.toolInterrupts;

  return {
    /** The thread was opened. */
    begin: (): void => {
      const { interrupts, messages, toolCalls } = core();
      // After something else was said nobody waits for them.
      const caller = messages.filter(({ role }) => role !== "tool").pop()?.id;
      const interrupted = new Set(interrupts.filter(isCall).map(({ toolCallId }) => toolCallId));
      open = new Set(
        toolCalls.filter(({ id, messageId, phase }) => messageId === caller && phase === "input-available" && !interrupted.has(id)).map(({ id }) => id),
      );
    },
    /** Takes the core's latest snapshot. */
    see: ({ interrupts, isLoading, toolCalls }: AgentSnapshot<State>): void => {
      // A submit has denied the open ones, or answers them itself.
      if (isLoading) return open.clear();
      for (const interrupt of interrupts.filter(isCall)) {
        const call = toolCalls.find(({ id }) => id === interrupt.toolCallId);
        if (!call || !settled(call) || interrupt.answered || replied.has(interrupt.id)) continue;
        replied.add(interrupt.id);
        const { phase, result } = call;
        queueMicrotask(() =>
          reply({ interruptId: interrupt.id, ...(phase === "output-available" ? { status: "resolved", payload: result } : { status: "cancelled" }) })
        );
      }
      if (!open.size || !toolCalls.every((call) => !open.has(call.id) || settled(call))) return;
      open.clear();
      queueMicrotask(answer);
    },
  };
}
