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

import { cutOff } from "../snapshot/cut-off.js";
import { AgentError } from "../api/error.js";
import { call } from "../base/call.js";
import { internal, isTrap, misuse } from "../base/failure.js";
import type { Body, Session } from "../glue/core.js";
import type { CheckpointData } from "../snapshot/mirror.js";
import { initialSnapshot } from "../snapshot/initial.js";
import type { Client, Edit, Link, Run } from "./client.js";
import type { Core } from "./loader.js";
import { beginPatch, keep, type Patching } from "../snapshot/mirror.js";
import { createScheduler } from "../snapshot/notify.js";
import { composeSave, type Queued } from "../snapshot/save.js";
import { readBody, sliceMs, turn } from "./read.js";

import { watched, type WatchfulHost } from "./traps.js";
import type { AgentSnapshot, RunResult } from "../api/types.js";
import { kept, weakly } from "../base/weak.js";

/** Whether a run is that one, or follows on its calls: it has its id and a number then. */
const belongs = (runId: string, id: string): boolean => runId === id || runId.replace(/-\d+$/, "") === id;

/** An open session and the runs that it works on. */
interface Live<State> {
  session?: Session;
  /** What the session calls, which holds it only weakly: it may be collected with the agent. */
  host?: WatchfulHost;
  readonly tickets: Map<number, Run<State>>;
  /** Results of runs that ended before their ticket was returned. */
  readonly early: Map<number, string>;
  /** Whether a call that returns a ticket is on. */
  starting: boolean;
  /** What the last request has failed with. */
  thrown?: { readonly cause: unknown } | undefined;
  /** Whether it reads the save that it begins with. */
  restoring: boolean;
  /** How long what it says now may take the page: all of it, unless it reads an answer of the server. */
  until: number;
  /** A patch that is not applied to its end, with the checkpoints on its way; whether it continues in a task of its own. */
  patching?: Patching<AgentSnapshot<State>> | undefined;
  readonly marks: [CheckpointData, AgentSnapshot<State>][];
  turning?: boolean;
  /** What is done once it is shown. */
  readonly unshown: (() => void)[];
}

const closed = { phase: "closed", attempt: 0 } as const;
const connecting = { phase: "connecting", attempt: 0 } as const;

/** The link of one agent. Touches no WebAssembly before it has to. */
export function createLink<State>(client: Client<State>): Link<State> {
  type Snapshot = AgentSnapshot<State>;
  const { source, settings, emitter, calls, read, publish } = client;
  const runs = new Set<Run<State>>();
  let core: Core | undefined;
  let loading: Promise<void> | undefined;
  let live: Live<State> | undefined;
  // What is to be told after several calls that look like one from outside; nobody is called before.
  let held: (() => void)[] | undefined;
  let disposed = false;
  let base: Snapshot | undefined;
  let steps: { run?: Run<State> | undefined; edit: Edit<State> | Run<State>; acts?: boolean }[] = [];
  let lost: Run<State> | undefined;
  // A save that the next session begins with, or `true` while it is on the way.
  let saved: string | true | undefined;
  // The last save that is known, as long as every one is: where nobody keeps them, the core is not asked for any.
  let known: string | undefined;

  /**
   * Brings the snapshot up to date. Where that takes until later than that time, the rest is done after the page has had its
   * turn, and nothing of it is shown before.
   */
  const show = (until: number): void => {
    scheduler.clear();
    if (!live || held) return;
    const mine = live;
    try {
      if (!advance(mine, until)) return;
    } catch (error) {
      fail(mine, error);
      return;
    }
    const { snapshot: next } = mine.patching!;
    const marks = mine.marks.splice(0);
    mine.patching = undefined;
    for (const [mark, snapshot] of marks) client.mark(mark, snapshot);
    if (next.error !== read().error) explain(mine, next.error);
    publish(next);
    leave(mine);
  };

  /** Applies what the core gives, until that time. False: there is nothing to show. */
  const advance = (mine: Live<State>, until: number): boolean => {
    const late = (): boolean => until !== Infinity && !!mine.patching?.parted && performance.now() > until;
    const begin = (from: Snapshot): Patching<Snapshot> =>
      (mine.patching = beginPatch(from, (mark, snapshot) => mine.marks.push([mark, snapshot])));
    // What was begun before lacks what has come since.
    let again = !!mine.patching;
    for (let patching = mine.patching; ; ) {
      while (patching?.step()) if (late()) return goOn(mine);
      if (patching?.whole && !again) return true;
      const patch = mine.session!.takePatch();
      // In worker mode a part may be on its way.
      if (patch === undefined) return !!patching?.whole;
      if (patching?.whole) again = false;
      if (!patching || patching.whole) patching = begin(patching?.snapshot ?? read());
      patching.take(patch);
      if (late()) return goOn(mine);
    }
  };

  const goOn = (mine: Live<State>): false => {
    if (!mine.turning) {
      turn(() => {
        mine.turning = false;
        if (mine === live) show(slice());
      });
    }
    mine.turning = true;
    return false;
  };

  const slice = (): number => performance.now() + sliceMs;
  const flush = (): void => show(Infinity);
  const scheduler = createScheduler(client.notify, () => show(slice()));

  /** Does it once the snapshot shows all that has led to it. */
  const onceShown = (mine: Live<State>, action: () => void): void => {
    show(mine.until);
    if (mine.patching) mine.unshown.push(action);
    else action();
  };

  /** The same body, so that it is known what comes from it: nobody waits for that at once. */
  const fromServer = (mine: Live<State>, body: Body): Body => {
    const reading = <Result>(until: number, read: () => Result): Result => {
      mine.until = until;
      try {
        return read();
      } finally {
        mine.until = Infinity;
      }
    };
    return {
      room: (bytes) => body.room(bytes),
      read: (length, now) => reading(now - performance.timeOrigin + sliceMs, () => body.read(length, now)),
      end: () => reading(slice(), () => body.end()),
      fail: (error) => reading(slice(), () => body.fail(error)),
      free: () => body.free(),
    } as Body;
  };

  /** Gives the error of a connection the value that was thrown, which the core does not see. */
  const explain = ({ thrown }: Live<State>, error: AgentError | undefined): void => {
    if (!thrown || !error || !(error.kind === "connection" || error.kind === "auth" || error.code === "truncated")) return;
    Object.defineProperty(error, "cause", { value: thrown.cause, writable: true, configurable: true });
  };

  const soon = (action: () => void): void => {
    if (held) held.push(action);
    else action();
  };

  /** Publishes what the calls have come to, then tells. */
  const release = (show: () => void): void => {
    const actions = held;
    held = undefined;
    show();
    actions?.forEach((action) => action());
  };

  const tell = (run: Run<State> | undefined, result: RunResult): void => {
    run?.resolve(result);
    if (run?.part && [...runs].some(({ part }) => part)) return;
    if (run?.quiet && result.outcome === "success") return;
    soon(() => {
      if (result.error) emitter.emit("error", result.error);
      if (result.outcome !== "dropped" && result.outcome !== "disconnected") emitter.emit("finish", result);
    });
  };

  const settle = (run: Run<State>, result: RunResult): void => {
    if (runs.delete(run)) tell(run, result);
  };

  /** Whoever waits for a run of the queue of an earlier session. */
  const adopted = (runId: string): Run<State> | undefined => {
    const run = [...runs].find(({ id, ticket }) => ticket === undefined && belongs(runId, id));
    if (run) runs.delete(run);
    return run;
  };

  /** A ticket has come to its end; without a run if nobody asked for it, but a result that was given by hand led to it. */
  const finish = (mine: Live<State>, ticket: number, run: Run<State> | undefined, json: string): void => {
    mine.tickets.delete(ticket);
    if (run && !runs.delete(run)) return;
    // Who waits for the end must find it in the snapshot.
    const { error: data, ...result } = JSON.parse(json);
    const waiting = run ?? adopted(result.runId);
    onceShown(mine, () => {
      if (!data) return tell(waiting, result);
      const shown = read().error;
      const same = shown && shown.kind === data.kind && shown.message === data.message;
      const error = same ? shown : new AgentError(data);
      if (!same) explain(mine, error);
      tell(waiting, { ...result, error });
    });
  };

  /** The session is lost, the snapshot is not. */
  const fail = (mine: Live<State>, cause: unknown, last = read()): void => {
    if (mine !== live || disposed) return;
    live = undefined;
    kept.delete(mine);
    scheduler.clear();
    calls.abandonAll();
    const ended = cutOff(last, "error");
    const shown = { ...ended, messages: [...ended.messages, ...last.queue.flatMap(({ messages }) => messages)] };
    const rescued = client.rescue?.(settings.saves ? ended.messages : shown.messages);
    // What the thread does not tell stays known; but a save over which the core fails is not tried twice.
    if (rescued !== undefined) saved = rescued || undefined;
    else if (!mine.restoring && (known !== undefined || last.interrupts.length || last.toolCalls.length)) {
      saved = rescue(known === undefined ? shown : ended);
    }
    giveUp(AgentError.is(cause) ? cause : internal("The WebAssembly core has failed", cause), shown);
    leave(mine);
  };

  /** Tells how runs have ended: it is shown, or the session is over and will show nothing. */
  const leave = ({ unshown }: Live<State>): void => {
    for (const action of unshown.splice(0)) action();
  };

  /** The save of a session that was lost. What was called is not called again. */
  const rescue = ({ threadId, messages, state, interrupts, toolCalls }: Snapshot): string => {
    const last = JSON.parse(composeSave(known, { threadId, messages, state }));
    const handled = [...new Set([...last.handled, ...toolCalls.map(({ id }) => id)])];
    const open = interrupts.map((interrupt) => ({ ...interrupt, answered: undefined }));
    return JSON.stringify({ ...last, interrupts: open, handled });
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
    if (typeof saved === "string") for (const step of steps) step.run = undefined;
    else forget();
    kept.delete(client);
    const outcome = ended.length ? "error" : last.outcome;
    release(() =>
      publish({ ...last, status: "error", isLoading: false, error, outcome, queue: [], connection: closed }),
    );
    for (const run of ended) settle(run, { runId: run.id, outcome: "error", error });
    if (!ended.length) emitter.emit("error", error);
  };

  const host = (mine: Live<State>): WatchfulHost => ({
    request: (...which) => {
      mine.thrown = undefined;
      return client.request(...which);
    },
    failed: (cause) => void (mine.thrown = { cause }),
    receive: (reader, body, memory) => readBody(reader, fromServer(mine, body), memory, (trap) => fail(mine, trap)),
    stopRemote: client.stopRemote,
    changed: (urgent) => {
      if (mine !== live || held) return;
      if (urgent) show(mine.until);
      else scheduler.schedule();
    },
    settled: (ticket, json) => {
      const run = mine.tickets.get(ticket);
      if (!run && mine.starting) mine.early.set(ticket, json);
      else if (mine === live) finish(mine, ticket, run, json);
    },
    custom: (name, value) => {
      if (!emitter.has("custom")) return;
      const data = JSON.parse(value);
      const update = name === "state_update" && typeof data === "object" && data && !Array.isArray(data);
      emitter.emit("custom", update ? { type: name, data } : { type: "custom", name, data });
    },
    event: (json) => {
      if (emitter.has("event")) emitter.emit("event", JSON.parse(json));
    },
    execute: (toolCallId, name, args) => {
      if (mine === live) calls.execute(toolCallId, name, args);
    },
    abandon: (toolCallId) => calls.abandon(toolCallId),
    save: (number, json, holds) => {
      if (mine !== live) return;
      known = json;
      client.save(json, holds, () => {
        if (mine === live) ask(mine, (session) => session.saved(number));
      });
    },
    decision: (json) => soon(() => emitter.emit("decision", JSON.parse(json))),
    warning: (warning) => soon(() => emitter.emit("warning", warning)),
    hold: (on) => {
      if (on && mine === live) kept.add(mine);
      else kept.delete(mine);
    },
    lost: (trap) => fail(mine, trap),
  });

  /** Calls the session. False if it was lost over it. */
  const ask = (mine: Live<State>, method: (session: Session) => void): boolean => {
    try {
      method(mine.session!);
      return true;
    } catch (error) {
      if (!isTrap(error)) throw misuse(error);
      fail(mine, error);
      return false;
    }
  };

  const start = (mine: Live<State>, run: Run<State>): void => {
    // Inside a call of the core's another may begin.
    const outer = mine.starting;
    mine.starting = true;
    try {
      const ticket = run.start(mine.session!);
      run.ticket = ticket;
      mine.tickets.set(ticket, run);
    } catch (error) {
      if (isTrap(error)) fail(mine, error, run.fold(read()));
      else if (runs.delete(run)) run.reject(misuse(error));
    }
    mine.starting = outer;
    if (outer) return;
    for (const [ticket, json] of mine.early) {
      mine.early.delete(ticket);
      if (mine === live) finish(mine, ticket, mine.tickets.get(ticket), json);
    }
  };

  const construct = ({ messages, state }: Snapshot, mine: Live<State>): Session => {
    const options = { ...settings, events: emitter.has("event"), decisions: emitter.has("decision") };
    try {
      const thread = messages.length ? JSON.stringify(messages) : undefined;
      mine.host = host(mine);
      return new core!.Session(options, thread, JSON.stringify(state), watched(weakly(mine.host)));
    } catch (error) {
      throw isTrap(error) ? error : misuse(error);
    }
  };

  /** Makes a session from the thread as it was before the first run that waits, and does all that waits. */
  const open = (): void => {
    const save = saved as string | undefined;
    let from = save ? client.empty() : (base ?? read());
    const todo = steps;
    forget();
    saved = undefined;
    while (!save && todo.length && !todo[0]!.run && !todo[0]!.acts) from = todo.shift()!.edit.fold(from);
    const mine: Live<State> = {
      tickets: new Map(),
      early: new Map(),
      starting: false,
      restoring: true,
      until: Infinity,
      marks: [],
      unshown: [],
    };
    // The core tells of all messages and calls, as it has read them; what it has read as they are keeps its identity.
    let next = initialSnapshot<State>(from.threadId, [], from.state);
    live = mine;
    held = [];
    try {
      mine.session = construct(from, mine);
      try {
        if (save && !ask(mine, (session) => session.restore(save))) return;
        if (save && settings.saves) known = save;
      } catch (error) {
        // What waits continues without it.
        soon(() => client.refused(error as AgentError));
      }
      mine.restoring = false;
      for (const { run, edit, acts } of todo) {
        if (mine !== live) return;
        if (run) start(mine, run);
        else if ("start" in edit) {
          // Cancelled while it waited: its messages stay, as above, and nobody waits for it.
          start(mine, edit);
          ask(mine, (session) => edit.ticket && session.cancel(edit.ticket));
        } else if (acts) call(() => void ask(mine, edit.apply));
        else if (!ask(mine, edit.apply)) return;
      }
      if (mine !== live) return;
      const patching = beginPatch(next, client.mark);
      for (let patch; !patching.whole && (patch = mine.session.takePatch()) !== undefined; ) {
        patching.take(patch);
        while (patching.step());
      }
      next = patching.snapshot;
    } catch (error) {
      fail(mine, error);
      return;
    }
    const shown = read();
    const same = <Part>(old: Part, part: Part): Part => keep(old, part) as Part;
    const messages = same(shown.messages, next.messages);
    const toolCalls = same(shown.toolCalls, next.toolCalls);
    const state = same(shown.state, next.state);
    release(() => publish({ ...next, messages, toolCalls, state }));
  };

  /** Whether a step begins a run; one of several replies need not. */
  const begins = ({ run }: { readonly run?: Run<State> | undefined }): boolean => !!run && !run.part;

  /** Shows what waits. */
  const preview = (): void => {
    retain();
    const shown = steps.reduce((snapshot, { edit }) => edit.fold(snapshot), base ?? read());
    const first = steps.find(begins)?.run;
    if (first) {
      const { id: runId } = first;
      const waiting = { status: "running", isLoading: true, error: undefined, outcome: undefined } as const;
      publish({ ...shown, runId, ...waiting, connection: connecting });
    } else {
      const cancelled = { status: "idle", isLoading: false, outcome: "aborted", connection: closed } as const;
      if (!saved && !steps.some(({ run, acts }) => run || acts)) forget();
      publish(read().isLoading ? { ...shown, ...cancelled } : shown);
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
      do core = await source();
      while (saved === true && !disposed);
    } catch (error) {
      cause = error;
    }
    loading = undefined;
    if (disposed) return;
    if (!core) {
      lost = steps.flatMap(({ run }) => run ?? []).pop();
      giveUp(AgentError.is(cause) ? cause : internal("The WebAssembly core could not be loaded", cause), read());
    } else if (steps.length || saved) open();
    else if (read().error?.code === "load") publish({ ...read(), status: "idle", error: undefined });
  };

  const load = async (): Promise<void> => {
    if (!live && (!core || saved) && !disposed) await (loading ??= attempt());
  };

  const begin = (): void => {
    if (!core || saved === true) void load();
    else if (steps.length) open();
  };

  /** Ends the session. */
  const end = (): void => {
    const mine = live;
    const session = mine?.session;
    if (live) kept.delete(live);
    // Whoever ends it says what becomes of its runs.
    live = undefined;
    if (session) call(() => session.dispose());
    scheduler.clear();
    calls.abandonAll();
    if (mine) leave(mine);
    // Not now: this may be a call from inside the session.
    if (session) queueMicrotask(() => call(() => session.free()));
  };

  const link: Link<State> = {
    load,
    run: (run, later = false) => {
      runs.add(run);
      lost = undefined;
      if (live) return start(live, run);
      wait(run);
      if (!later) begin();
    },
    edit: (edit) => {
      if (live && ask(live, edit.apply)) return;
      if (saved) base ??= read();
      if (steps.length || saved) steps.push({ edit });
      publish(edit.fold(read()));
    },
    act: (apply) => {
      if (live) return void ask(live, apply);
      base ??= read();
      steps.push({ edit: { fold: (at) => at, apply }, acts: true });
      retain();
      begin();
    },
    flush,
    now: (method) => {
      let value;
      if (live) ask(live, (session) => (value = method(session)));
      return value;
    },
    queued: (runId, change) => {
      if (live || typeof saved !== "string") return false;
      const save = JSON.parse(saved) as { queue?: readonly Queued[] };
      const replaced = new Map(save.queue?.map((waiting) => [waiting.runId, waiting.runId === runId ? change(waiting) : waiting]));
      if (!replaced.has(runId)) return false;
      const queue = [...replaced.values()].filter((waiting) => waiting !== undefined);
      saved = JSON.stringify({ ...save, queue });
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
        if (live && waiting) ask(live, (session) => session.cancel(Number(waiting.id)));
      }
      else if (live) ask(live, (session) => session.cancel(ticket));
    },
    stop: () => {
      const first = steps.find(({ run }) => run)?.run;
      if (live) ask(live, (session) => session.stop());
      else if (first) cancelWaiting(first);
    },
    reset: (edit, heard) => {
      if (live) {
        // One change for those who look, although it is several for the core.
        held = [];
        let done = false;
        try {
          done = ask(live, edit.apply);
        } finally {
          release(flush);
          heard?.();
        }
        if (done) return;
      } else heard?.();
      forget();
      // Nothing of what was known before comes back.
      saved = known = edit.save;
      publish(edit.fold(read()));
      for (const run of [...runs]) settle(run, { runId: run.id, outcome: "aborted" });
    },
    save: () => {
      let json: string | undefined;
      if (live) call(() => void ask(live!, (session) => (json = session.save())));
      if (json) return json;
      if (typeof saved === "string" && !steps.length) return saved;
      const waiting = steps.flatMap(({ run }) => run?.queued?.() ?? []);
      return composeSave(typeof saved === "string" ? saved : known, read(), waiting);
    },
    open: () => !!live,
    busy: () => read().isLoading || steps.some(({ run, acts }) => (run && !run.part) || acts),
    suspend: (outcome = "disconnected", waiting = []) => {
      const json = link.save();
      end();
      known = json;
      forget();
      saved = true;
      const last = read();
      if (last.isLoading) publish({ ...cutOff(last, "aborted"), status: "idle", isLoading: false, outcome: "aborted", connection: closed });
      for (const run of [...runs]) {
        if (waiting.includes(run.id)) delete run.ticket;
        else settle(run, { runId: run.id, outcome });
      }
      return json;
    },
    strand: () => {
      if (!live || !link.busy()) return undefined;
      const json = link.save();
      flush();
      for (const { id } of read().queue) if (live) ask(live, (session) => session.cancel(Number(id)));
      return json;
    },
    await: () => void (saved = true),
    restore: (shown, json) => {
      // Reset meanwhile, which has forgotten it.
      if (disposed || !saved) return;
      saved = json;
      if (!steps.length) {
        if (shown) publish(shown);
        return;
      }
      if (shown) base = shown;
      preview();
    },
    lost: () => lost,
    listen: () => {
      if (!live) return;
      ask(live, (session) => {
        session.setEvents?.(emitter.has("event"));
        session.setDecisions?.(emitter.has("decision"));
      });
    },
    dispose: () => {
      flush();
      disposed = true;
      end();
      forget();
      const last = read();
      release(() => {
        if (!last.isLoading) return;
        const ended = cutOff(last, "aborted");
        publish({ ...ended, status: "idle", isLoading: false, outcome: "aborted", queue: [], connection: closed });
      });
      const { runId, isLoading } = last;
      const own = runId !== undefined && [...runs].some(({ id }) => belongs(runId, id));
      for (const run of [...runs]) settle(run, { runId: run.id, outcome: "aborted" });
      // It follows on calls, or is one of an earlier session.
      if (isLoading && runId !== undefined && !own) tell(undefined, { runId, outcome: "aborted" });
    },
  };
  return link;
}
