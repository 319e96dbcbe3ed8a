// The link between an agent and the core: loads it, keeps what is called before it is there, and replaces the session
// should WebAssembly trap.
//
// A session exists only while it is needed. Without one, edits change the snapshot at once, and runs wait in `steps`,
// with every edit that comes after them, while the snapshot shows how it will look. After a save that the core has yet
// to read, edits wait as well.
//
//   no session ──run, act──► loading ──► session ──trap──► no session (status "error", the snapshot stays)
//        ▲                      │failed
//        └──────────────────────┘ (status "error", nothing is lost)

import { begun, cancelled, failed, stopped } from "../snapshot/project.js";
import { AgentError } from "../api/error.js";
import { call } from "../base/call.js";
import { internal, misuse } from "../base/failure.js";
import type { Client, Link, Run, Shared, Step } from "./client.js";
import type { Port } from "./port.js";
import { belongs } from "./run-id.js";
import type { Session } from "../glue/core.js";
import { composeSave } from "../snapshot/compose.js";
import type { Queued } from "../snapshot/save.js";
import type { AgentSnapshot, RunResult } from "../api/types.js";
import { kept } from "../base/weak.js";

/** The link of one agent. Touches no WebAssembly before it has to. */
export function createLink<State>(client: Client<State>): Link<State> {
  type Snapshot = AgentSnapshot<State>;
  const { source, emitter, read, publish } = client;
  const runs = new Set<Run<State>>();
  let port: Port | undefined;
  let loading: Promise<void> | undefined;
  let base: Snapshot | undefined;
  let steps: Step<State>[] = [];
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

  const report = (run: Run<State> | undefined, result: RunResult): void => {
    run?.resolve(result);
    if (run?.part && [...runs].some(({ part }) => part)) return;
    if (run?.quiet && result.outcome === "success") return;
    soon(() => {
      if (result.error) emitter.emit("error", result.error);
      if (result.outcome !== "dropped" && result.outcome !== "disconnected") emitter.emit("finish", result);
    });
  };

  const settle = (run: Run<State>, result: RunResult): void => {
    if (runs.delete(run)) report(run, result);
  };

  /** What waits for a session shall have one, also if nobody holds the agent. */
  const retain = (): void => {
    if (steps.some(({ run, acts }) => run || acts)) kept.add(client);
    else kept.delete(client);
  };

  /** Nothing waits. */
  const forget = (): void => {
    base = undefined;
    steps = [];
    retain();
  };

  /** Every run has failed. */
  const giveUp = (error: AgentError, last: Snapshot): void => {
    const ended = [...runs];
    // What the next session begins with does not know what the snapshot shows beside it.
    if (typeof shared.saved === "string") for (const step of steps) step.run = undefined;
    else forget();
    kept.delete(client);
    const outcome = ended.length ? "error" : last.outcome;
    release(() => publish(failed(last, error, outcome)));
    for (const run of ended) settle(run, { runId: run.id, outcome: "error", error });
    if (!ended.length) emitter.emit("error", error);
  };

  const shared: Shared<State> = { runs, disposed: false, soon, report, giveUp };

  /** Makes a session from the thread as it was before the first run that waits, and does all that waits. */
  const open = (): void => {
    const save = shared.saved as string | undefined;
    let from = save ? client.empty() : (base ?? read());
    const todo = steps;
    forget();
    shared.saved = undefined;
    while (!save && todo.length && !todo[0]!.run && !todo[0]!.acts) from = todo.shift()!.edit.fold(from);
    shared.held = [];
    const shown = client.parts()!.openSession(client, shared, port!, from, save, todo);
    if (shown) release(() => publish(shown));
  };

  /** Whether a step begins a run; one of several replies need not. */
  const begins = ({ run }: { readonly run?: Run<State> | undefined }): boolean => !!run && !run.part;

  /** Shows what waits. */
  const preview = (): void => {
    retain();
    const shown = steps.reduce((snapshot, { edit }) => edit.fold(snapshot), base ?? read());
    const first = steps.find(begins)?.run;
    if (first) {
      publish(begun(shown, first.id));
    } else {
      if (!shared.saved && !steps.some(({ run, acts }) => run || acts)) forget();
      publish(read().isLoading ? cancelled(shown) : shown);
    }
  };

  const cancelWaiting = (run: Run<State>): void => {
    const index = steps.findIndex((step) => step.run === run);
    if (index < 0) return;
    // The first one counts as started: its messages stay, as they do when a run is stopped.
    if (steps.some((step, i) => step.run && i < index)) steps.splice(index, 1);
    else steps[index]!.run = undefined;
    preview();
    settle(run, { runId: run.id, outcome: "aborted" });
  };

  const wait = (run: Run<State>): void => {
    if (steps.some(begins)) {
      if (run.ifBusy === "drop") return settle(run, { runId: run.id, outcome: "dropped" });
      if (run.ifBusy === "reject") {
        runs.delete(run);
        return run.reject(misuse(Object.assign(new Error("Another run is in progress"), { code: "busy" })));
      }
    }
    base ??= read();
    const step = { run, edit: run };
    const first = steps.findIndex(begins);
    if (run.ifBusy !== "replace" || first < 0) {
      steps.push(step);
      return preview();
    }
    // It comes before what waits after the one that it replaces.
    steps.splice(first + 1, 0, step);
    cancelWaiting(steps[first]!.run!);
  };

  const attempt = async (): Promise<void> => {
    let cause: unknown;
    try {
      // Whoever owns the save may have changed while the core came: the save is on the way again then.
      do port = await source();
      while (shared.saved === true && !shared.disposed);
    } catch (error) {
      cause = error;
    }
    loading = undefined;
    if (shared.disposed) return;
    if (!port) {
      lost = steps.flatMap(({ run }) => run ?? []).pop();
      giveUp(AgentError.is(cause) ? cause : internal("The WebAssembly core could not be loaded", cause), read());
    } else if (steps.length || shared.saved) open();
    else if (read().error?.code === "load") publish({ ...read(), status: "idle", error: undefined });
  };

  const load = async (): Promise<void> => {
    if (!shared.live && (!port || shared.saved) && !shared.disposed) await (loading ??= attempt());
  };

  const begin = (): void => {
    if (!port || shared.saved === true) void load();
    else if (steps.length) open();
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
      wait(run);
      if (!later) begin();
    },
    edit: (edit) => {
      if (ask(edit.apply)) return;
      if (shared.saved) base ??= read();
      if (steps.length || shared.saved) steps.push({ edit });
      publish(edit.fold(read()));
    },
    act: (apply) => {
      if (shared.live) return void shared.live.ask(apply);
      base ??= read();
      steps.push({ edit: { fold: (at) => at, apply }, acts: true });
      retain();
      begin();
    },
    flush,
    now: (method) => {
      let value;
      ask((session) => (value = method(session)));
      return value;
    },
    queued: (runId, change) => {
      if (shared.live || typeof shared.saved !== "string") return false;
      const save = JSON.parse(shared.saved) as { queue?: readonly Queued[] };
      const replaced = new Map(save.queue?.map((waiting) => [waiting.runId, waiting.runId === runId ? change(waiting) : waiting]));
      if (!replaced.has(runId)) return false;
      const queue = [...replaced.values()].filter((waiting) => waiting !== undefined);
      shared.saved = JSON.stringify({ ...save, queue });
      const shown = read().queue.flatMap((waiting) => {
        const now = replaced.get(waiting.runId);
        return now ? { ...waiting, messages: now.messages } : [];
      });
      publish({ ...read(), queue: shown });
      if (!replaced.get(runId)) for (const run of [...runs]) if (run.id === runId) settle(run, { runId, outcome: "aborted" });
      return true;
    },
    cancel: (run) => {
      const { ticket } = run;
      if (!runs.has(run)) return;
      if (ticket === undefined && steps.some((step) => step.run === run)) cancelWaiting(run);
      else if (ticket === undefined) {
        const waiting = read().queue.find(({ runId }) => runId === run.id);
        if (waiting) ask((session) => session.cancel(Number(waiting.id)));
      }
      else ask((session) => session.cancel(ticket));
    },
    stop: () => {
      // What they come to is of no use from now on, also where somebody has answered the call meanwhile.
      if (read().isLoading) client.parts()?.calls.abandonAll();
      const first = steps.find(begins)?.run;
      if (shared.live) shared.live.ask((session) => session.stop());
      else if (first) cancelWaiting(first);
      // Whether the replies that wait are all of them, and begin a run, is known to the core.
      else if (steps.some(({ run }) => run)) link.act((session) => session.stop());
    },
    reset: (edit, heard) => {
      client.parts()?.calls.abandonAll();
      if (shared.live) {
        // One change for those who look, although it is several for the core.
        shared.held = [];
        let done = false;
        try {
          done = shared.live.ask(edit.apply);
        } finally {
          release(flush);
          heard?.();
        }
        if (done) return;
      } else heard?.();
      forget();
      // Nothing of what was known before comes back.
      shared.saved = shared.known = edit.save;
      publish(edit.fold(read()));
      for (const run of [...runs]) settle(run, { runId: run.id, outcome: "aborted" });
    },
    save: () => {
      let json: string | undefined;
      call(() => void ask((session) => (json = session.save())));
      if (json) return json;
      if (typeof shared.saved === "string" && !steps.length) return shared.saved;
      const waiting = steps.flatMap(({ run }) => run?.queued?.() ?? []);
      // What waits has its messages with it.
      const thread = steps.reduce((at, { run, edit }) => (run?.queued ? at : edit.fold(at)), base ?? read());
      return composeSave(typeof shared.saved === "string" ? shared.saved : shared.known, thread, waiting);
    },
    open: () => !!shared.live,
    partly: () => !!shared.live?.partly(),
    busy: () => read().isLoading || client.ending() || steps.some(({ run, acts }) => (run && !run.part) || acts),
    suspend: (outcome = "disconnected", waiting = []) => {
      const json = link.save();
      end();
      shared.known = json;
      forget();
      shared.saved = true;
      const last = read();
      if (last.isLoading) publish(stopped(last));
      for (const run of [...runs]) {
        if (waiting.includes(run.id)) delete run.ticket;
        else settle(run, { runId: run.id, outcome });
      }
      return json;
    },
    strand: () => {
      if (!shared.live || !link.busy()) return undefined;
      const json = link.save();
      flush();
      for (const { id } of read().queue) ask((session) => session.cancel(Number(id)));
      return json;
    },
    awaitSave: () => void (shared.saved = true),
    restore: (shown, json) => {
      // Reset meanwhile, which has forgotten it.
      if (shared.disposed || !shared.saved) return;
      shared.saved = json;
      if (!steps.length) {
        if (shown) publish(shown);
        return;
      }
      if (shown) base = shown;
      preview();
    },
    lost: () => lost,
    listen: () => {
      ask((session) => {
        session.setEvents?.(emitter.wanted());
        session.setDecisions?.(emitter.has("decision"));
      });
    },
    dispose: () => {
      flush();
      shared.disposed = true;
      end();
      forget();
      const last = read();
      release(() => {
        if (last.isLoading) publish({ ...stopped(last), queue: [] });
      });
      const { runId, isLoading } = last;
      const own = runId !== undefined && [...runs].some(({ id }) => belongs(runId, id));
      for (const run of [...runs]) settle(run, { runId: run.id, outcome: "aborted" });
      // It follows on calls, or is one of an earlier session.
      if (isLoading && runId !== undefined && !own) report(undefined, { runId, outcome: "aborted" });
    },
  };
  return link;
}
