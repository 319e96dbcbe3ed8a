// The types that the sources compile against. The real glue is made by wasm-bindgen from src/browser; a
// type test (tests/js/glue.test-d.ts) proves that it is assignable to this.

import type { Limits } from "../api/options.js";
import type { AheadRequest } from "../core/ahead.js";

/** The source of the module. */
export type ModuleInput = Response | BufferSource | WebAssembly.Module | Promise<Response | BufferSource | WebAssembly.Module>;

/** Instantiates the module, once: later calls give what the first one made. */
export default function init(input: { module_or_path: ModuleInput }): Promise<unknown>;

/** The settings of a session, fixed for its life; JSON text at the border. */
export interface SessionOptions extends Limits {
  threadId: string;
  rules: "tolerant" | "strict";
  /** Whether bodies may be in the binary framing; read by the module that has it. */
  binary: boolean;
  /** `1.0` or `0.0.x`. */
  protocol: string;
  /** The name of the dialect that the server speaks, where that is not AG-UI. */
  dialect: string | undefined;
  /** Its settings: JSON text of an object. */
  dialectSettings: string;
  /** The events that `host.event` is called with: types with commas between them, `*` for all. */
  events: string;
  /** The guard's policy: JSON text; read by the module that has a guard. */
  guard: string | undefined;
  /** Whether to call `host.decision` for every event that the guard judges. */
  decisions: boolean;
  /** Whether to call `host.save`. */
  saves: boolean;
  /** The retry policy for network failures (`js/agent/settings.ts`). */
  network: object;
}

/** Where and how a request goes. */
export interface RequestTarget {
  url: string;
  /** Default: `POST`. */
  method?: string | undefined;
  headers?: HeadersInit | undefined;
  credentials?: RequestCredentials | undefined;
  fetch?: typeof fetch | undefined;
  /** Whether to ask for the binary framing. */
  binary?: boolean | undefined;
  /** Of a run that begins: `{tools, pageTools, context, forwardedProps}` as the options have them now, JSON text. */
  input?: string | undefined;
}

/** The same, looked at: what is sent. The core adds its own headers to these. */
export interface SentTarget extends RequestTarget {
  headers: Headers;
  binary: boolean;
}

/** The page, as a session calls it. Every method of the session may be called from inside these. */
export interface Host {
  /** How long a patch may take now: until that time of `performance.now`. */
  readonly task: { until: number };
  /** Asked anew before every request. `resume`: it joins the run, whose stream was read up to `cursor`. */
  request(resume: boolean, runId: string, cursor?: string): RequestTarget | Promise<RequestTarget>;
  /** The same request, if it has left already: it is the caller's from now on. */
  ahead?(...which: Parameters<Host["request"]>): AheadRequest | undefined;
  /** A response has come. */
  head(headers: Headers, status: number): void;
  /** A request or the body of its answer has failed with this value, which is the cause of an error that follows. */
  failed(cause: unknown): void;
  /** The run was stopped, which the server may be told. */
  stopRemote(runId: string): void;
  /** The snapshot is out of date. Urgent: take the patch now, else at the next notification. */
  changed(urgent: boolean): void;
  /** The submit of that name has ended, or, without a name, a run that nobody asked for: `{runId, outcome, error?, result?}` as JSON text. */
  settled(name: string, result: string): void;
  /** A CUSTOM event; the value as JSON text. */
  custom(name: string, value: string): void;
  /** One AG-UI event as JSON text, as it came, before it is reduced. */
  event(json: string): void;
  /** A decision of the guard: JSON text. */
  decision(json: string): void;
  /** Something odd that was dealt with. */
  warning(warning: { code: string; rule?: string; message: string; eventType?: string }): void;
  /** A call of one of the page's tools is to run; the arguments as JSON text. `approved`: by a person. Report its end by the method `settleCall`. */
  execute(toolCallId: string, name: string, approved: boolean, args: string): void;
  /**
   * Write this save, and report it by the method `saved`, within a bounded time, even if it cannot be written.
   * `part`: it has what has changed since the last whole one.
   */
  save(number: number, part: boolean, json: string): void;
  /** The result of that call is no longer wanted. */
  abandon(toolCallId: string): void;
  /** Whether the session waits for the network or for a time: it must not be collected before it has been told. */
  hold(on: boolean): void;
  /** The core has trapped: its session is lost. */
  lost(trap: unknown): void;
}

/** A run was asked for, which a core that answers later may refuse: it calls back in the turn in which that comes, before anything that comes after it. */
export type BeginAnswer = void | { catch(refused: (why: unknown) => void): void };

/** The methods of a session: the JSON text that each takes, and its result. A misuse is thrown. */
export interface SessionMethods {
  /** `{runId, messages, state?, resume?, tools, context, forwardedProps, …}` (`src/session/handlers/asks.rs`). Its name is the `runId`. */
  submit: BeginAnswer;
  retry: BeginAnswer;
  /** With `of?`: the message to say anew. */
  regenerate: BeginAnswer;
  /** `{runId?, name?, cursor?, tools?, …}`, as `submit` without messages. Its name, if it has one, is in place of the `runId`. */
  attach: BeginAnswer;
  /** Answers one interrupt: `{interruptId, status, payload?, metadata?, run}`. Its name is that of the run. */
  answer: BeginAnswer;
  /** `{toolCallId, result?, error?}`, or a list of them. False where nobody waits for it. */
  settleCall: boolean;
  /** `{toolCallId, args?, seen?}`. */
  approve: boolean;
  /** `{toolCallId, reason?}`. */
  deny: boolean;
  /** Instead of executing the call, waits for its approval: `{toolCallId}`, or a list of them. */
  hold: boolean;
  /** The form of `submit`, for the one of that `runId`. False if that no longer waits. */
  editQueued: boolean;
  /** `{v, threadId, messages, state, …}`. */
  save: string;
  /** The same without messages and state. */
  record: string;
  /** `{forwarded, blocked, total}` of the guard. */
  guardCounters: string | undefined;
  /** Whether an event may go to the agent: the decision as JSON text, where there is a guard. */
  judgeInbound: string | undefined;
  /** A save that the host was given is written, or is not waited for: its number. */
  saved: void;
  /** Makes a session that nothing has happened in the one that was saved. If it throws, nothing has changed. Nothing begins before `proceed`. */
  restore: void;
  /** Begins what waits in the save, with what was edited since. */
  proceed: void;
  /** Ends all that goes on, and makes the session the one that was saved. */
  fork: void;
  /** A name, as it is. */
  cancel: void;
  /** The runs that are shown as waiting, a line each: a session that answers later does not stop one of them. */
  stop: void;
  /** Later, where the core is in a worker. */
  disconnect: void | Promise<void>;
  /** The page can reach the network again, or is looked at again. */
  online: void;
  /** The time has come that `wake` has named. */
  tick: void;
  /**
   * `{before, after}`: does what has made `after` of the messages `before`. `after` has messages, and numbers of those in
   * `before` that are left as they were, of which that needs `id`, `role` and `toolCallId` only.
   */
  editMessages: void;
  /** The same of the state: any JSON. Members of objects that both lack are left as they are. */
  editState: void;
  /** `{events, decisions}`: the options of that name, after the construction. */
  listen: void;
  /** Capability tokens for the guard: a JSON array. */
  present: void;
  /** Begins anew with `{messages?, state?}`. */
  reset: void;
  dispose: void;
}

/** The life of one agent. */
export interface Session {
  call<Name extends keyof SessionMethods>(method: Name, json?: string): SessionMethods[Name];
  /** The changes since the last one, as JSON text: a patch, or the next part of a long one. */
  takePatch(): string | undefined;
  free(): void;
}

/** A session of the core. It calls nobody: `effect` is to be asked for what follows, after every call of another method. */
export class CoreSession implements Session {
  /** The settings, the messages and the state that it begins with, each JSON text. */
  constructor(options: string, messages: string | undefined, state: string | undefined);
  call<Name extends keyof SessionMethods>(method: Name, json?: string): SessionMethods[Name];
  takePatch(): string | undefined;
  /**
   * The next effect, until there is none. A JSON list: the name of a method of the host, and its arguments; the last one, where it
   * may be long, stands after a line break, as it is. Three more are not the host's: `open(request, …)` is a request that goes where
   * `request(…)` says, `close(request)` aborts it, and `wake(ms?)` asks for the method `tick` after that time, in place of the one before.
   */
  effect(): string | undefined;
  /** The request that was opened last, as `fetch` takes it, but for the credentials. */
  init(request: number, target: SentTarget, signal: AbortSignal): RequestInit;
  /** Its response has come. */
  head(request: number, status: number, contentType: string, retryAfter?: string): void;
  /** Room for so many bytes, in the module's memory: until more is asked for, or that grows. */
  room(bytes: number): Uint8Array;
  /**
   * So many bytes of the body stand there; `now` in milliseconds since 1970. The result has two bits. 1: a long event is being read,
   * which goes on with a call without bytes. 2: there are effects.
   */
  read(request: number, bytes: number, now: number): number;
  /** The body has ended. */
  end(request: number): void;
  /** The request or its body has failed. `denied`: for want of credentials. */
  fail(request: number, reason: string, denied: boolean): void;
  free(): void;
}
