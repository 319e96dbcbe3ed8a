// The runs that a session works on, by the tickets that it gives for them.

import { AgentError } from "../api/error.js";
import type { AgentSnapshot, RunResult } from "../api/types.js";
import { misuse } from "../base/failure.js";
import type { Run, LinkState } from "./client.js";
import type { OpenSession } from "./port.js";
import { belongs } from "../base/run-id.js";

/** The session that gives them. */
export interface Ticketed<State> {
  /** Whether it is the agent's. */
  current(): boolean;
  session(): OpenSession;
  read(): AgentSnapshot<State>;
  /** It is lost, and this is shown. */
  fail(cause: unknown, last?: AgentSnapshot<State>): void;
  /** Adds to an error what only the page knows. */
  explain(error: AgentError): void;
  /** Does it once the snapshot shows all that has led to it. */
  onceShown(action: () => void): void;
}

/** The tickets of a session. */
export interface Tickets<State> {
  start(run: Run<State>): void;
  /** A ticket has come to its end: JSON text of the result. `refusal`: the worker has refused the run. */
  settled(ticket: number, json: string, refusal?: unknown): void;
}

/** Nothing was started yet. */
export function createTickets<State>({ runs, report }: LinkState<State>, client: Ticketed<State>): Tickets<State> {
  const { current, read, fail, explain } = client;
  const tickets = new Map<number, Run<State>>();

  /** The run of an earlier session's queue with this id: its promise still waits. */
  const adopted = (runId: string): Run<State> | undefined => {
    const run = [...runs].find(({ id, ticket }) => ticket === undefined && belongs(runId, id));
    if (run) runs.delete(run);
    return run;
  };

  /** Without a run if nobody asked for it, but a result that was given by hand led to it. */
  const finish = (ticket: number, run: Run<State> | undefined, json: string, refusal?: unknown): void => {
    tickets.delete(ticket);
    if (run && !runs.delete(run)) return;
    // A caller that waits for the end must find it in the snapshot.
    const { error: data, ...result } = JSON.parse(json);
    const waiting = run ?? adopted(result.runId);
    client.onceShown(() => {
      if (refusal) return run?.reject(misuse(refusal));
      if (!data) return report(waiting, result);
      const shown = read().error;
      const same = shown && shown.kind === data.kind && shown.message === data.message;
      const error = same ? shown : new AgentError(data);
      if (!same) explain(error);
      report(waiting, { ...result, error } as RunResult);
    });
  };

  return {
    start: (run) => {
      try {
        client.session().enter(
          (opened) => tickets.set(run.ticket = run.start(opened), run),
          (trap) => fail(trap, run.fold(read())),
        );
      } catch (error) {
        if (runs.delete(run)) run.reject(misuse(error));
      }
    },
    settled: (ticket, json, refusal) => {
      if (current()) finish(ticket, tickets.get(ticket), json, refusal);
    },
  };
}
