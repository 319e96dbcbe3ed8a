// Fewer notifications of changed messages, on the exact way.

import type { Message, RunAgentInput } from "@ag-ui/core";
import { finalize, tap, type MonoTypeOperatorFunction } from "rxjs";
import type { AbstractAgent } from "./agent.js";
import { applyMutation } from "./hooks.js";
import type { AgentStateMutation, AgentSubscriber } from "./types.js";

/**
 * Puts changes into the agent at once, and notifies of messages when `notificationThrottleMs` have passed since the last time, or
 * when `notificationMinChunkSize` characters have come; of the last change in any case. Changes of the state are reported at once.
 */
export function throttled(
  agent: AbstractAgent,
  input: RunAgentInput,
  subscribers: readonly AgentSubscriber[],
): MonoTypeOperatorFunction<AgentStateMutation> {
  const { notificationThrottleMs: ms = Infinity, notificationMinChunkSize: least = Infinity } = agent.settings;
  let [last, notifiedSize] = [-Infinity, 0];
  let waits = false;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const notify = (): void => {
    clearTimeout(timer);
    timer = undefined;
    if (!waits) return;
    waits = false;
    [last, notifiedSize] = [Date.now(), size(agent.messages)];
    applyMutation(agent, { messages: agent.messages }, input, subscribers);
  };

  return (changes$) =>
    changes$.pipe(
      tap(({ messages, ...rest }) => {
        if (messages !== undefined) {
          agent.messages = messages;
          waits = true;
          const remaining = last + ms - Date.now();
          if (remaining <= 0 || size(messages) - notifiedSize >= least) notify();
          else if (remaining < Infinity) timer ??= setTimeout(notify, remaining);
        }
        applyMutation(agent, rest, input, subscribers);
      }),
      // Before whoever waits for the end of the run continues.
      tap({ complete: notify, error: notify }),
      finalize(notify),
    );
}

/** The characters of the message that grows. */
function size(messages: readonly Message[]): number {
  const content = messages.at(-1)?.content;
  return typeof content === "string" ? content.length : 0;
}
