// The runs of a thread that somebody waits for, and the agents that have asked for them.

import type { RunResult } from "../api/types.js";
import type { Run } from "../core/client.js";
import { attach } from "../intents/attach.js";
import type { RunIntent } from "../intents/run.js";
import { toRunInput } from "./input.js";
import type { Member } from "../thread/members.js";
import type { Thread } from "./thread.js";

/** The runs of a thread. */
export type Jobs<State> = ReturnType<typeof createJobs<State>>;

/** @internal */
export function createJobs<State>(thread: Thread<State>) {
  const { link, members } = thread;
  let rejoining: Promise<RunResult> | undefined;
  const jobs = {
    /** Starts a run of that agent and waits for its end. */
    start: (intent: RunIntent<State> & Pick<Run<State>, "quiet">, by?: Member<State>, signal?: AbortSignal): Promise<RunResult> =>
      new Promise((resolve, reject) => {
        const stop = (): void => link.cancel(job);
        const end = (): void => {
          members.ended(job.id);
          signal?.removeEventListener("abort", stop);
        };
        // Where the core is not there to say when, or hears of it later.
        const keep = link.live()?.keep ?? thread.saves.save;
        const job: Run<State> = {
          fold: (at) => at,
          ...intent,
          by,
          resolve: (result) => (end(), resolve(result)),
          reject: (error) => {
            end();
            // In the store it waits. Calls beside it have begun by then.
            queueMicrotask(keep);
            reject(error);
          },
        };
        members.asks(by, job.id);
        signal?.addEventListener("abort", stop);
        link.run(job);
        keep();
        // Aborted by a listener, before there was something to cancel.
        if (signal?.aborted) stop();
      }),
    /** Joins a run that continues at the server; without an id the last one, whose id is `last` where that is known. */
    join: (runId: string | undefined, by?: Member<State>, last = thread.read().runId): Promise<RunResult> =>
      jobs.start(attach(toRunInput((by ?? members.requester()).options()), runId, last), by),
    /** Joins the run that was in progress when the page was left. */
    rejoin: (runId: string): void => {
      rejoining = jobs.join(undefined, undefined, runId).finally(() => (rejoining = undefined));
      rejoining.catch(() => {});
    },
    /** That join, while it goes on. */
    get rejoining(): Promise<RunResult> | undefined {
      return rejoining;
    },
  };
  return jobs;
}
