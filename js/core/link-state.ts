// The state that a link and its session share: the runs that somebody waits for, and the notices of their ends.

import type { AgentError } from "../api/error.js";
import type { AgentSnapshot, RunResult } from "../api/types.js";
import { retained } from "../base/weak.js";
import { failed } from "../snapshot/project.js";
import type { LinkClient, LinkState, Run } from "./client.js";
import { createSteps } from "./steps.js";

/** The state without a run or a session. */
export function createLinkState<State>(client: LinkClient<State>): LinkState<State> {
  const runs = new Set<Run<State>>();

  const soon = (action: () => void): void => {
    if (shared.held) shared.held.push(action);
    else action();
  };

  const release = (show: () => void): void => {
    const actions = shared.held;
    shared.held = undefined;
    show();
    actions?.forEach((action) => action());
  };

  /** `reported`: the error is one that was reported already. */
  const report = (run: Run<State> | undefined, settled: RunResult, reported = false): void => {
    const result = client.parts()?.withHead(client, run?.id ?? settled.runId, settled) ?? settled;
    run?.resolve(result);
    if (run?.part && [...runs].some(({ part }) => part)) return;
    if (run?.quiet && result.outcome === "success") return;
    soon(() => {
      if (result.error && !reported) client.notify(run, "error", result.error);
      if (result.outcome !== "dropped" && result.outcome !== "disconnected") client.notify(run, "finish", result);
    });
  };

  const settle = (run: Run<State>, outcome: RunResult["outcome"], error?: AgentError, reported?: boolean): void => {
    if (runs.delete(run)) report(run, { runId: run.id, outcome, ...(error && { error }) }, reported);
  };

  const giveUp = (error: AgentError, last: AgentSnapshot<State>): void => {
    const ended = [...runs];
    // The state that the next session begins with lacks the steps that the snapshot shows.
    if (typeof shared.saved === "string") { for (const step of shared.steps.list) step.run = undefined; }
    else shared.steps.forget();
    retained.delete(client);
    const outcome = ended.length ? "error" : last.outcome;
    release(() => client.publish(failed(last, error, outcome)));
    ended.forEach((run, at) => settle(run, "error", error, at > 0));
    if (!ended.length) client.emitter.emit("error", error);
  };

  const shared = {
    ...{ runs, disposed: false, soon, release, report, settle, giveUp },
    settleAll: (outcome: RunResult["outcome"]) => {
      for (const run of [...runs]) settle(run, outcome);
    },
  } as LinkState<State>;
  shared.steps = createSteps(client, shared);
  return shared;
}
