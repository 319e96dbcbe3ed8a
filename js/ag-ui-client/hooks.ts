// Calls subscribers one after another, and gathers what they return.

import type { AbstractAgent } from "./agent.js";
import type { AgentStateMutation, AgentSubscriber, AgentSubscriberParams, MaybePromise } from "./types.js";
import type { Message, RunAgentInput, State } from "@ag-ui/core";
import { isPromise } from "../base/promise.js";
import { structuredClone_ } from "./values.js";

/** The messages and the state that hooks see. */
export interface HookView {
  readonly messages: readonly Message[];
  readonly state: State;
}

export type HookCall = (subscriber: AgentSubscriber, shown: HookView) => MaybePromise<AgentStateMutation | void>;

/**
 * Merges the results of all subscribers. Each sees the results before its own; the last word counts, and `stopPropagation` ends
 * the round. A hook that throws is reported to the console and otherwise skipped. Returns a promise only where a hook does.
 */
export function callHooks(
  subscribers: readonly AgentSubscriber[],
  shown: HookView,
  call: HookCall,
): MaybePromise<AgentStateMutation> {
  // Nearly always no hook returns anything: nothing is made then.
  for (let at = 0; at < subscribers.length; at++) {
    try {
      const mutation = call(subscribers[at]!, shown);
      if (mutation) return gather(subscribers, shown, call, at, mutation);
    } catch (error) {
      failed(error);
    }
  }
  return {};
}

/** The same for a hook of a run's life. */
export const callRunHooks = (
  agent: AbstractAgent,
  input: RunAgentInput,
  subscribers: readonly AgentSubscriber[],
  call: (subscriber: AgentSubscriber, params: AgentSubscriberParams) => ReturnType<HookCall>,
): MaybePromise<AgentStateMutation> => callHooks(subscribers, agent, (subscriber, { messages, state }) => call(subscriber, { messages, state, agent, input }));

/** The rest of a round, of which the hook at this place is the first to return something. */
function gather(
  subscribers: readonly AgentSubscriber[],
  shown: HookView,
  call: HookCall,
  first: number,
  returned: ReturnType<HookCall>,
): MaybePromise<AgentStateMutation> {
  const result: AgentStateMutation = {};
  // Read when a hook does: bringing them up to date has its price.
  const now: HookView = {
    get messages() {
      return result.messages ?? shown.messages;
    },
    get state() {
      return "state" in result ? result.state : shown.state;
    },
  };

  /** Whether the round continues. */
  const take = (mutation: AgentStateMutation | void): boolean => {
    if (!mutation) return true;
    if (mutation.messages !== undefined && mutation.messages !== now.messages) {
      result.messages = structuredClone_(mutation.messages);
    }
    if (mutation.state !== undefined && mutation.state !== now.state) result.state = structuredClone_(mutation.state);
    if (mutation.stopPropagation !== undefined) result.stopPropagation = mutation.stopPropagation;
    else delete result.stopPropagation;
    return mutation.stopPropagation !== true;
  };

  const from = (start: number, firstMutation?: ReturnType<HookCall>): MaybePromise<AgentStateMutation> => {
    for (let at = start; at < subscribers.length; at++) {
      try {
        const mutation = at === first ? firstMutation : call(subscribers[at]!, now);
        if (isPromise<AgentStateMutation | void>(mutation)) {
          return mutation.then(take, failed).then((goesOn) => (goesOn ? from(at + 1) : result));
        }
        if (!take(mutation)) break;
      } catch (error) {
        failed(error);
      }
    }
    return result;
  };
  return from(first, returned);
}

/** Calls hooks that return nothing, without waiting. */
export function notify(subscribers: readonly AgentSubscriber[], call: (subscriber: AgentSubscriber) => unknown): void {
  for (const subscriber of [...subscribers]) {
    try {
      const pending = call(subscriber);
      if (isPromise(pending)) pending.then(undefined, failed);
    } catch (error) {
      failed(error);
    }
  }
}

/** The same for hooks that are awaited, each before the next. Whoever subscribes while nobody is there is not told. */
export async function notifyInTurn(
  subscribers: () => readonly AgentSubscriber[],
  calls: readonly ((subscriber: AgentSubscriber) => unknown)[],
): Promise<void> {
  for (const call of calls) {
    for (const subscriber of subscribers()) {
      try {
        await call(subscriber);
      } catch (error) {
        failed(error);
      }
    }
  }
}

function failed(error: unknown): true {
  console.error("Subscriber error:", error);
  return true;
}

/** Puts what hooks have returned into an agent, and says so. */
export function applyMutation(
  agent: AbstractAgent,
  { messages, state }: AgentStateMutation,
  input: RunAgentInput,
  subscribers: readonly AgentSubscriber[],
): void {
  const shown = () => ({ messages: agent.messages, state: agent.state, agent, input });
  if (messages !== undefined) {
    agent.messages = messages;
    notify(subscribers, (subscriber) => subscriber.onMessagesChanged?.(shown()));
  }
  // Any JSON is a state, `null` and `false` too.
  if (state !== undefined) {
    agent.state = state;
    notify(subscribers, (subscriber) => subscriber.onStateChanged?.(shown()));
  }
}
