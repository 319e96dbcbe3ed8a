// A session and what happens with it: what it publishes, and how it is lost. Part of the chunk that comes beside
// the module (js/agent/live.ts); what an agent needs before is in link.ts.

import { AgentError } from "../api/error.js";
import type { AgentSnapshot } from "../api/types.js";
import { call } from "../base/call.js";
import { internal, misuse } from "../base/failure.js";
import { retained } from "../base/weak.js";
import { weakly } from "../base/weakly.js";
import type { Session, SessionOptions } from "../glue/core.js";
import { cutOff } from "../snapshot/cut-off.js";
import { composeSave } from "../snapshot/compose.js";
import { createCause } from "./cause.js";
import { checksOf } from "./checked.js";
import type { LinkClient, Live, LinkState } from "./client.js";
import { createHost } from "./host.js";
import { createPatches } from "./patches.js";
import type { Port } from "./port.js";
import { readBody } from "./read.js";
import { createTickets } from "./tickets.js";
import { isTrap, watched, type WatchfulHost } from "./traps.js";

/** A session that begins: `shared.live` from then on. */
export interface BeginningLive<State> extends Live<State> {
  /** Opens the session with the thread and the state of this snapshot. Throws where the core refuses them. */
  open(from: AgentSnapshot<State>): void;
  /** The session has read the save that it begins with. */
  restored(): void;
  takePatch(): string | undefined;
  /** Reports where the snapshot does not fit the schemas of the application. */
  check(next: AgentSnapshot<State>): void;
  /** The session is lost, the snapshot is not. */
  fail(cause: unknown): void;
}

/** Opens no session yet. */
export function createLive<State>(client: LinkClient<State>, shared: LinkState<State>, port: Port): BeginningLive<State> {
  const [{ emitter, read }, { calls, history, settings }] = [client, client.parts()!];
  const cause = createCause();
  const checks = checksOf(client, calls.find);
  // It reads the save that it begins with.
  let restoring = true;
  // How long what it says now may take the page: all of it, unless it reads an answer of the server.
  const task = { until: Infinity };
  let session: Session | undefined;

  const current = (): boolean => shared.live === live;
  const shows = (): boolean => current() && !shared.held;

  const fail = (error: unknown, last = read()): void => {
    if (!current() || shared.disposed) return;
    shared.live = undefined;
    retained.delete(live);
    patches.clear();
    calls.abandonAll();
    const ended = cutOff(last, "error");
    const shown = { ...ended, messages: [...ended.messages, ...last.queue.flatMap(({ messages }) => messages)] };
    const rescued = client.rescue?.(settings.saves ? ended.messages : shown.messages);
    // State outside of the thread stays known; but a save over which the core fails is not tried twice.
    if (rescued !== undefined) shared.saved = rescued || undefined;
    else if (!restoring && (shared.lastSave !== undefined || last.interrupts.length || last.toolCalls.length)) {
      shared.saved = rescue(shared.lastSave, shared.lastSave === undefined ? shown : ended);
    }
    shared.giveUp(AgentError.is(error) ? error : internal("The WebAssembly core has failed", error), shown);
    patches.leave();
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
    ...{ shows, fail, checkpoint: history.add, explain: cause.explain },
    takePatch: () => session!.takePatch(),
    check: (next) => checks?.snapshot(next),
  });
  const { start, settled } = createTickets(shared, {
    ...{ current, read, fail, explain: cause.explain },
    session: () => session!,
    onceShown: (action) => patches.onceShown(task.until, action),
  });

  const host = createHost(client, shared, { current, ask, cause, checks }, {
    receive: (reader, body, memory) => readBody(reader, body, memory, (trap) => fail(trap), task),
    changed: (urgent) => {
      if (!shows()) return;
      if (urgent) patches.show(task.until);
      else patches.schedule();
    },
    settled,
    hold: (on) => {
      if (on && current()) retained.add(live);
      else retained.delete(live);
    },
    lost: (trap) => fail(trap),
  });

  // The host lives as long as the session is the agent's, or has something to finish.
  const live: BeginningLive<State> = {
    ...{ host, ask, start, fail },
    open: (from) => void (session = construct(port, host, from, { ...settings, events: emitter.wanted(), decisions: emitter.has("decision") })),
    restored: () => void (restoring = false),
    takePatch: () => session!.takePatch(),
    check: (next) => checks?.snapshot(next),
    flush: () => patches.show(Infinity),
    partly: patches.partly,
    end: () => {
      retained.delete(live);
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
  return live;
}

/** A new session at the port. It references its host only weakly: that may be collected with the agent. */
function construct<State>(port: Port, host: WatchfulHost, { messages, state }: AgentSnapshot<State>, options: SessionOptions): Session {
  try {
    const thread = messages.length ? JSON.stringify(messages) : undefined;
    return port.open(options, thread, JSON.stringify(state), watched(weakly(host)));
  } catch (error) {
    throw isTrap(error) ? error : misuse(error);
  }
}

/** The save of a session that was lost: the last one that is known, with this. Executed calls are not executed again. */
function rescue<State>(lastSave: string | undefined, last: AgentSnapshot<State>): string {
  const { threadId, messages, state, interrupts, toolCalls } = last;
  const save = JSON.parse(composeSave(lastSave, { threadId, messages, state }));
  const handled = [...new Set([...save.handled, ...toolCalls.map(({ id }) => id)])];
  const open = interrupts.map((interrupt) => ({ ...interrupt, answered: undefined }));
  return JSON.stringify({ ...save, interrupts: open, handled });
}
