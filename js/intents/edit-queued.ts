// A submit that waits gets another input.

import type { Message } from "../api/types.js";
import { toJson } from "../base/failure.js";
import type { QueuedIntent } from "./intent.js";
import type { CoreInput } from "./submit.js";

type WithMessages = Pick<CoreInput, "messages">;

/**
 * Gives it this input; `own`: what of the options it has of its own from now on. The others stay as they were submitted. `row`: the submit as it is shown,
 * if it is; `isSame`: the message has the id of the one that it takes the place of.
 */
export function queuedEdit<State>(
  runId: string,
  { own = [], tools, pageTools, context, forwardedProps, ...rest }: Partial<CoreInput> & WithMessages,
  isSame?: boolean,
  row?: WithMessages,
): QueuedIntent<State> {
  const { messages } = rest;
  const options = { tools, context, forwardedProps };
  const given = Object.fromEntries(own.map((name) => [name, options[name as keyof typeof options]]));
  const input = { ...rest, ...given, ...(given.tools ? { pageTools } : {}) };
  const inPlaceOf = (old: WithMessages | undefined): readonly Message[] => {
    const [first] = (isSame && old?.messages) || [];
    return first ? messages.map((message) => ({ ...message, id: first.id })) : messages;
  };
  return {
    method: "editQueued",
    json: toJson({ ...input, messages: inPlaceOf(row), runId }),
    runId,
    fold: (at) => ({ ...at, queue: at.queue.map((each) => (each.runId === runId ? { ...each, messages: inPlaceOf(each) } : each)) }),
    waiting: (old) => ({ ...old, ...JSON.parse(toJson(input)), messages: inPlaceOf(old), own: [...(old.own ?? []), ...own] }),
  };
}
