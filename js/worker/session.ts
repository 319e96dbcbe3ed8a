// The page's side: a session like the core's, whose core is in a worker. Its methods return at once. What the core makes
// of a call comes later: a patch, the end of a run, or a refusal.

import type { BeginAnswer, Host, SessionMethods, SessionOptions } from "../glue/core.js";
import { AgentError } from "../api/error.js";
import { internal, unsupported } from "../base/failure.js";
import { createQueue } from "../base/queue.js";
import { createPageRequests } from "./fetch.js";
import { retained, whenCollected } from "../base/weak.js";
import type { BeginningMethod } from "../intents/run.js";
import type { OpenSession, SessionHost } from "../core/port.js";
import { weakly } from "../base/weakly.js";
import type { ResponseHead } from "./host.js";
import { createPipe, toError, type Failure, type Pipe } from "./pipe.js";
import type { Pool } from "./pool.js";
import type { Act, FromPage } from "./serve.js";

type FromCore = Pick<Host, "settled" | "warning" | "custom" | "event" | "decision" | "execute" | "abandon" | "stopRemote">;

/** The calls of the worker: those of its core to a host, and its own. */
export interface FromWorker extends FromCore {
  /** A patch, or the next part of one. */
  patch(json: string): void;
  changed(): void;
  /** The members of a save without the thread. The core wants the save of this number written. */
  saved(json: string, number?: number): void;
  /** Of a call that has no run. */
  misused(why: Failure): void;
  unrestored(why: Failure): void;
  lost(why: Failure, trapped: boolean): void;
  /** Nothing is in progress, since that `rest`. */
  idle(number: number): void;
  ended(): void;
  /** The headers of a response. */
  head(headers: [string, string][], status: number): void;
  /** The guard's counters, as far as the next patch goes. */
  counted(json: string | undefined): void;
  failed(why: Failure): void;
  request(number: number, resume: boolean, runId: string, cursor: string | undefined): Promise<unknown>;
  fetch(number: number, url: string, init: RequestInit): Promise<ResponseHead>;
  read(number: number): Promise<Uint8Array | undefined>;
  cancelFetch(number: number): void;
}

/** The maker of a session, which receives the answers that came later. */
export interface SessionOwner extends Pick<FromWorker, "misused" | "unrestored"> {
  /** The worker has nothing more to say for now. */
  received(): void;
  /** The session is lost; `died`: its worker has ended. */
  lost(cause: AgentError, died: boolean): void;
  /** Others reference this object weakly: it lives as long as the session. */
  readonly life: object;
}

/** A session in a worker. */
export interface RemoteSession extends OpenSession {
  /** Calls back when the worker has done all that it was told before, or never will. */
  echo(done: (answered: boolean) => void): void;
  /** The worker is gone. */
  die(reason: string): void;
}

/** The methods of a session that the page does not merely pass on. */
type OwnMethods = { readonly [Name in keyof SessionMethods]?: (json?: string) => SessionMethods[Name] };

/** The calls that the methods of a session make; `counters` returns the guard's. */
type WorkerCalls = Pick<Pipe<FromPage>, "tell"> & Pick<RemoteSession, "echo"> & {
  begin(...call: Parameters<FromPage["begin"]>): BeginAnswer;
  end(): void;
  counters(): string | undefined;
};

/** A session at the other end of a way to the worker. */
export function createRemoteSession(
  { port, working, close: closed }: ReturnType<Pool["open"]>,
  options: string,
  messages: string | undefined,
  state: string | undefined,
  host: SessionHost,
  owner: SessionOwner,
): RemoteSession {
  const requests = createPageRequests(host);
  const shown = createShown(host);
  const wait = createWait(() => session, working, (number) => pipe.tell("rest", number));
  let ended = false;
  const close = (reason: string): void => {
    ended = true;
    requests.close();
    wait.end();
    pipe.close(reason);
    closed();
  };
  const lose = (cause: AgentError, died = false): void => {
    close(cause.message);
    owner.lost(cause, died);
  };

  const mine: FromWorker = {
    ...passedOn(host, owner),
    ...requests.answers,
    ...shown.answers,
    lost: (why, trapped) => lose(toLoss(why, trapped)),
    idle: wait.idle,
    ended: () => close("The session has ended"),
  };
  const hooks = { received: owner.received };
  // The port outlives whoever holds this session.
  const pipe = createPipe<FromPage>(port, weakly(mine), weakly(hooks));
  // Both travel in one message, after which the worker answers.
  const tell: typeof pipe.tell = (...call) => (wait.begin(), pipe.tell(...call));
  const begin: WorkerCalls["begin"] = (...call) => {
    let refused: ((why: unknown) => void) | undefined;
    wait.begin();
    // Not by a promise: the same message may say that the core is lost. The run would fail with that, and no save would have what it says.
    pipe.question((_, failure) => failure && !ended && refused?.(toError(failure)), "begin", ...call);
    return { catch: (heard) => void (refused = heard) };
  };

  const session: RemoteSession & { held: readonly object[] } = {
    held: [mine, hooks, owner.life],
    call: createMethods(JSON.parse(options) as SessionOptions, {
      ...{ tell, begin, counters: shown.counters, end: () => pipe.tell("end") },
      echo: (done) => session.echo(done),
    }),
    takePatch: () => shown.take(() => pipe.tell("take")),
    free: () => {},
    abandon: () => pipe.tell("end"),
    enter: (entry) => (entry?.(session), true),
    echo: (done) => pipe.question((_, failure) => done(!failure), "echo"),
    die: (reason) => lose(internal("The worker has failed", new Error(reason)), true),
  };
  tell("open", options, messages, state);
  whenCollected(session, ending(pipe, closed));
  return session;
}

/** Why the worker's session is lost. */
function toLoss(why: Failure, trapped: boolean): AgentError {
  const cause = toError(why);
  const { message, code = "input" } = why;
  return trapped ? internal("The WebAssembly core has failed", cause) : new AgentError({ kind: "unsupported", code, message, cause });
}

/** The calls of the worker that go on to the host and the owner. */
function passedOn(host: SessionHost, owner: SessionOwner) {
  return {
    head: (headers, status) => host.head(new Headers(headers), status),
    ...{ custom: host.custom, event: host.event, decision: host.decision, warning: host.warning },
    ...{
      execute: host.execute,
      abandon: host.abandon,
      settled: host.settled,
      stopRemote: host.stopRemote,
      misused: owner.misused,
      unrestored: owner.unrestored,
    },
    saved: (json, number) => host.save(number, false, json),
    failed: (why) => host.failed(toError(why)),
  } satisfies Partial<FromWorker>;
}

/** The methods of a session. Those that the page has no answer to, and nothing more to do for, it passes on. */
function createMethods(options: SessionOptions, { tell, begin, counters, echo, end }: WorkerCalls): RemoteSession["call"] {
  let listens: string | undefined = JSON.stringify({ events: options.events, decisions: options.decisions });
  const act = (method: Act, json?: string): true => {
    tell("act", method, json);
    return true;
  };
  const own: OwnMethods = {
    disconnect: () => {
      act("disconnect");
      // The agent waits for it.
      return new Promise<void>((resolve) => echo(() => resolve()));
    },
    listen: (json) => {
      // Options may be set with every rendering.
      if (json !== listens) act("listen", listens = json);
    },
    guardCounters: counters,
    judgeInbound: () => {
      if (options.guard === undefined) return undefined;
      const message = "send() of an agent with a guard needs the core in the page: in worker mode the guard cannot answer at once";
      throw unsupported("worker", message);
    },
    dispose: end,
  };
  return (method, json) => {
    const answer = own[method];
    if (answer) return answer(json);
    if (!begins(method)) return act(method as Act, json) as SessionMethods[typeof method];
    return begin(method, json) as SessionMethods[typeof method];
  };
}

/** Whether the page waits for the worker. While it does, the session is held, by nobody else. `ask` asks whether the worker is at rest. */
function createWait(session: () => object, working: (on: boolean) => void, ask: (number: number) => void) {
  // How often it was asked.
  let asked = 0;
  const end = (): void => {
    retained.delete(session());
    working(false);
  };
  return {
    /** The worker gets something to do. */
    begin: (): void => {
      retained.add(session());
      working(true);
      ask(++asked);
    },
    end,
    /** The worker is at rest after what came before that question. */
    idle: (number: number): void => {
      if (number === asked) end();
    },
  };
}

/** Whether the method begins a run. */
const begins = (method: keyof SessionMethods): method is BeginningMethod => /^(submit|retry|regenerate|attach|answer)$/.test(method);

/** The worker's changes to the snapshot, until the page takes them. */
function createShown(host: Host) {
  const patches = createQueue<string>();
  // The worker has a patch that it did not send.
  let withheld = false;
  let counters: string | undefined;
  const answers: Pick<FromWorker, "patch" | "changed" | "counted"> = {
    patch: (json) => {
      patches.push(json);
      withheld = false;
      host.changed(true);
    },
    changed: () => {
      withheld = true;
      host.changed(false);
    },
    counted: (json) => void (counters = json),
  };
  return {
    answers,
    counters: () => counters,
    /** The next patch or part of one. `ask` asks the worker for the one that it did not send. */
    take: (ask: () => void): string | undefined => {
      const json = patches.take();
      if (json === undefined && withheld) {
        withheld = false;
        ask();
      }
      return json;
    },
  };
}

/** Ends a session that nobody holds. Must not hold it either: nothing else may be in reach of this function. */
function ending(pipe: Pipe<FromPage>, closed: () => void): () => void {
  return () => {
    pipe.tell("end");
    // After the message.
    queueMicrotask(() => {
      pipe.close("The session has been dropped");
      closed();
    });
  };
}
