// A session and what happens with it: what it publishes, what it calls, and how it is lost. Part of the chunk that comes beside
// the module (js/agent/live.ts); what an agent needs before is in link.ts.

import { AgentError } from "../api/error.js";
import type { AgentSnapshot } from "../api/types.js";
import { call } from "../base/call.js";
import { internal, misuse } from "../base/failure.js";
import { kept } from "../base/weak.js";
import { weakly } from "../base/weakly.js";
import type { Session } from "../glue/core.js";
import { cutOff } from "../snapshot/cut-off.js";
import { initialSnapshot } from "../snapshot/initial.js";
import { beginPatch, keep } from "../snapshot/mirror.js";
import { composeSave } from "../snapshot/compose.js";
import { checksOf, emitCustom } from "./checked.js";
import type { LinkClient, Live, LinkState, PendingStep } from "./client.js";
import { createPatches } from "./patches.js";
import type { Port } from "./port.js";
import { readBody } from "./read.js";
import { createTickets } from "./tickets.js";
import { isTrap, watched, type WatchfulHost } from "./traps.js";

/**
 * Makes a session from this snapshot, or from a save, and does all that waits. `shared.live` is the session from then on. Returns
 * the snapshot to show; nothing if the session was lost over it.
 */
export function beginSession<State>(
  client: LinkClient<State>,
  shared: LinkState<State>,
  port: Port,
  from: AgentSnapshot<State>,
  save: string | undefined,
  todo: readonly PendingStep<State>[],
): AgentSnapshot<State> | undefined {
  type Snapshot = AgentSnapshot<State>;
  const [{ emitter, read }, { calls, history, settings, ...beside }, { soon }] = [client, client.parts()!, shared];
  // The error that the last request has failed with.
  let thrown: { readonly cause: unknown } | undefined;
  const checks = checksOf(client, calls.find);
  // It reads the save that it begins with.
  let restoring = true;
  // How long what it says now may take the page: all of it, unless it reads an answer of the server.
  const task = { until: Infinity };
  let session: Session | undefined;

  const current = (): boolean => shared.live === live;
  const shows = (): boolean => current() && !shared.held;

  /** Gives the error of a connection the value that was thrown, which the core does not see. */
  const explain = (error: AgentError | undefined): void => {
    if (!thrown || !error || !(error.kind === "connection" || error.kind === "auth" || error.code === "truncated")) return;
    Object.defineProperty(error, "cause", { value: thrown.cause, writable: true, configurable: true });
    if ((thrown.cause as AgentError | undefined)?.code === "not-saved") Object.assign(error, { code: "not-saved" });
  };

  /** The session is lost, the snapshot is not. */
  const fail = (cause: unknown, last = read()): void => {
    if (!current() || shared.disposed) return;
    shared.live = undefined;
    kept.delete(live);
    patches.clear();
    calls.abandonAll();
    const ended = cutOff(last, "error");
    const shown = { ...ended, messages: [...ended.messages, ...last.queue.flatMap(({ messages }) => messages)] };
    const rescued = client.rescue?.(settings.saves ? ended.messages : shown.messages);
    // State outside of the thread stays known; but a save over which the core fails is not tried twice.
    if (rescued !== undefined) shared.saved = rescued || undefined;
    else if (!restoring && (shared.known !== undefined || last.interrupts.length || last.toolCalls.length)) {
      shared.saved = rescue(shared.known, shared.known === undefined ? shown : ended);
    }
    shared.giveUp(AgentError.is(cause) ? cause : internal("The WebAssembly core has failed", cause), shown);
    patches.leave();
  };

  // The session references its host only weakly: it may be collected with the agent.
  const host: WatchfulHost = {
    request: (...which) => {
      thrown = undefined;
      return beside.request(...which);
    },
    failed: (cause) => void (thrown = { cause }),
    receive: (reader, body, memory) => readBody(reader, body, memory, (trap) => fail(trap), task),
    ...{ stopRemote: beside.stopRemote, head: (headers: Headers, status: number) => beside.head(client, headers, status) },
    changed: (urgent) => {
      if (!shows()) return;
      if (urgent) patches.show(task.until);
      else patches.schedule();
    },
    settled: (...end) => settled(...end),
    custom: (name, json) => emitCustom(emitter, checks, name, json),
    event: (json) => {
      if (emitter.has("event")) emitter.emit("event", JSON.parse(json));
    },
    execute: (...asked) => {
      if (current()) calls.execute(...asked);
    },
    abandon: (toolCallId) => calls.abandon(toolCallId),
    save: (number, json) => {
      if (!current()) return;
      shared.known = json;
      client.save(json, () => {
        if (current()) ask((opened) => opened.call("saved", `${number}`));
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

  const patches = createPatches(client, {
    ...{ shows, checkpoint: history.add },
    takePatch: () => session!.takePatch(),
    fail,
    explain,
    check: (next) => checks?.snapshot(next),
  });
  const { start, settled } = createTickets(shared, {
    current,
    session: () => session!,
    read,
    fail,
    explain,
    onceShown: (action) => patches.onceShown(task.until, action),
  });

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
    flush: () => patches.show(Infinity),
    partly: patches.partly,
    end: () => {
      kept.delete(live);
      // The caller decides about its runs.
      shared.live = undefined;
      call(() => session?.call("dispose"));
      patches.clear();
      calls.abandonAll();
      patches.leave();
      // Not now: this may be a call from inside the session.
      if (session) queueMicrotask(() => call(() => session!.free()));
    },
  };

  /** Begins with what the application has set before. Where the core refuses that, without the part that it refuses. */
  const begin = (): void => {
    const { messages, state } = client.empty();
    const less = [{ ...from, state }, { ...from, messages }, { ...from, messages, state }];
    const parts = less.filter((part) => part.state !== from.state || part.messages !== from.messages);
    let refused: AgentError | undefined;
    for (let part: Snapshot | undefined = from; part; part = parts.shift()) {
      try {
        session = construct(from = part);
        if (refused) soon(() => emitter.emit("error", refused!));
        return;
      } catch (error) {
        if (isTrap(error)) throw error;
        refused ??= error as AgentError;
      }
    }
    throw refused;
  };

  shared.live = live;
  let next: Snapshot;
  try {
    begin();
    // The core tells of all messages and calls, as it has read them; what it has read as they are keeps its identity.
    next = initialSnapshot<State>(from.threadId, [], from.state);
    let opening = save && todo.find(({ run }) => run?.opens)?.run;
    try {
      if (save && !ask((opened) => opened.call("restore", opening ? opening.opens!(save) : save))) return undefined;
      if (save && settings.saves) shared.known = save;
    } catch (error) {
      opening = undefined; // Waiting steps continue without it.
      soon(() => client.refused(error as AgentError));
    }
    restoring = false;
    for (const { run, edit, acts } of todo.filter((waiting) => !waiting.run || waiting.run !== opening)) {
      if (!current()) return undefined;
      if (run) start(run);
      else if ("start" in edit) {
        // Cancelled while it waited: its messages stay, as above, and nobody waits for it.
        start(edit);
        ask((opened) => edit.ticket && opened.call("cancel", `${edit.ticket}`));
      } else if (acts) call(() => void ask(edit.apply));
      else {
        try {
          if (!ask(edit.apply)) return undefined;
        } catch (error) {
          // A mistake in one edit does not stop the others.
          soon(() => emitter.emit("error", error as AgentError));
        }
      }
    }
    if (!current()) return undefined;
    const first = beginPatch(next, history.add);
    for (let patch; !first.whole && (patch = session!.takePatch()) !== undefined;) {
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
  checks?.snapshot({ ...next, toolCalls, state });
  return { ...next, messages, toolCalls, state };
}

/** The save of a session that was lost: the last one that is known, with this. Executed calls are not executed again. */
function rescue<State>(known: string | undefined, last: AgentSnapshot<State>): string {
  const { threadId, messages, state, interrupts, toolCalls } = last;
  const save = JSON.parse(composeSave(known, { threadId, messages, state }));
  const handled = [...new Set([...save.handled, ...toolCalls.map(({ id }) => id)])];
  const open = interrupts.map((interrupt) => ({ ...interrupt, answered: undefined }));
  return JSON.stringify({ ...save, interrupts: open, handled });
}
