// The state that a link and its session share: the runs that somebody waits for, and the notices of their ends.

import type { AgentError } from "../api/error.js";
import type { RunResult } from "../api/types.js";
import { retained } from "../base/weak.js";
import { failed } from "../snapshot/run.js";
import type { LinkClient, LinkState, Run } from "./client.js";
import { createPending, giveBack } from "./pending.js";

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
    if (run?.part && [...runs].some(({ part }) => part === run.part)) return;
    if (run?.quiet && result.outcome === "success") return;
    soon(() => {
      if (result.error && !reported) client.notify(run, "error", result.error);
      if (result.outcome !== "dropped" && result.outcome !== "disconnected") client.notify(run, "finish", result);
    });
  };

  const settle = (run: Run<State>, outcome: RunResult["outcome"], error?: AgentError, reported?: boolean): void => {
    if (runs.delete(run)) report(run, { runId: run.id, outcome, ...(error && { error }) }, reported);
  };

  const giveUp: LinkState<State>["giveUp"] = (error, last) => {
    const ended = [...runs];
    const { pending, home } = shared;
    const { outcome } = last ?? pending.confirmed();
    // The state that the next session begins with lacks what is pending.
    if (!last && home.at === "saved") { pending.list.forEach(giveBack); }
    else pending.end(last);
    release(() => pending.show(failed(pending.confirmed(), error, ended.length ? "error" : outcome)));
    retained.delete(client);
    ended.forEach((run, at) => settle(run, "error", error, at > 0));
    if (!ended.length) client.emitter.emit("error", error);
  };

  const shared = {
    ...{ runs, home: {}, soon, release, report, settle, giveUp },
    settleAll: (outcome: RunResult["outcome"]) => {
      for (const run of [...runs]) settle(run, outcome);
    },
  } as LinkState<State>;
  shared.pending = createPending(client, shared);
  return shared;
}
