// The worker's side: a session of the core for each port, with the page at the other end as its host. What the page has
// to decide or to do is asked of it; everything else happens here.

import { isTrap } from "../core/traps.js";
import type { Session, SessionMethods } from "../glue/core.js";
import type { Core } from "../core/loader.js";
import { createPageHost } from "./host.js";
import { createPipe, toFailure, type Failure } from "./pipe.js";
import type { FromWorker } from "./session.js";
import { createUpdates } from "./updates.js";
import { holdLife } from "./watch.js";

/** The methods of a session that begin a run. */
export type Begin = "submit" | "retry" | "regenerate" | "attach" | "answer";
/** Any other. */
export type Act = Exclude<keyof SessionMethods, Begin>;

/** The calls of the page. Its tickets are negative, so they differ from those of the core. */
export interface FromPage {
  open(options: string, messages: string | undefined, state: string | undefined): void;
  begin(ticket: number, method: Begin, json: string | undefined): void;
  act(method: Act, json: string | undefined): void;
  /** The page wants to show what has changed. */
  take(): void;
  /** Told back when everything before it has been done, and before the patch of that. */
  echo(number: number): void;
  /** Told back as `idle` when everything before it has been done, and nothing is in progress that the page has to hear of. */
  rest(number: number): void;
  end(): void;
}

// Calls that change nothing a save needs, or only what is in the page anyway.
const unsaved: readonly Act[] = ["restore", "editState", "listen", "present", "online", "saved"];

const lateEdit = { code: "edit-late", message: "The submit had started before its change arrived" };

/** Serves a page at the other end of the port. */
export function serve(port: MessagePort, core: Core): void {
  // The last `rest` of the page, and the one that was answered.
  let [rest, rested] = [0, 0];
  const { attempt, ...served } = createServed((error) => pipe.tell("lost", toFailure(error), isTrap(error)));
  const misused = (why: Failure): void => pipe.tell("misused", why);

  const tickets = createTickets((name, json) => {
    // A caller that waits for the end finds it in the snapshot.
    updates.patch();
    updates.acted();
    pipe.tell("settled", name, json);
  });

  const mine: FromPage = {
    open: (options, messages, state) => {
      updates.acted();
      served.open(() => new core.Session(options, messages, state, host));
    },
    begin: (theirs, method, json) => {
      updates.acted();
      tickets.begin(theirs, () => attempt((opened) => opened.call(method, json), (why) => pipe.tell("refused", theirs, why)));
    },
    act: (method, json) => {
      if (!unsaved.includes(method)) updates.acted();
      const argument = method === "cancel" ? tickets.of(Number(json))?.toString() : json;
      // It has ended already.
      if (method === "cancel" && argument === undefined) return;
      const refused = method === "restore" ? (why: Failure) => pipe.tell("unrestored", why) : misused;
      const done = attempt((opened) => opened.call(method, argument), refused);
      if (method === "editQueued" && done === false) pipe.tell("warning", lateEdit);
    },
    take: () => updates.show(),
    echo: (number) => {
      pipe.tell("echo", number);
      updates.show();
    },
    rest: (number) => void (rest = number),
    end: () => {
      try {
        served.end();
      } finally {
        pipe.tell("ended");
      }
    },
  };

  const pipe = createPipe<FromWorker>(port, mine, {
    posting: () => {
      attempt(updates.post, misused);
      if (!served.busy() && rested !== rest) pipe.tell("idle", rested = rest);
    },
    received: () => {
      if (updates.hasActed() || rested !== rest) pipe.wake();
    },
  });
  const updates = createUpdates(pipe, served.current);
  const host = createPageHost(pipe, updates, {
    settled: tickets.settled,
    hold: (on) => {
      served.hold(on);
      pipe.wake();
    },
    tick: () => void attempt((opened) => opened.call("tick"), misused),
    lost: served.lose,
  });
}

/** The session of a port, from its beginning to its end. `lost` reports to the page why it could not begin or go on. */
function createServed(lost: (error: unknown) => void) {
  let session: Session | undefined;
  // The core waits for something.
  let busy = false;
  const leave = (): Session | undefined => {
    const last = session;
    session = undefined;
    busy = false;
    return last;
  };
  const lose = (error: unknown): void => {
    leave();
    lost(error);
  };
  return {
    lose,
    current: () => session,
    busy: () => busy,
    hold: (on: boolean): void => void (busy = on),
    open: (create: () => Session): void => {
      try {
        session = create();
      } catch (error) {
        lose(error);
      }
    },
    /** Calls the session. `undefined` if that throws, which is reported to the page. */
    attempt: <Value>(method: (session: Session) => Value, refused: (why: Failure) => void): Value | undefined => {
      if (!session) return undefined;
      try {
        return method(session);
      } catch (error) {
        if (isTrap(error)) lose(error);
        else refused(toFailure(error));
        return undefined;
      }
    },
    end: (): void => {
      const last = leave();
      last?.call("dispose");
      last?.free();
    },
  };
}

/** The page's names for the core's tickets. `settle`: a ticket has ended, by the page's name where it has one. */
function createTickets(settle: (name: number, json: string) => void) {
  const tickets = new Map<number, number>();
  const names = new Map<number, number>();
  // While the core is called that gives a ticket, its name is not known: what ends meanwhile waits.
  let early: [ticket: number, json: string][] | undefined;
  const end = (ticket: number, json: string): void => {
    const name = names.get(ticket);
    names.delete(ticket);
    if (name !== undefined) tickets.delete(name);
    settle(name ?? ticket, json);
  };
  return {
    /** The core's ticket by the page's name. */
    of: (name: number): number | undefined => (name < 0 ? tickets.get(name) : name),
    /** Calls the core for a ticket; `undefined` if it gave none. */
    begin: (name: number, call: () => number | undefined): void => {
      const ended: [ticket: number, json: string][] = (early = []);
      const ticket = call();
      early = undefined;
      if (ticket !== undefined) {
        tickets.set(name, ticket);
        names.set(ticket, name);
      }
      for (const each of ended) end(...each);
    },
    settled: (ticket: number, json: string): void => {
      if (early && !names.has(ticket)) early.push([ticket, json]);
      else end(ticket, json);
    },
  };
}

/** The worker itself, or what stands for it. */
export interface Scope {
  postMessage(message: Started): void;
  onmessage: ((event: MessageEvent) => void) | null;
}

/**
 * A message of the worker: first the lock that it holds, once that it has begun, or why it cannot work. After that it answers
 * each check that it is there.
 */
export interface Started {
  readonly started?: true;
  /** The name of the lock that it holds as long as it lives, where the platform has locks. Comes before the core does. */
  readonly lock?: string | undefined;
  readonly refused?: Failure;
}

/** Begins to serve every port that comes, once the core is there. */
export function startWorker(scope: Scope, load: () => Promise<Core>): void {
  const life = holdLife().then((lock) => lock !== undefined && scope.postMessage({ lock }));
  const loading = load();
  scope.onmessage = ({ ports: [port] }) => {
    if (port) loading.then((core) => serve(port, core), () => {});
    else scope.postMessage({});
  };
  loading.then(
    () => life.then(() => scope.postMessage({ started: true })),
    (cause: unknown) => scope.postMessage({ refused: toFailure(cause) }),
  );
}
