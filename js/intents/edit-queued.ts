// A submit that waits gets another input.

import { toJson } from "../base/failure.js";
import type { QueuedIntent } from "./intent.js";
import type { CoreInput } from "./submit.js";

type Input = Partial<CoreInput> & Pick<CoreInput, "messages">;

/**
 * Gives it this input; `own`: what of the options it has of its own from now on. The others stay as they were submitted. Its message has this id, if
 * there is one (`messageId`).
 */
export function queuedEdit<State>(
  runId: string,
  { own = [], tools, pageTools, context, forwardedProps, messages: said, ...rest }: Input,
  messageId?: string,
): QueuedIntent<State> {
  const options = { tools, context, forwardedProps };
  const given = Object.fromEntries(own.map((name) => [name, options[name as keyof typeof options]]));
  const messages = messageId === undefined ? said : said.map((message) => ({ ...message, id: messageId }));
  const json = toJson({ ...rest, ...given, ...(given.tools ? { pageTools } : {}), own, messages, runId });
  return {
    method: "editQueued",
    ...{ json, runId, waiting: json },
    fold: (at) => ({ ...at, queue: at.queue.map((each) => (each.runId === runId ? { ...each, messages } : each)) }),
  };
}
