// The link between an agent and the core: loads it, keeps what is called before it is there, and replaces the session
// should WebAssembly trap.
//
// A session exists only while it is needed. Without one, edits change the snapshot at once, and runs wait (steps.ts). After a
// save that the core has yet to read, edits wait as well.
//
//   no session ──run, act──► loading ──► session ──trap──► no session (status "error", the snapshot stays)
//        ▲                      │failed
//        └──────────────────────┘ (status "error", nothing is lost)

import { cancelled, failed } from "../snapshot/project.js";
import { AgentError } from "../api/error.js";
import { call } from "../base/call.js";
import { internal } from "../base/failure.js";
import type { LinkClient, Link, Run, LinkState } from "./client.js";
import type { Port } from "./port.js";
import { belongs } from "../base/run-id.js";
import { createSteps } from "./steps.js";
import type { SessionMethods, Session } from "../glue/core.js";
import { composeSave } from "../snapshot/compose.js";
import type { AgentSnapshot, RunResult } from "../api/types.js";
import { retained } from "../base/weak.js";

/** The link of one agent. Touches no WebAssembly before it has to. */
export function createLink<State>(client: LinkClient<State>): Link<State> {
  type Snapshot = AgentSnapshot<State>;
  const { source, emitter, read, publish } = client;
  const runs = new Set<Run<State>>();
  let port: Port | undefined;
  let loading: Promise<void> | undefined;
  let lost: Run<State> | undefined;

  const soon = (action: () => void): void => {
    if (shared.held) shared.held.push(action);
    else action();
  };

  /** Publishes what the calls have come to, then tells. */
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

  const settle = (run: Run<State>, result: RunResult, reported?: boolean): void => {
    if (runs.delete(run)) report(run, result, reported);
  };

  /** Before the core is there nothing streams that would be cut off. */
  const stopped = (at: Snapshot): Snapshot => (client.parts()?.stopped ?? cancelled)(at);

  /** Every run has failed. */
  const giveUp = (error: AgentError, last: Snapshot): void => {
    const ended = [...runs];
    // The state that the next session begins with lacks the steps that the snapshot shows.
    if (typeof shared.saved === "string") steps.release();
    else steps.forget();
    retained.delete(client);
    const outcome = ended.length ? "error" : last.outcome;
    release(() => publish(failed(last, error, outcome)));
    ended.forEach((run, at) => settle(run, { runId: run.id, outcome: "error", error }, at > 0));
    if (!ended.length) emitter.emit("error", error);
  };

  const shared: LinkState<State> = { runs, disposed: false, soon, report, giveUp };
  const steps = createSteps(client, shared, (run, outcome) => settle(run, { runId: run.id, outcome }));

  /** Makes a session from the thread as it was before the first run that waits, and does all that waits. */
  const open = (): void => {
    const [base, all] = steps.take();
    shared.held = [];
    const shown = client.parts()!.openSession(client, shared, port!, base, all);
    if (shown) release(() => publish(shown));
  };

  const attempt = async (): Promise<void> => {
    let cause: unknown;
    try {
      // The save may have another owner since the load began: then it is being read again.
      do port = await source(); while (shared.saved === true && !shared.disposed);
    } catch (error) {
      cause = error;
    }
    loading = undefined;
    if (shared.disposed) return;
    if (!port) {
      lost = steps.list.flatMap(({ run }) => run ?? []).pop();
      giveUp(AgentError.is(cause) ? cause : internal("The WebAssembly core could not be loaded", cause), read());
    } else if (steps.list.length || shared.saved) open();
    else if (read().error?.code === "load") publish({ ...read(), status: "idle", error: undefined });
  };

  const load = async (): Promise<void> => {
    // Where the core was may be gone: then it is asked for anew, and may be elsewhere.
    if (port?.gone?.()) port = undefined;
    if (!shared.live && (!port || shared.saved) && !shared.disposed) await (loading ??= attempt());
  };

  const begin = (): void => {
    if (!port || port.gone?.() || shared.saved === true) void load();
    else if (steps.list.length) open();
  };

  const ask = (method: (session: Session) => void): boolean => !!shared.live?.ask(method);
  const flush = (): void => shared.live?.flush();
  const end = (): void => shared.live?.end();

  const link: Link<State> = {
    load,
    run: (run, later = false) => {
      runs.add(run);
      lost = undefined;
      if (shared.live) return shared.live.start(run);
      steps.wait(run);
      if (!later) begin();
    },
    edit: (edit) => {
      if (ask(edit.apply)) return;
      if (steps.list.length || shared.saved) steps.add(edit, false);
      publish(edit.fold(read()));
    },
    act: (apply) => {
      if (shared.live) return void shared.live.ask(apply);
      steps.add({ fold: (at) => at, apply }, true);
      begin();
    },
    flush,
    call: (method, json) => {
      let value: SessionMethods[typeof method] | undefined;
      ask((session) => (value = session.call(method, json)));
      return value;
    },
    queued: (runId, change) => {
      const aborts = client.parts()?.changeQueued(client, shared, runId, change);
      if (aborts) { for (const run of [...runs]) if (run.id === runId) settle(run, { runId, outcome: "aborted" }); }
      return aborts !== undefined;
    },
    cancel: (run) => {
      const { ticket } = run;
      if (!runs.has(run)) return;
      if (ticket !== undefined) link.call("cancel", `${ticket}`);
      else if (!steps.cancel(run)) {
        const waiting = read().queue.find(({ runId }) => runId === run.id);
        if (waiting) link.call("cancel", waiting.id);
      }
    },
    stop: () => {
      // Their results are of no use from now on, also where somebody has answered the call meanwhile.
      if (read().isLoading) client.parts()?.calls.abandonAll();
      const first = steps.first();
      if (shared.live) link.call("stop");
      else if (first) steps.cancel(first);
      // Whether the replies that wait are all of them, and begin a run, is known to the core.
      else if (steps.list.some(({ run }) => run)) link.act((session) => session.call("stop"));
    },
    reset: (edit, applied) => {
      client.parts()?.calls.abandonAll();
      if (shared.live) {
        // One change for those who look, although it is several for the core.
        shared.held = [];
        let done = false;
        try {
          done = shared.live.ask(edit.apply);
        } finally {
          release(flush);
          applied?.();
        }
        if (done) return;
      } else applied?.();
      steps.forget();
      // Nothing of what was known before comes back.
      shared.saved = shared.lastSave = edit.save;
      publish(edit.fold(read()));
      for (const run of [...runs]) settle(run, { runId: run.id, outcome: "aborted" });
    },
    save: () => {
      let json: string | undefined;
      call(() => (json = link.call("save")));
      if (json) return json;
      if (typeof shared.saved === "string" && !steps.list.length) return shared.saved;
      return composeSave(typeof shared.saved === "string" ? shared.saved : shared.lastSave, ...steps.parted());
    },
    open: () => !!shared.live,
    partly: () => !!shared.live?.partly(),
    busy: () => read().isLoading || client.ending() || steps.list.some(({ run, acts }) => (run && !run.part) || acts),
    suspend: (outcome = "disconnected", waiting = []) => {
      const json = link.save();
      end();
      shared.lastSave = json;
      steps.forget(true);
      shared.saved = true;
      // The next session is asked for anew, with what comes before it: the thread at the server may have to be opened.
      port = undefined;
      const last = read();
      if (last.isLoading) publish(stopped(last));
      for (const run of [...runs]) {
        if (waiting.includes(run.id)) delete run.ticket;
        else settle(run, { runId: run.id, outcome });
      }
      return json;
    },
    awaitSave: () => {
      if (typeof shared.saved === "string") shared.lastSave = shared.saved;
      shared.saved = true;
    },
    restore: (shown, json) => {
      // Reset meanwhile, which has forgotten it.
      if (shared.disposed || !shared.saved) return;
      shared.saved = json;
      shared.lastSave &&= json;
      if (steps.list.length) steps.preview(shown);
      else if (shown) publish(shown);
    },
    lost: () => lost,
    listen: () => {
      if (shared.live) link.call("listen", JSON.stringify({ events: emitter.wanted(), decisions: emitter.has("decision") }));
    },
    dispose: () => {
      flush();
      shared.disposed = true;
      end();
      steps.forget();
      const last = read();
      release(() => {
        if (last.isLoading) publish({ ...stopped(last), queue: [] });
      });
      const { runId, isLoading } = last;
      const isOwnRun = runId !== undefined && [...runs].some(({ id }) => belongs(runId, id));
      for (const run of [...runs]) settle(run, { runId: run.id, outcome: "aborted" });
      // It follows on calls, or is one of an earlier session.
      if (isLoading && runId !== undefined && !isOwnRun) report(undefined, { runId, outcome: "aborted" });
    },
  };
  return link;
}
