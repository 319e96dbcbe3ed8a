// The question for the stored thread, which is asked until the server answers.

import type { AgentError } from "../api/error.js";
import { askPage, errorOf, hydrate, inTime } from "./ask.js";
import type { RemoteClient } from "./client.js";
import { connect, type Connected } from "./connect.js";
import { toEvents } from "./page.js";

/** The question for the thread of this client. `failed` is called for each answer that fails. */
export function createThreadRequest<State>(client: RemoteClient<State>, failed: (error: AgentError) => void) {
  // Asks the server again, where an answer has failed.
  let again: (() => void) | undefined;
  let givenUp = false;
  let nothing: Promise<Connected> | undefined;
  let giveUp = (): void => {};

  const ask = async (runId: string, stopped: AbortSignal): Promise<Connected> => {
    for (;;) {
      try {
        return await askOnce(client, runId, stopped);
      } catch (cause) {
        if (stopped.aborted) throw cause;
        const error = errorOf(client, cause, "The thread could not be loaded");
        const called = new Promise<void>((resolve, reject) => {
          again = resolve;
          stopped.addEventListener("abort", () => reject(cause));
        });
        failed(error);
        await called;
      }
    }
  };

  return {
    /** It is going to be asked, for this run of the core. Returns what ends it, which the end of the agent does too. */
    begin: (runId: string, disposal: AbortSignal): AbortController => {
      const stop = new AbortController();
      disposal.addEventListener("abort", () => stop.abort());
      givenUp = false;
      nothing = new Promise((resolve) => {
        giveUp = () => {
          givenUp = true;
          const { threadId, interrupts } = client.core();
          resolve(toEvents(undefined, interrupts, runId, threadId));
          stop.abort();
        };
      });
      return stop;
    },
    /**
     * Resolves with an answer; after a failure, with that to the next question; once it is given up, with one that changes nothing. Rejects once
     * `stopped` is aborted.
     */
    ask: (runId: string, stopped: AbortSignal): Promise<Connected> => Promise.race([nothing!, ask(runId, stopped)]),
    /** Nobody waits for an answer. */
    giveUp: (): true => (giveUp(), true),
    isGivenUp: () => givenUp,
    hasFailed: () => !!again,
    /** Asks again after a failure. */
    repeat: () => again?.(),
    /** The answer is no longer needed. */
    end: () => void (again = undefined),
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
