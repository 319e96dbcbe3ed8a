// The question for the stored thread, which is asked until the server answers.

import type { AgentError } from "../api/error.js";
import { askPage, errorOf, hydrate, inTime } from "./ask.js";
import type { RemoteClient } from "./client.js";
import { connect, type Connected } from "./connect.js";
import { toEvents } from "./page.js";

/** A question for the stored thread. */
export type ThreadQuestion = ReturnType<typeof createThreadRequest>;

/** The question for the thread of this client, for that run of the core; it ends with `disposal`. `failed` is called for each answer that fails. */
export function createThreadRequest<State>(client: RemoteClient<State>, runId: string, disposal: AbortSignal, failed: (error: AgentError) => void) {
  const controller = new AbortController();
  const stop = (): void => controller.abort();
  disposal.addEventListener("abort", stop);
  const { signal } = controller;
  let again = (): void => {};
  let givenUp = false;

  return {
    /**
     * Resolves with an answer; after a failure, with that to the next question; once it is given up, with one that changes nothing. Rejects once it
     * is stopped.
     */
    ask: async (): Promise<Connected> => {
      for (;;) {
        try {
          return await askOnce(client, runId, signal);
        } catch (cause) {
          if (!signal.aborted) {
            const called = new Promise<void>((resolve) => {
              again = resolve;
              signal.addEventListener("abort", again);
            });
            failed(errorOf(client, cause, "The thread could not be loaded"));
            await called;
          }
          const { threadId, interrupts } = client.core();
          if (givenUp) return toEvents(undefined, interrupts, runId, threadId);
          if (signal.aborted) throw cause;
        }
      }
    },
    /** Asks again after a failure. */
    repeat: () => again(),
    stop,
    /** Nobody waits for an answer. */
    giveUp: (): void => {
      givenUp = true;
      stop();
    },
    isGivenUp: () => givenUp,
  };
}

async function askOnce<State>(client: RemoteClient<State>, runId: string, signal: AbortSignal): Promise<Connected> {
  const { load } = client.options().thread ?? {};
  const { threadId, interrupts } = client.core();
  if (load === "hydrate" || load === "connect") return inTime(client, signal, (ended) => (load === "hydrate" ? hydrate : connect)(client, runId, ended));
  if (typeof load !== "function") {
    const message = `thread.load: expected "hydrate", "connect" or a function, got ${String(load)}`;
    throw client.error({ kind: "unsupported", code: "input", message });
  }
  return toEvents(await askPage(client, undefined, signal), interrupts, runId, threadId);
}
