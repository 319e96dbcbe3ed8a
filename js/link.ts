// The link between an agent and the core: loads it, keeps what is called before it is there, and replaces the session
// should WebAssembly trap.
//
// A session exists only while it is needed. Without one, edits change the snapshot at once, and runs wait in `steps`,
// with every edit that comes after them, while the snapshot shows how it will look. Behind a save that the core has yet
// to read, edits wait as well.
//
//   no session ──run, act──► loading ──► session ──trap──► no session (status "error", the snapshot stays)
//        ▲                      │failed
//        └──────────────────────┘ (status "error", nothing is lost)

import { AgentError } from "./error.js";
import { call, type Emitter } from "./emitter.js";
import { internal, isTrap, misuse } from "./failure.js";
import type { Host, RequestTarget, Session, SessionOptions } from "./glue/core.js";
import type { Mark } from "./history.js";
import { initialSnapshot } from "./initial.js";
import type { Core } from "./loader.js";
import { applyPatch, keep } from "./mirror.js";
import { createScheduler } from "./notify.js";
import { readBody } from "./read.js";
import type { Calls } from "./tools.js";
import type { AgentSnapshot, Message, Notify, RunResult } from "./types.js";

/** A run that somebody waits for. */
export interface Run<State> {
  readonly id: string;
  readonly ifBusy: "queue" | "replace" | "drop" | "reject";
  /** Starts it. Returns the core's ticket. */
  start(session: Session): number;
  /** Starts it after a load that failed, when its messages stand in the thread already. */
  again(session: Session): number;
  /** What it does to the thread at once. Twice does no more than once. */
  fold(snapshot: AgentSnapshot<State>): AgentSnapshot<State>;
  resolve(result: RunResult): void;
  reject(error: AgentError): void;
  /** One of several that settle with the same run, of which callbacks shall hear once. */
  readonly part?: boolean;
  ticket?: number;
}

/** A change of the thread, on the snapshot and in the core. */
export interface Edit<State> {
  fold(snapshot: AgentSnapshot<State>): AgentSnapshot<State>;
  apply(session: Session): void;
}

/** What a link works for. */
export interface Client<State> {
  readonly source: () => Promise<Core>;
  readonly notify: Notify | undefined;
  readonly settings: SessionOptions;
  readonly emitter: Emitter;
  readonly calls: Calls;
  request(resume: boolean, runId: string, cursor: string | undefined): RequestTarget | Promise<RequestTarget>;
  stopRemote(runId: string): void;
  read(): AgentSnapshot<State>;
  publish(snapshot: AgentSnapshot<State>): void;
  /** The core has come to a boundary, where this was the snapshot. */
  mark(mark: Mark, snapshot: AgentSnapshot<State>): void;
  /** The snapshot of an agent that nothing was restored to. */
  empty(): AgentSnapshot<State>;
  /** The core cannot read the save. */
  refused(error: AgentError): void;
}

/** The operations of an agent on the core. */
export interface Link<State> {
  load(): Promise<void>;
  run(run: Run<State>): void;
  edit(edit: Edit<State>): void;
  /** Something that only a session can do. */
  act(apply: (session: Session) => void): void;
  /** Something that makes sense only if a session is there; else `undefined`. */
  now<Value>(method: (session: Session) => Value): Value | undefined;
  /** Brings the snapshot up to date. */
  flush(): void;
  cancel(run: Run<State>): void;
  stop(): void | Promise<void>;
  /** An edit that ends every run. */
  reset(edit: Edit<State>): void;
  /** Everything that is to be kept of the session, or of the save that it will begin with: the core's JSON text. */
  save(): string | undefined;
  /** The same, where that takes time to be known as it is now. */
  latest?(): Promise<string | undefined>;
  /** A save is on the way. */
  await(): void;
  /** It has come, or not: how it looks, and its JSON text for the core. */
  restore(shown?: AgentSnapshot<State>, json?: string): void;
  /** The run that a failed load has kept from the core, or nothing if a session can be asked to retry. */
  lost(): Run<State> | undefined;
  /** Whether anybody listens to events may have changed. */
  listen(): void;
  dispose(): void;
}

/** An open session and the runs that it works on. */
interface Live<State> {
  session?: Session;
  readonly tickets: Map<number, Run<State>>;
  /** Results of runs that ended before their ticket was returned. */
  readonly early: Map<number, string>;
  /** Whether a call that returns a ticket is on. */
  starting: boolean;
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
  // What is to be told behind several calls that look like one from outside; nobody is called before.
  let held: (() => void)[] | undefined;
  let disposed = false;
  let base: Snapshot | undefined;
  let steps: { run?: Run<State> | undefined; edit: Edit<State> | Run<State>; acts?: boolean }[] = [];
  let lost: Run<State> | undefined;
  // A save that the next session begins with, or `true` while it is on the way.
  let saved: string | true | undefined;

  const flush = (): void => {
    scheduler.clear();
    if (!live || held) return;
    const mine = live;
    let next: Snapshot;
    try {
      const patch = mine.session!.takePatch();
      if (patch === undefined) return;
      next = applyPatch(read(), patch, client.mark);
    } catch (error) {
      fail(mine, error);
      return;
    }
    publish(next);
  };
  const scheduler = createScheduler(client.notify, flush);

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
    soon(() => {
      if (result.error) emitter.emit("error", result.error);
      if (result.outcome !== "dropped" && result.outcome !== "disconnected") emitter.emit("finish", result);
    });
  };

  const settle = (run: Run<State>, result: RunResult): void => {
    if (runs.delete(run)) tell(run, result);
  };

  /** A ticket has come to its end; without a run if nobody asked for it, but a result that was given by hand led to it. */
  const finish = (mine: Live<State>, ticket: number, run: Run<State> | undefined, json: string): void => {
    mine.tickets.delete(ticket);
    if (run && !runs.delete(run)) return;
    // Who waits for the end must find it in the snapshot.
    flush();
    const { error: data, ...result } = JSON.parse(json);
    if (!data) return tell(run, result);
    const shown = read().error;
    const same = shown && shown.kind === data.kind && shown.message === data.message;
    const error = same ? shown : new AgentError(data);
    tell(run, { ...result, error });
  };

  /** The session is lost, the snapshot is not. */
  const fail = (mine: Live<State>, cause: unknown, last = read()): void => {
    if (mine !== live || disposed) return;
    live = undefined;
    scheduler.clear();
    calls.abandonAll();
    giveUp(AgentError.is(cause) ? cause : internal("The WebAssembly core has failed", cause), {
      ...last,
      messages: [
        ...last.messages.map((message): Message =>
          message.delivery === "streaming" ? { ...message, delivery: "error" } : message,
        ),
        ...last.queue.flatMap(({ messages }) => messages),
      ],
    });
  };

  /** Nothing waits any more. */
  const forget = (): void => {
    base = undefined;
    steps = [];
  };

  /** Every run has failed. */
  const giveUp = (error: AgentError, last: Snapshot): void => {
    const ended = [...runs];
    // What the next session begins with does not know what the snapshot shows beside it.
    if (typeof saved === "string") for (const step of steps) step.run = undefined;
    else forget();
    const outcome = ended.length ? "error" : last.outcome;
    release(() =>
      publish({ ...last, status: "error", isLoading: false, error, outcome, queue: [], connection: closed }),
    );
    for (const run of ended) settle(run, { runId: run.id, outcome: "error", error });
    if (!ended.length) emitter.emit("error", error);
  };

  const host = (mine: Live<State>): Host => ({
    request: client.request,
    receive: (reader, body, memory) => readBody(reader, body, memory, (trap) => fail(mine, trap)),
    stopRemote: client.stopRemote,
    changed: (urgent) => {
      if (mine !== live || held) return;
      if (urgent) flush();
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
    decision: (json) => soon(() => emitter.emit("decision", JSON.parse(json))),
    warning: (warning) => soon(() => emitter.emit("warning", warning)),
    fatal: (message) => fail(mine, new Error(message)),
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
      return new core!.Session(options, thread, JSON.stringify(state), host(mine));
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
    const mine: Live<State> = { tickets: new Map(), early: new Map(), starting: false };
    // The core tells of all messages and calls, as it has read them; what it has read as they are keeps its identity.
    let next = initialSnapshot<State>(from.threadId, [], from.state);
    live = mine;
    held = [];
    try {
      mine.session = construct(from, mine);
      try {
        if (save && !ask(mine, (session) => session.restore(save))) return;
      } catch (error) {
        // What waits goes on without it.
        soon(() => client.refused(error as AgentError));
      }
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
      const patch = mine.session.takePatch();
      if (patch !== undefined) next = applyPatch(next, patch, client.mark);
    } catch (error) {
      fail(mine, error);
      return;
    }
    const shown = read();
    const kept = <Part>(old: Part, part: Part): Part => keep(old, part) as Part;
    const messages = kept(shown.messages, next.messages);
    const toolCalls = kept(shown.toolCalls, next.toolCalls);
    const state = kept(shown.state, next.state);
    release(() => publish({ ...next, messages, toolCalls, state }));
  };

  /** Shows what waits. */
  const preview = (): void => {
    const shown = steps.reduce((snapshot, { edit }) => edit.fold(snapshot), base ?? read());
    const first = steps.find(({ run }) => run)?.run;
    if (first) {
      const { id: runId } = first;
      const waiting = { status: "running", isLoading: true, error: undefined, outcome: undefined } as const;
      publish({ ...shown, runId, ...waiting, connection: connecting });
    } else {
      const cancelled = { status: "idle", isLoading: false, outcome: "aborted", connection: closed } as const;
      if (!saved && !steps.some(({ acts }) => acts)) forget();
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
    if (steps.some((step) => step.run)) {
      if (run.ifBusy === "drop") return settle(run, { runId: run.id, outcome: "dropped" });
      if (run.ifBusy === "reject") {
        runs.delete(run);
        return run.reject(misuse(Object.assign(new Error("Another run is on"), { code: "busy" })));
      }
    }
    base ??= read();
    const step = { run, edit: run };
    const first = steps.findIndex((other) => other.run);
    if (run.ifBusy !== "replace" || first < 0) {
      steps.push(step);
      return preview();
    }
    // It comes before what waits behind the one that it replaces.
    steps.splice(first + 1, 0, step);
    cancelWaiting(steps[first]!.run!);
  };

  const attempt = async (): Promise<void> => {
    let cause: unknown;
    try {
      core = await source();
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
    if (!core && !disposed) await (loading ??= attempt());
  };

  const begin = (): void => {
    if (!core) void load();
    else if (steps.length) open();
  };

  return {
    load,
    run: (run) => {
      runs.add(run);
      lost = undefined;
      if (live) return start(live, run);
      wait(run);
      begin();
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
      begin();
    },
    flush,
    now: (method) => {
      let value;
      if (live) ask(live, (session) => (value = method(session)));
      return value;
    },
    cancel: (run) => {
      const { ticket } = run;
      if (!runs.has(run)) return;
      if (ticket === undefined) cancelWaiting(run);
      else if (live) ask(live, (session) => session.cancel(ticket));
    },
    stop: () => {
      const first = steps.find(({ run }) => run)?.run;
      if (live) ask(live, (session) => session.stop());
      else if (first) cancelWaiting(first);
    },
    reset: (edit) => {
      if (live) {
        // One change for those who look, although it is several for the core.
        held = [];
        let done = false;
        try {
          done = ask(live, edit.apply);
        } finally {
          release(flush);
        }
        if (done) return;
      }
      forget();
      saved = undefined;
      publish(edit.fold(read()));
      for (const run of [...runs]) settle(run, { runId: run.id, outcome: "aborted" });
    },
    save: () => {
      let json: string | undefined;
      // What the session cannot tell, the snapshot can.
      if (live) call(() => void ask(live!, (session) => (json = session.save())));
      return json ?? (typeof saved === "string" && !steps.length ? saved : undefined);
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
      disposed = true;
      const session = live?.session;
      if (session) call(() => session.dispose());
      live = undefined;
      scheduler.clear();
      calls.abandonAll();
      // Not now: this may be a call from inside the session.
      if (session) queueMicrotask(() => call(() => session.free()));
      forget();
      const last = read();
      release(() => {
        if (!last.isLoading) return;
        publish({ ...last, status: "idle", isLoading: false, outcome: "aborted", queue: [], connection: closed });
      });
      for (const run of [...runs]) settle(run, { runId: run.id, outcome: "aborted" });
    },
  };
}
