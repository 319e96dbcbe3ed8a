// The worker's side: a session of the core for each port, with the page at the other end as its host. What the page has
// to decide or to do is asked of it; everything else happens here.

import { Driver } from "../core/driver.js";
import type { BeginningMethod } from "../intents/run.js";
import type { Core } from "../core/loader.js";
import { isTrap } from "../core/traps.js";
import type { CoreSession, Host, Session, SessionMethods } from "../glue/core.js";
import { createPageHost } from "./host.js";
import { createPipe, toFailure, type Failure } from "./pipe.js";
import type { FromWorker } from "./session.js";
import { createUpdates } from "./updates.js";
import { holdLife } from "./watch.js";

/** The methods of a session that begin no run. */
export type Act = Exclude<keyof SessionMethods, BeginningMethod>;

/** The calls of the page. */
export interface FromPage {
  open(options: string, messages: string | undefined, state: string | undefined): void;
  /** Throws where the core refuses it. */
  begin(method: BeginningMethod, json: string | undefined): void;
  act(method: Act, json: string | undefined): void;
  /** The page wants to show what has changed. */
  take(): void;
  /** Answered when everything before it has been done, and before the patch of that. */
  echo(): void;
  /** Told back as `idle` when everything before it has been done, and nothing is in progress that the page has to hear of. */
  rest(number: number): void;
  end(): void;
}

// Calls that change nothing a save needs, or only what is in the page anyway.
const unsaved: readonly Act[] = ["restore", "proceed", "editState", "listen", "present", "online", "saved"];

const lateEdit = { code: "edit-late", message: "The submit had started before its change arrived" };

/** Whether the last run of a record is one of these, a line each. */
const isOf = (runs: string, record: string | undefined): boolean => !!record && runs.split("\n").includes(JSON.parse(record).runId);

/** Serves a page at the other end of the port. */
export function serve(port: MessagePort, core: Core): void {
  // The last `rest` of the page, until it is answered.
  let rest: number | undefined;
  const { attempt, ...served } = createServed((error) => {
    report();
    pipe.tell("lost", toFailure(error), isTrap(error));
  });
  const misused = (why: Failure): void => pipe.tell("misused", why);

  const ended: [name: string, json: string][] = [];
  /** All effects are performed. */
  const report = (): void => {
    if (!ended.length) return;
    // A caller that waits for the end finds it in the snapshot, and in a save.
    attempt(updates.post, misused);
    for (const end of ended.splice(0)) pipe.tell("settled", ...end);
  };

  const mine: FromPage = {
    open: (options, messages, state) => {
      updates.acted();
      served.open(() => new core.CoreSession(options, messages, state), host);
    },
    begin: (method, json) => {
      updates.acted();
      served.current()?.enter((opened) => void opened.call(method, json));
    },
    act: (method, json) => {
      if (method === "stop" && json && isOf(json, attempt((opened) => opened.call("record"), misused))) return;
      if (!unsaved.includes(method)) updates.acted();
      const refused = method === "restore" ? (why: Failure) => pipe.tell("unrestored", why) : misused;
      const done = attempt((opened) => opened.call(method, json), refused);
      if (method === "editQueued" && done === false) pipe.tell("warning", lateEdit);
    },
    take: () => updates.show(),
    echo: () => {
      report();
      updates.show();
    },
    rest: (number) => {
      rest = number;
      pipe.wake();
    },
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
      report();
      attempt(updates.post, misused);
      if (rest === undefined || served.busy()) return;
      pipe.tell("idle", rest);
      rest = undefined;
    },
  });
  const updates = createUpdates(pipe, served.current);
  const host = createPageHost(pipe, updates, { settled: (...end) => void ended.push(end), hold: served.hold, lost: served.lose });
}

/** The session of a port, from its beginning to its end. `lost` reports to the page why it could not begin or go on. */
function createServed(lost: (error: unknown) => void) {
  let session: Driver | undefined;
  // The core waits for something.
  let busy = false;
  const lose = (error: unknown): void => {
    session = undefined;
    lost(error);
  };
  return {
    lose,
    current: () => session,
    busy: () => busy,
    hold: (on: boolean): void => void (busy = on),
    open: (create: () => CoreSession, host: Host): void => {
      try {
        session = new Driver(create(), host);
        session.enter();
      } catch (error) {
        lose(error);
      }
    },
    /** Calls the session. `undefined` if that throws, which is reported to the page. */
    attempt: <Value>(method: (session: Session) => Value, refused: (why: Failure) => void): Value | undefined => {
      let value: Value | undefined;
      try {
        session?.enter((opened) => (value = method(opened)));
      } catch (error) {
        refused(toFailure(error));
      }
      return value;
    },
    end: (): void => {
      const last = session;
      session = undefined;
      last?.enter((opened) => opened.call("dispose"));
      last?.free();
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
