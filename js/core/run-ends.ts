// The runs that a session works on, and their ends. Each is called by its name, which outlives the session.

import { AgentError } from "../api/error.js";
import type { AgentSnapshot, RunResult } from "../api/types.js";
import { misuse, unsupported } from "../base/failure.js";
import type { Session } from "../glue/core.js";
import type { Run, LinkState } from "./client.js";

/** The session that works on them. */
export interface WorkingSession<State> {
  /** Whether it is the agent's. */
  current(): boolean;
  /** Calls the session. Throws what the application has to hear of. */
  ask(method: (session: Session) => void): boolean;
  read(): AgentSnapshot<State>;
  /** Adds to an error what only the page knows. */
  explain(error: AgentError): void;
  /** Does it once the snapshot shows all that has led to it. */
  onceShown(action: () => void): void;
}

/** The runs of a session, of which none was started yet. */
export function createRunEnds<State>({ runs, report }: LinkState<State>, client: WorkingSession<State>) {
  const { current, read, explain } = client;
  // By their names, also where nobody waits for their end any longer.
  const started = new Map<string, Run<State>>();

  /** Without a run if nobody asked for it, but a result that was given by hand led to it. */
  const finish = (run: Run<State> | undefined, json: string): void => {
    if (run && !runs.delete(run)) return;
    // A caller that waits for the end must find it in the snapshot.
    const { error: data, ...result } = JSON.parse(json);
    client.onceShown(() => {
      if (!data) return report(run, result);
      const shown = read().error;
      const same = shown && shown.kind === data.kind && shown.message === data.message;
      const error = same ? shown : new AgentError(data);
      if (!same) explain(error);
      report(run, { ...result, error } as RunResult);
    });
  };

  return {
    start: (run: Run<State>): void => {
      const twin = started.get(run.id);
      // One that was refused has left its name.
      const isTaken = !!twin && runs.has(twin);
      if (isTaken && run.method !== "attach") {
        runs.delete(run);
        return run.reject(unsupported("busy", "A run with this runId waits or is in progress"));
      }
      const begin = (opened: Session): void => {
        opened.call(run.method, run.json)?.catch((why: unknown) => {
          if (current() && runs.delete(run)) client.onceShown(() => run.reject(misuse(why)));
        });
        // Another one has joined its run, and is settled after it.
        if (!isTaken) started.set(run.id, run);
      };
      try {
        client.ask(begin);
      } catch (error) {
        if (runs.delete(run)) run.reject(error as AgentError);
      }
    },
    /** The run of this name has come to its end: JSON text of the result. */
    settled: (name: string, json: string): void => {
      if (!current()) return;
      // One of the queue of an earlier session has a promise that still waits.
      const run = started.get(name) ?? [...runs].find(({ id }) => id === name);
      started.delete(name);
      finish(run, json);
    },
  };
}
