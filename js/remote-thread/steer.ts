// A message for a run in progress: a request of its own, which names that run as its parent.

import type { Message, RunResult } from "../api/types.js";
import { errorOf, post, refusalOf } from "./ask.js";
import { eventsOf, type ReceivedEvent } from "./body.js";
import type { Asking, RemoteClient } from "./client.js";
import type { Hidden } from "./hidden.js";
import { failureIn } from "./page.js";

/** A server that takes no message now: nothing has come of the request. */
const refuses: readonly number[] = [400, 404, 405, 409, 422, 501];
const isFrame = ({ event }: ReceivedEvent): boolean => event.type === "RUN_STARTED" || event.type === "RUN_FINISHED";

/**
 * Sends the message at once and shows it. The server's answer is shown after the run in progress. `undefined`: the server does
 * not take it.
 */
export async function steer<State>(client: RemoteClient<State>, hidden: Hidden<State>, submit: Asking, signal: AbortSignal): Promise<RunResult | undefined> {
  const { runId, messages = [], tools, context, forwardedProps } = submit;
  const { runId: parentRunId, state, isLoading, messages: before } = client.core();
  if (!isLoading || !messages.length) return undefined;
  const show = (change: (shown: readonly Message[]) => readonly Message[]): void => {
    const { messages: shown } = client.core();
    client.edit(shown, change(shown));
  };
  const ids = new Set(messages.map(({ id }) => id));
  const failed = (cause: unknown): RunResult => ({ runId, outcome: "error", error: errorOf(client, cause, "The message could not be sent") });
  show((shown) => [...shown, ...messages]);
  let text: string;
  try {
    const sent = messages.map(({ delivery: _, ...message }) => message);
    const said = { parentRunId, state, messages: sent, tools, context, forwardedProps };
    const response = await post(client, runId, false, said, signal);
    if (refuses.includes(response.status)) {
      void response.body?.cancel().catch(() => {});
      show((shown) => shown.filter(({ id }) => !ids.has(id)));
      return undefined;
    }
    if (!response.ok) return failed(await refusalOf(client, response));
    text = await response.text();
  } catch (cause) {
    if (client.disposed()) return { runId, outcome: "aborted" };
    return failed(cause);
  }
  const events = eventsOf(text);
  const error = failureIn(client, events);
  if (error) return failed(error);
  // Most say what comes of it in the run in progress.
  if (events.every(isFrame)) return { runId, outcome: "success" };
  // Where the thread was opened meanwhile, it has the answer.
  const [known, told] = [new Set(before.map(({ id }) => id)), new Set(events.map(({ event }) => event.messageId))];
  const repeats = (): boolean => client.core().messages.some(({ id }) => told.has(id) && !known.has(id));
  return hidden.play(runId, async () => ({ lines: (repeats() ? events.filter(isFrame) : events).map(({ json }) => json) }));
}
