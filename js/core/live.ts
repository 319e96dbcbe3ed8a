// A session and what happens with it: what it publishes, and how it is lost. Part of the chunk that comes beside
// the module (js/agent/live.ts); what an agent needs before is in link.ts.

import type { AgentSnapshot } from "../api/types.js";
import { call } from "../base/call.js";
import type { Emitter } from "../base/emitter.js";
import { misuse } from "../base/failure.js";
import { retained } from "../base/weak.js";
import type { SessionOptions } from "../glue/core.js";
import { createCause } from "./cause.js";
import { checkKit, checksModule } from "./checked.js";
import type { LinkClient, Live, LinkState, OpenHome } from "./client.js";
import { Driver } from "./driver.js";
import { createHost } from "./host.js";
import { createPatches } from "./patches.js";
import type { OpenSession, Port, SessionHost } from "./port.js";
import { lose } from "./remains.js";
import { createRunEnds } from "./run-ends.js";
import { createLiveCalls } from "./live-calls.js";
import type { Seat } from "./seat.js";
import { isTrap } from "./traps.js";

/** A session that begins, and is the home of the thread from then on. Opens none yet. */
export function createLive<State>(client: LinkClient<State>, shared: LinkState<State>, port: Port): Live<State> {
  const [{ emitter }, { calls, history, settings, saved }] = [client, client.parts()!];
  // Patches fit what the core has said, which lacks what is pending.
  const read = shared.pending.confirmed;
  const cause = createCause();
  const checks = client.options.schemas && checksModule?.createChecks(checkKit, client, calls.find);
  // How long what it says now may take the page: all of it, unless it reads an answer of the server.
  const task = { until: Infinity };
  let session: OpenSession | undefined;

  const home = (): OpenHome<State> | undefined => (shared.home.live === live ? shared.home : undefined);
  const shows = (): boolean => !!home() && !shared.held;
  /** Nothing comes of it from now on; `last` is done before what waits for being shown. */
  const leave = (last: () => void): void => {
    if (home()) shared.home = {};
    retained.delete(live);
    patches.clear();
    calls.abandonAll();
    last();
    patches.leave();
  };

  const fail = (why: unknown, died = false): boolean => {
    const lost = home();
    if (!lost) return false;
    // Another session sends what waits in it.
    session?.abandon();
    leave(() => lose(client, shared, lost, why, died));
    return true;
  };

  /** Calls the session. False if it was lost over it. */
  const ask: Live<State>["ask"] = (method) => {
    try {
      return session!.enter(method);
    } catch (error) {
      throw misuse(error);
    }
  };
  const said = (json: string, part = false) => note(home(), read(), saved(json), part);

  /** The notifications that somebody listens to. */
  const heard = () => ({ events: typesOf(emitter.filters()), decisions: emitter.has("decision") });
  const flush = (): void => patches.show(Infinity);

  const takePatch = (): string | undefined => session!.takePatch();
  const check = (next: AgentSnapshot<State>): void => checks?.snapshot(next);
  const confirming = { ...client, read, publish: (next: AgentSnapshot<State>) => confirm(shared, next) };
  const patches = createPatches(confirming, { takePatch, check, shows, fail, checkpoint: history.add, explain: cause.explain });
  const seat: Seat<State> = {
    ...{ client, shared, home, shows, ask, flush, said, cause, checks, patches, task, fail },
    live: () => live,
    onceShown: (action) => patches.onceShown(task.until, action),
  };
  const { start, settled } = createRunEnds(seat);
  const host = createHost(seat, settled);

  // The host lives as long as the session is the agent's, or has something to finish.
  const live: Live<State> = {
    ...{ host, ask, start, fail, flush, takePatch, begun: check, partly: patches.partly },
    open: (from) => void (session = construct(port, host, from, { ...settings, ...heard() })).enter(),
    ...createLiveCalls(seat, start),
    listen: () => void ask((opened) => opened.call("listen", JSON.stringify(heard()))),
    end: () => {
      // The caller decides about its runs.
      leave(() => call(() => void session?.enter((opened) => opened.call("dispose"))));
      session?.free();
    },
  };
  return live;
}

/** The types of events that somebody listens to: with commas between them, `*` for all, empty for none. */
const typesOf = (filters: ReturnType<Emitter["filters"]>): string => (filters.every(Boolean) ? [...new Set(filters.flat())].sort().join() : "*");

/** The core has this now; what it was told before, and has done, is in it. */
export function confirm<State>({ late, pending }: LinkState<State>, next: AgentSnapshot<State>): void {
  if (!late) pending.list.length = 0;
  pending.show(late?.answered(next) ?? next);
}

/** Notes what the session of that home has said of the thread as it is now: a save, a record, or what has changed since the last save. */
const note = <State>(at: OpenHome<State> | undefined, thread: AgentSnapshot<State>, json: string, part: boolean): OpenHome<State> | undefined =>
  at && (at.begun.clear(), Object.assign(at, part ? { changes: json } : { last: json, changes: undefined, thread, reading: false }));

/** A new session at the port. */
function construct<State>(port: Port, host: SessionHost, { messages, state }: AgentSnapshot<State>, options: SessionOptions): OpenSession {
  try {
    const thread = messages.length ? JSON.stringify(messages) : undefined;
    const begin = [JSON.stringify(options), thread, JSON.stringify(state)] as const;
    return "open" in port ? port.open(...begin, host) : new Driver(new port.CoreSession(...begin), host);
  } catch (error) {
    throw isTrap(error) ? error : misuse(error);
  }
}
