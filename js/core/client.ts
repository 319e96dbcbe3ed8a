// The interfaces between an agent and its core: the calls of an agent to its link, and those of the link to the agent.

import type { AgentError } from "../api/error.js";
import type { AgentSchemas, AgentSnapshot, Notify, PageTool, RunResult } from "../api/types.js";
import type { Emitter } from "../base/emitter.js";
import type { SessionMethods, RequestTarget, Session, SessionOptions } from "../glue/core.js";
import type { AheadRequest } from "./ahead.js";
import type { Intent, QueuedIntent } from "../intents/intent.js";
import type { RunIntent } from "../intents/run.js";
import type { stopped } from "../snapshot/cut-off.js";
import type { Mark } from "../snapshot/mirror.js";
import type { openSession } from "./open.js";
import type { PendingIntents } from "./pending.js";
import type { Remains } from "./remains.js";
import type { Port } from "./port.js";

/** The calls that run in the page. */
export interface Calls {
  /** `approved`: a person has approved it, and is not asked again. */
  execute(toolCallId: string, name: string, approved: boolean, args: string): void;
  /** The tool of that name as the application has it now. */
  find(name: string): PageTool | undefined;
  /** Nobody wants the result. */
  abandon(toolCallId: string): void;
  abandonAll(): void;
}

/** A run that somebody waits for. */
export interface Run<State> extends Omit<RunIntent<State>, "fold">, Required<Pick<RunIntent<State>, "fold">> {
  resolve(result: RunResult): void;
  reject(error: AgentError): void;
  /** Replies that a reset has ended have another one. */
  part?: object | true;
  /** The agent that has asked for it. */
  readonly by?: object | undefined;
  /** Nobody asked for it, and nothing is said: callbacks hear of it only if it fails. */
  readonly quiet?: boolean;
  /**
   * It brings the thread, and goes before all that waits. What it makes of the save that a session begins with, which has it first then; the
   * session is not called for it.
   */
  readonly opens?: (save: string) => string;
}

/** An intent that the core has not confirmed. */
export interface PendingIntent<State> extends Pick<Intent<State>, "fold">, Partial<Omit<QueuedIntent<State>, "fold">> {
  /** Somebody waits for it. */
  run?: Run<State> | undefined;
  /** The run, where it was cancelled while it waited: its messages stay. */
  cancelled?: Run<State> | undefined;
  /** A session that was told has answered: this is shown until the patch that has it is. */
  done?: boolean;
  /** No save has this submit among those that wait before the session has answered. */
  unsaved?: boolean;
  /** It begins once another run has ended, as far as is known. */
  readonly waits?: boolean;
  /** Its part in the thread of a save, where the queue of that has the rest of it. */
  readonly inSave?: PendingIntent<State>["fold"];
  /** The last snapshot that it was applied to, and the result. */
  shown?: readonly [AgentSnapshot<State>, AgentSnapshot<State>];
}

/** A session that answers later: what it is told is pending until it has answered. */
export interface LateSession<State> {
  /** It was told this; resolves when it has answered. */
  tell(told: PendingIntent<State>): Promise<void>;
  /** The thread begins anew with this intent. */
  resets(intent: Intent<State>): void;
  /** It was opened with all that is pending: until it has answered, the thread stays as it is shown. */
  opened(): void;
  /** The core has said this. Drops what the session has answered for, which is in it. Returns it, perhaps with objects that are shown. */
  answered(next: AgentSnapshot<State>): AgentSnapshot<State>;
  /** The run of this name has ended. Returns what is to be done after that, if anything. */
  settled(name: string): (() => void) | undefined;
  /** Everything that is to be kept of it: JSON text. */
  save(): string;
  /** Has that written. */
  write(done?: () => void): void;
  /** It has ended with its worker. Whether nobody waits for a run: these remains go on once something is called. */
  rests(left: Remains<State>): boolean;
}

/** The parts beside the core of which each agent has its own. */
export interface OwnParts {
  readonly calls: Calls;
  /** Approves a call, by JSON text, once what a person says of it fits its tool. */
  approve(json: string): void;
  /** Without those that follow from the listeners. */
  readonly settings: Omit<SessionOptions, "events" | "decisions">;
  request(resume: boolean, runId: string, cursor: string | undefined): RequestTarget | Promise<RequestTarget>;
  stopRemote(runId: string): void;
  /** The save, or what has changed since one, without what is no part of the thread: JSON text. */
  saved(json: string): string;
  /** The request of a run that waits for the core may leave before. */
  ahead(): void;
  /** Hears of each boundary that the core comes to. */
  readonly history: { readonly add: Mark<AgentSnapshot> };
}

/** The code that comes beside the core. */
export interface Parts extends OwnParts {
  readonly openSession: typeof openSession;
  readonly stopped: typeof stopped;
  /** The response to the last request of that agent has come. */
  head(client: Pick<LinkClient<unknown, unknown>, "emitter">, headers: Headers, status: number): void;
  /** The result of the run that was asked for with that id, with what its last response said beside its body. */
  withHead(client: { readonly emitter: object }, id: string, result: RunResult): RunResult;
}

/** An open session and the runs that it works on. */
export interface Live<State> {
  run(run: Run<State>): void;
  /** False if the session was lost over it. A session that answers later: when it has. */
  apply(intent: Intent<State>): boolean | Promise<void>;
  /** Returns the result; nothing if the session was lost over it. */
  call<Name extends keyof SessionMethods>(method: Name, json?: string): SessionMethods[Name] | undefined;
  cancel(run: Pick<Run<State>, "id">): void;
  stop(): boolean | Promise<void>;
  /** Everything that is to be kept, as JSON text; nothing if the session was lost over it. */
  save(): string | undefined;
  /** Has that written, unless the session says when. */
  readonly keep: () => void;
  /** The run in progress has ended with the agent: reports it, unless somebody waits for it. */
  report(last: AgentSnapshot<State>): void;
  /** Calls the session. False if it was lost over it. */
  ask(method: (session: Session) => void): boolean;
  start(run: Run<State>): void;
  /** Brings the snapshot up to date. */
  flush(): void;
  /** The listeners of events may have changed. */
  listen(): void;
  /** Whether a patch has come, or is applied, in part: nothing of it is shown. */
  partly(): boolean;
  end(): void;
  /** The methods that the session calls. */
  readonly host: object;
  /** Opens the session with the thread and the state of this snapshot. Throws where the core refuses them. */
  open(from: AgentSnapshot<State>): void;
  takePatch(): string | undefined;
  /** This snapshot shows all that it has done so far. Reports where that does not fit the schemas of the application. */
  begun(next: AgentSnapshot<State>): void;
  /** The session is lost, the snapshot is not. */
  fail(cause: unknown): void;
}

/** A session. */
export interface OpenHome<State> {
  readonly at: "open";
  readonly live: Live<State>;
  /** The last report: a save, or a record, which is one without the thread. Where nobody keeps saves, a core in this page is not asked for any. */
  last?: string | undefined;
  /** The changes since that save, if the session has reported any. */
  changes?: string | undefined;
  /** The calls that were begun since; without a report all. */
  begun: Set<string>;
  /** The thread that the record goes with. */
  thread: Pick<AgentSnapshot<State>, "messages" | "state">;
  /** It may not have read the save that it begins with. */
  reading: boolean;
  /** Nothing of it is shown yet. */
  begins: boolean;
}

/** The home of a thread: where what is said is done. `last`: the last save that is known, JSON text, as long as every one is. */
export type Home<State> =
  | OpenHome<State>
  /** No session. The next one begins with the thread as it is shown. A save has what a request that has left is known to have begun. */
  | { readonly at?: undefined; readonly last?: string | undefined; readonly live?: undefined }
  /** A save is on the way, and no session is opened before it has come. */
  | { readonly at: "awaited"; readonly last?: string | undefined; readonly live?: undefined }
  /** The next session begins with this save. */
  | { readonly at: "saved"; readonly last: string; readonly live?: undefined }
  /** The agents are gone. */
  | { readonly at: "ended"; readonly last?: string | undefined; readonly live?: undefined };

/** The state that a link and its session share. */
export interface LinkState<State> {
  readonly runs: Set<Run<State>>;
  home: Home<State>;
  /** Notifications deferred until the current batch ends. */
  held?: (() => void)[] | undefined;
  /** The run that a failed load has kept from the core, or nothing if a session can be asked to retry. */
  lost?: Run<State> | undefined;
  /** The save of what was done, made after a home was lost at one. */
  rescued?: string;
  /** A request that has left before there was a session. */
  ahead?: AheadRequest | undefined;
  pending: PendingIntents<State>;
  /** The core may be in a worker, which sends the requests. */
  apart?: boolean;
  /** Where the core is not in this page. */
  late?: LateSession<State> | undefined;
  /** Does it once callbacks may be called. */
  soon(action: () => void): void;
  /** Publishes what the calls have come to, then makes the notifications that were deferred. */
  release(show: () => void): void;
  report(run: Run<State> | undefined, result: RunResult): void;
  /** A run has ended, unless it had before. */
  settle(run: Run<State>, outcome: RunResult["outcome"]): void;
  /** Every run has ended with this outcome. */
  settleAll(outcome: RunResult["outcome"]): void;
  /** Every run has failed; where a session was lost, this is what is left of it. */
  giveUp(error: AgentError, last?: AgentSnapshot<State>): void;
}

/** The agent as its link sees it. */
export interface LinkClient<State, Place = Port> {
  /** The port to the core, or the place of the core where the link makes the port. */
  readonly source: () => Promise<Place>;
  /** The options that the agent was made with. */
  readonly options: { readonly notify?: Notify | undefined; readonly schemas?: AgentSchemas<State> | undefined };
  readonly emitter: Pick<Emitter, "emit" | "has" | "filters">;
  /** The agent that has asked for that run hears of its end. */
  notify(run: Run<State> | undefined, ...event: Parameters<Emitter["emit"]>): void;
  /** The code that comes beside the core: there once `source` has resolved. */
  parts(): Parts | undefined;
  /** Whether runs can be joined again. */
  resumes(): boolean;
  /** A run has said its end, but its body is open: it is not reported yet, and what waits for it has not begun. */
  ending(): boolean;
  read(): AgentSnapshot<State>;
  publish(snapshot: AgentSnapshot<State>): void;
  /** The snapshot of an agent that nothing was restored to. */
  empty(): AgentSnapshot<State>;
  /**
   * The core wants this save written: JSON text. `done` is to be called within a bounded time: a request or a call may wait for it.
   * `changes`: what has changed since that save, which is the last whole one.
   */
  save(json: string, done: () => void, changes?: string): void;
  /** The core cannot read this save, JSON text, or was lost at it: it is put aside before another one takes its place. */
  quarantine(json: string): void;
  /** The core cannot read the save. */
  refused(error: AgentError): void;
  /** Shows something else in place of what does not fit. */
  cover(name: string, fold?: (at: AgentSnapshot<State>) => AgentSnapshot<State>): void;
}
