// A session and what happens with it: what it publishes, what it calls, and how it is lost. Part of the chunk that comes beside
// the module (js/agent/live.ts); what an agent needs before is in link.ts.

import { AgentError } from "../api/error.js";
import type { AgentSnapshot, RunResult } from "../api/types.js";
import { call } from "../base/call.js";
import { internal, isTrap, misuse } from "../base/failure.js";
import { kept, weakly } from "../base/weak.js";
import type { Session } from "../glue/core.js";
import { cutOff } from "../snapshot/cut-off.js";
import { initialSnapshot } from "../snapshot/initial.js";
import { beginPatch, keep, type CheckpointData, type Patching } from "../snapshot/mirror.js";
import { createScheduler } from "../snapshot/notify.js";
import { composeSave } from "../snapshot/compose.js";
import type { Client, Live, Run, Shared, Step } from "./client.js";
import type { Port } from "./port.js";
import { readBody, sliceMs, turn } from "./read.js";
import { belongs } from "./run-id.js";
import { watched, type WatchfulHost } from "./traps.js";

/**
 * Makes a session from this snapshot, or from a save, and does all that waits. `shared.live` is the session from then on. Returns
 * the snapshot to show; nothing if the session was lost over it.
 */
export function openSession<State>(
  client: Client<State>,
  shared: Shared<State>,
  port: Port,
  from: AgentSnapshot<State>,
  save: string | undefined,
  todo: readonly Step<State>[],
): AgentSnapshot<State> | undefined {
  type Snapshot = AgentSnapshot<State>;
  const { settings, emitter, calls, read, publish } = { ...client, calls: client.parts()!.calls };
  const { runs, soon, report } = shared;
  const tickets = new Map<number, Run<State>>();
  // Results of runs that ended before their ticket was returned.
  const early = new Map<number, string>();
  // A call that returns a ticket is on.
  let starting = false;
  // What the last request has failed with.
  let thrown: { readonly cause: unknown } | undefined;
  // It reads the save that it begins with.
  let restoring = true;
  // How long what it says now may take the page: all of it, unless it reads an answer of the server.
  const task = { until: Infinity };
  // A patch that is not applied to its end, with the checkpoints on its way; whether it continues in a task of its own.
  let patching: Patching<Snapshot> | undefined;
  const checkpoints: [CheckpointData, Snapshot][] = [];
  let turning = false;
  // What is done once it is shown.
  const unshown: (() => void)[] = [];
  let session: Session | undefined;

  const slice = (): number => performance.now() + sliceMs;
  const scheduler = createScheduler(client.notify, () => show(slice()));
  const current = (): boolean => shared.live === live;

  /**
   * Brings the snapshot up to date. Where that takes until later than that time, the rest is done after the page has had its
   * turn, and nothing of it is shown before.
   */
  const show = (until: number): void => {
    scheduler.clear();
    if (!current() || shared.held) return;
    try {
      if (!advance(until)) return;
    } catch (error) {
      fail(error);
      return;
    }
    const { snapshot: next } = patching!;
    patching = undefined;
    for (const [data, snapshot] of checkpoints.splice(0)) client.checkpoint(data, snapshot);
    if (next.error !== read().error) explain(next.error);
    publish(next);
    leave();
  };

  /** Applies what the core gives, until that time. False: there is nothing to show. */
  const advance = (until: number): boolean => {
    const late = (): boolean => until !== Infinity && !!patching?.parted && performance.now() > until;
    // What was begun before lacks what has come since.
    let again = !!patching;
    for (;;) {
      while (patching?.step()) if (late()) return goOn();
      if (patching?.whole && !again) return true;
      const patch = session!.takePatch();
      // In worker mode a part may be on its way.
      if (patch === undefined) return !!patching?.whole;
      if (patching?.whole) again = false;
      if (!patching || patching.whole) {
        patching = beginPatch(patching?.snapshot ?? read(), (data, snapshot) => checkpoints.push([data, snapshot]));
      }
      patching.take(patch);
      if (late()) return goOn();
    }
  };

  const goOn = (): false => {
    if (!turning) {
      turn(() => {
        turning = false;
        if (current()) show(slice());
      });
    }
    turning = true;
    return false;
  };

  /** Does it once the snapshot shows all that has led to it. */
  const onceShown = (action: () => void): void => {
    show(task.until);
    if (patching) unshown.push(action);
    else action();
  };

  /** Tells how runs have ended: it is shown, or the session is over and will show nothing. */
  const leave = (): void => {
    for (const action of unshown.splice(0)) action();
  };

  /** Gives the error of a connection the value that was thrown, which the core does not see. */
  const explain = (error: AgentError | undefined): void => {
    if (!thrown || !error || !(error.kind === "connection" || error.kind === "auth" || error.code === "truncated")) return;
    Object.defineProperty(error, "cause", { value: thrown.cause, writable: true, configurable: true });
  };

  /** Whoever waits for a run of the queue of an earlier session. */
  const adopted = (runId: string): Run<State> | undefined => {
    const run = [...runs].find(({ id, ticket }) => ticket === undefined && belongs(runId, id));
    if (run) runs.delete(run);
    return run;
  };

  /** A ticket has come to its end; without a run if nobody asked for it, but a result that was given by hand led to it. */
  const finish = (ticket: number, run: Run<State> | undefined, json: string): void => {
    tickets.delete(ticket);
    if (run && !runs.delete(run)) return;
    // Who waits for the end must find it in the snapshot.
    const { error: data, ...result } = JSON.parse(json);
    const waiting = run ?? adopted(result.runId);
    onceShown(() => {
      if (!data) return report(waiting, result);
      const shown = read().error;
      const same = shown && shown.kind === data.kind && shown.message === data.message;
      const error = same ? shown : new AgentError(data);
      if (!same) explain(error);
      report(waiting, { ...result, error } as RunResult);
    });
  };

  /** The session is lost, the snapshot is not. */
  const fail = (cause: unknown, last = read()): void => {
    if (!current() || shared.disposed) return;
    shared.live = undefined;
    kept.delete(live);
    scheduler.clear();
    calls.abandonAll();
    const ended = cutOff(last, "error");
    const shown = { ...ended, messages: [...ended.messages, ...last.queue.flatMap(({ messages }) => messages)] };
    const rescued = client.rescue?.(settings.saves ? ended.messages : shown.messages);
    // What the thread does not say stays known; but a save over which the core fails is not tried twice.
    if (rescued !== undefined) shared.saved = rescued || undefined;
    else if (!restoring && (shared.known !== undefined || last.interrupts.length || last.toolCalls.length)) {
      shared.saved = rescue(shared.known === undefined ? shown : ended);
    }
    shared.giveUp(AgentError.is(cause) ? cause : internal("The WebAssembly core has failed", cause), shown);
    leave();
  };

  /** The save of a session that was lost. What was called is not called again. */
  const rescue = ({ threadId, messages, state, interrupts, toolCalls }: Snapshot): string => {
    const last = JSON.parse(composeSave(shared.known, { threadId, messages, state }));
    const handled = [...new Set([...last.handled, ...toolCalls.map(({ id }) => id)])];
    const open = interrupts.map((interrupt) => ({ ...interrupt, answered: undefined }));
    return JSON.stringify({ ...last, interrupts: open, handled });
  };

  // What the session calls, which holds it only weakly: it may be collected with the agent.
  const host: WatchfulHost = {
    request: (...which) => {
      thrown = undefined;
      return client.request(...which);
    },
    failed: (cause) => void (thrown = { cause }),
    receive: (reader, body, memory) => readBody(reader, body, memory, (trap) => fail(trap), task),
    stopRemote: client.stopRemote,
    changed: (urgent) => {
      if (!current() || shared.held) return;
      if (urgent) show(task.until);
      else scheduler.schedule();
    },
    settled: (ticket, json) => {
      const run = tickets.get(ticket);
      if (!run && starting) early.set(ticket, json);
      else if (current()) finish(ticket, run, json);
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
      if (current()) calls.execute(toolCallId, name, args);
    },
    abandon: (toolCallId) => calls.abandon(toolCallId),
    save: (number, json, holds) => {
      if (!current()) return;
      shared.known = json;
      client.save(json, holds, () => {
        if (current()) ask((session) => session.saved(number));
      });
    },
    decision: (json) => soon(() => emitter.emit("decision", JSON.parse(json))),
    warning: (warning) => soon(() => emitter.emit("warning", warning)),
    hold: (on) => {
      if (on && current()) kept.add(live);
      else kept.delete(live);
    },
    lost: (trap) => fail(trap),
  };

  const ask = (method: (session: Session) => void): boolean => {
    try {
      method(session!);
      return true;
    } catch (error) {
      if (!isTrap(error)) throw misuse(error);
      fail(error);
      return false;
    }
  };

  const start = (run: Run<State>): void => {
    // Inside a call of the core's another may begin.
    const outer = starting;
    starting = true;
    try {
      const ticket = run.start(session!);
      run.ticket = ticket;
      tickets.set(ticket, run);
    } catch (error) {
      if (isTrap(error)) fail(error, run.fold(read()));
      else if (runs.delete(run)) run.reject(misuse(error));
    }
    starting = outer;
    if (outer) return;
    for (const [ticket, json] of early) {
      early.delete(ticket);
      if (current()) finish(ticket, tickets.get(ticket), json);
    }
  };

  const construct = ({ messages, state }: Snapshot): Session => {
    const options = { ...settings, events: emitter.wanted(), decisions: emitter.has("decision") };
    try {
      const thread = messages.length ? JSON.stringify(messages) : undefined;
      return port.open(options, thread, JSON.stringify(state), watched(weakly(host)));
    } catch (error) {
      throw isTrap(error) ? error : misuse(error);
    }
  };

  // The host lives as long as the session is the agent's, or has something to finish.
  const live: Live<State> = {
    host,
    ask,
    start,
    flush: () => show(Infinity),
    partly: () => !!patching,
    end: () => {
      kept.delete(live);
      // Whoever ends it says what becomes of its runs.
      shared.live = undefined;
      call(() => session?.dispose());
      scheduler.clear();
      calls.abandonAll();
      leave();
      // Not now: this may be a call from inside the session.
      if (session) queueMicrotask(() => call(() => session!.free()));
    },
  };

  // The core tells of all messages and calls, as it has read them; what it has read as they are keeps its identity.
  let next = initialSnapshot<State>(from.threadId, [], from.state);
  shared.live = live;
  try {
    session = construct(from);
    try {
      if (save && !ask((session) => session.restore(save))) return undefined;
      if (save && settings.saves) shared.known = save;
    } catch (error) {
      // What waits continues without it.
      soon(() => client.refused(error as AgentError));
    }
    restoring = false;
    for (const { run, edit, acts } of todo) {
      if (!current()) return undefined;
      if (run) start(run);
      else if ("start" in edit) {
        // Cancelled while it waited: its messages stay, as above, and nobody waits for it.
        start(edit);
        ask((session) => edit.ticket && session.cancel(edit.ticket));
      } else if (acts) call(() => void ask(edit.apply));
      else if (!ask(edit.apply)) return undefined;
    }
    if (!current()) return undefined;
    const first = beginPatch(next, client.checkpoint);
    for (let patch; !first.whole && (patch = session.takePatch()) !== undefined; ) {
      first.take(patch);
      while (first.step());
    }
    next = first.snapshot;
  } catch (error) {
    fail(error);
    return undefined;
  }
  const shown = read();
  const same = <Part>(old: Part, part: Part): Part => keep(old, part) as Part;
  const messages = same(shown.messages, next.messages);
  const toolCalls = same(shown.toolCalls, next.toolCalls);
  const state = same(shown.state, next.state);
  return { ...next, messages, toolCalls, state };
}
