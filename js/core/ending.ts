// How a link comes away from a session and its runs: a reset, a suspension, the end of the agent.

import type { AgentSnapshot } from "../api/types.js";
import { belongs } from "../base/run-id.js";
import { cancelled } from "../snapshot/project.js";
import type { Link, LinkClient, LinkState } from "./client.js";

/** These methods of a link; `leave` is that of its opener. */
export function createEndings<State>(
  client: LinkClient<State>,
  shared: LinkState<State>,
  link: () => Link<State>,
  leave: () => void,
): Pick<Link<State>, "cancel" | "stop" | "reset" | "suspend" | "dispose"> {
  const { read, publish } = client;
  const { runs, steps, settleAll } = shared;

  /** Before the core is there nothing streams that would be cut off. */
  const stopped = (at: AgentSnapshot<State>): AgentSnapshot<State> => (client.parts()?.stopped ?? cancelled)(at);

  return {
    cancel: (run) => {
      if (!runs.has(run) || steps.cancel(run)) return;
      const id = run.ticket ?? read().queue.find(({ runId }) => runId === run.id)?.id;
      if (id !== undefined) link().call("cancel", `${id}`);
    },
    stop: () => {
      // Their results are of no use from now on, also where somebody has answered the call meanwhile.
      if (read().isLoading) client.parts()?.calls.abandonAll();
      const first = steps.first();
      if (shared.live) link().call("stop");
      else if (first) steps.cancel(first);
      // Whether the replies that wait are all of them, and begin a run, is known to the core.
      else if (steps.list.some(({ run }) => run)) link().act((session) => session.call("stop"));
    },
    reset: (edit, applied) => {
      client.parts()?.calls.abandonAll();
      if (!shared.live) applied?.();
      else if (shared.live.reset(edit, applied)) return;
      steps.forget();
      // Nothing of what was known before comes back.
      shared.saved = shared.lastSave = edit.save;
      publish(edit.fold(read()));
      settleAll("aborted");
    },
    suspend: (outcome = "disconnected") => {
      const json = link().save();
      shared.live?.end();
      shared.lastSave = json;
      steps.forget(true);
      shared.saved = true;
      leave();
      const last = read();
      if (last.isLoading) publish(stopped(last));
      settleAll(outcome);
      return json;
    },
    dispose: () => {
      shared.live?.flush();
      shared.disposed = true;
      shared.live?.end();
      steps.forget();
      const last = read();
      shared.release(() => {
        if (last.isLoading) publish({ ...stopped(last), queue: [] });
      });
      const { runId, isLoading } = last;
      const isOwnRun = runId !== undefined && [...runs].some(({ id }) => belongs(runId, id));
      settleAll("aborted");
      // It follows on calls, or is one of an earlier session.
      if (isLoading && runId !== undefined && !isOwnRun) shared.report(undefined, { runId, outcome: "aborted" });
    },
  };
}
