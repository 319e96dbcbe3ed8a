// The runs that a session works on, and their ends. Each is called by its name, which outlives the session.

import { AgentError } from "../api/error.js";
import type { RunResult } from "../api/types.js";
import { misuse, unsupported } from "../base/failure.js";
import type { Session } from "../glue/core.js";
import type { Run } from "./client.js";
import type { Seat } from "./seat.js";

/** The runs of a session, of which none was started yet. */
export function createRunEnds<State>({ shared, home, ask, cause, onceShown }: Seat<State>) {
  const { runs, report, pending } = shared;
  // By their names, also where nobody waits for their end any longer.
  const started = new Map<string, Run<State>>();

  /** Without a run if nobody asked for it, but a result that was given by hand led to it. */
  const finish = (run: Run<State> | undefined, json: string): void => {
    if (run && !runs.delete(run)) return;
    // A caller that waits for the end must find it in the snapshot.
    const { error: data, ...result } = JSON.parse(json);
    onceShown(() => {
      if (!data) return report(run, result);
      const shown = pending.confirmed().error;
      const same = shown && shown.kind === data.kind && shown.message === data.message;
      const error = same ? shown : new AgentError(data);
      if (!same) cause.explain(error);
      report(run, { ...result, error } as RunResult);
    });
  };

  return {
    start: (run: Run<State>): void => {
      const twin = started.get(run.id);
      // One that was refused has left its name.
      const isTaken = twin && runs.has(twin);
      if (isTaken && run.method !== "attach") {
        runs.delete(run);
        return run.reject(unsupported("busy", "A run with this runId waits or is in progress"));
      }
      const begin = (opened: Session): void => {
        opened.call(run.method, run.json)?.catch((why: unknown) => {
          if (home() && runs.delete(run)) onceShown(() => run.reject(misuse(why)));
        });
        // Another one has joined its run, and is settled after it.
        if (!isTaken) started.set(run.id, run);
      };
      try {
        ask(begin);
      } catch (error) {
        if (runs.delete(run)) run.reject(error as AgentError);
      }
    },
    /** The run of this name has come to its end: JSON text of the result. */
    settled: (name: string, json: string): void => {
      if (!home()) return;
      // One of the queue of an earlier session has a promise that still waits.
      const run = started.get(name) ?? [...runs].find(({ id }) => id === name);
      started.delete(name);
      const then = shared.late?.settled(name);
      finish(run, json);
      then?.();
    },
  };
}
