/// <reference lib="esnext.disposable" preserve="true" />
// Everything that the package speaks about, apart from AG-UI's own shapes (protocol.ts, events.ts).

import type { AgentError } from "./error.js";
import type { AgUiEvent } from "../agent/events.js";
import type {
  ContentPart,
  Context,
  Interrupt,
  JsonObject,
  Message,
  ResumeEntry,
  TokenUsage,
  Tool,
  UserMessage,
} from "./protocol.js";

import type { AgentGuard, Decision, GuardOptions } from "../agent/guard.js";
import type { Checkpoint } from "../agent/history.js";
import type { LineSource } from "../network/line.js";
import type { AgentStore, SavedAgent, SavingOptions } from "../agent/persist.js";
import type { PageTool } from "../agent/tools.js";
import type { HectorSettings } from "../systems/hector/index.js";

export type * from "../agent/events.js";
export type * from "./protocol.js";
export type { AgentGuard, Capability, CapabilityScope, CapabilityToken, Classification, Decision, GuardOptions, Velocity } from "../agent/guard.js";
export type { Checkpoint } from "../agent/history.js";
export type { AgentStore, SavedAgent, SavingOptions } from "../agent/persist.js";
export type { PageTool, StandardIssue, StandardResult, StandardSchema, ToolContext } from "../agent/tools.js";

/** How a run ended. `truncated`: the stream stopped before the agent said that it was done. */
export type RunOutcome = "success" | "error" | "aborted" | "interrupted" | "cancelled" | "truncated";

/** A tool call of the thread. */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  /** The arguments, parsed; while they stream, the longest valid reading so far. */
  readonly args: Readonly<Record<string, unknown>>;
  /** The arguments as the model wrote them. */
  readonly argsText: string;
  readonly status: "running" | "complete" | "error";
  readonly phase:
    | "input-streaming"
    | "input-available"
    | "awaiting-approval"
    | "executing"
    | "output-available"
    | "output-error"
    | "denied";
  /** The content of the tool's message: parsed where it is JSON, else text, or content parts. */
  readonly result?: unknown;
  /** What the tool said when it failed. */
  readonly error?: string;
  /** The assistant message that holds the call. */
  readonly messageId: string;
  readonly subagentRunId?: string;
}

/** A named step of a run. */
export interface Step {
  readonly name: string;
  readonly status: "running" | "complete" | "error";
  readonly subagentRunId?: string;
  readonly durationMs?: number;
}

/** An invocation of a subagent, with those it started itself. */
export interface Subagent {
  readonly subagentRunId: string;
  readonly name: string;
  readonly description?: string;
  readonly parentSubagentRunId?: string;
  readonly parentToolCallId?: string;
  readonly parentMessageId?: string;
  readonly status: "running" | "complete" | "suspended" | "error";
  readonly result?: unknown;
  readonly error?: string;
  readonly interruptIds?: readonly string[];
  readonly children: readonly Subagent[];
}

/** The clock of a run. */
export interface RunTiming {
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  /** From the start to the first piece of text, reasoning or tool call. */
  readonly firstTokenMs?: number;
  /** From the start to the end. Absent during the run. */
  readonly durationMs?: number;
}

/** The wire. */
export interface Connection {
  readonly phase: "closed" | "connecting" | "open" | "reconnecting";
  readonly attempt: number;
  /** Milliseconds since 1970. */
  readonly retryAt?: number;
  readonly lastEventId?: string;
}

/** A submit that waits until the thread is free. */
export interface QueuedSubmit {
  readonly id: string;
  readonly messages: readonly Message[];
  readonly runId: string;
}

/** Everything that is known about an agent. Immutable: what did not change keeps its identity (`===`). */
export interface AgentSnapshot<State = unknown> {
  readonly threadId: string;
  /** The run in progress, or else the last one. */
  readonly runId: string | undefined;
  readonly status: "idle" | "running" | "error";
  readonly isLoading: boolean;
  readonly error: AgentError | undefined;
  readonly messages: readonly Message[];
  /** Every call of the thread, in order. */
  readonly toolCalls: readonly ToolCall[];
  readonly state: State;
  /** How the last run ended. */
  readonly outcome: RunOutcome | undefined;
  /** Open questions of the agent, to be answered with `resume()`. */
  readonly interrupts: readonly Interrupt[];
  readonly subagents: readonly Subagent[];
  readonly steps: readonly Step[];
  /** Summed by provider and model. */
  readonly usage: readonly TokenUsage[];
  readonly timing: RunTiming | undefined;
  readonly queue: readonly QueuedSubmit[];
  readonly connection: Connection;
}

/** How a run ended, as `submit()` tells it. */
export interface RunResult {
  readonly runId: string;
  /** `dropped`: no run was made, because one was on already. `disconnected`: it was left to the server. */
  readonly outcome: RunOutcome | "dropped" | "disconnected";
  readonly error?: AgentError;
  /** What RUN_FINISHED returned. */
  readonly result?: unknown;
  /**
   * The tool calls that a successful run left without an answer, in order: those that RUN_FINISHED named, or else those
   * that the run started and did not answer. Absent if there are none.
   */
  readonly pendingToolCallIds?: readonly string[];
}

/** A value, or a function that is asked for it each time it is needed. */
export type Provider<Value> = Value | (() => Value);

/** The same, where the function may take its time. */
export type AsyncProvider<Value> = Value | (() => Value | Promise<Value>);

/** When listeners hear of changes. The end of a run, an error and the user's own action never wait. */
export type Notify = "frame" | "microtask" | "sync" | { readonly throttleMs: number };

/** Bounds on what a server can make the page hold. */
export interface Limits {
  /** Bytes of one frame. Default: 10 MiB. */
  readonly frameBytes?: number;
  /** Bytes of the state, and of an activity's content, as JSON, and of what patches copy in it. Default: 16 MiB. */
  readonly stateBytes?: number;
  /** Bytes of the messages and calls of the whole thread, with its steps, subagents, interrupts and usage. Default: 64 MiB. */
  readonly threadBytes?: number;
  /** Elements of each list of the thread: messages, calls, steps, subagents, interrupts, usage. Default: 100,000. */
  readonly items?: number;
  /** Warnings that a run reports; after them comes one that says that more were left out. Default: 1000. */
  readonly warnings?: number;
  /** Bytes that are kept of a failed answer. Default: 64 KiB. */
  readonly errorBodyBytes?: number;
  /** How long the rest of a failed answer is waited for, in milliseconds. Default: 5000. */
  readonly errorBodyMs?: number;
  /** Submits that may wait. Default: 32. */
  readonly queue?: number;
  /** Levels of JSON in a frame, and in what patches build; at most 4096. Default: 512. */
  readonly depth?: number;
  /** Checkpoints that `agent.history` keeps; the oldest go first. Default: 100; 0: none. */
  readonly history?: number;
  /** How long a connection may stay open after the end of its run, in milliseconds. Default: 1000. */
  readonly graceMs?: number;
}

/** Something irregular that did not end the run. */
export interface AgentWarning {
  /** Stable, to be filtered by. */
  readonly code: string;
  readonly message: string;
  /** The protocol's rule that was broken: its tag in docs/rules.md. */
  readonly rule?: string;
  /** The event that was repaired or dropped. */
  readonly eventType?: string;
}

/** A CUSTOM event. The name `state_update` with an object as its value is told apart. */
export type CustomEventData =
  | { readonly type: "state_update"; readonly data: JsonObject }
  | { readonly type: "custom"; readonly name: string; readonly data: unknown };

/** Where a run is. */
export interface RunTarget {
  readonly threadId: string;
  readonly runId: string;
  /** How far the stream of a run that is joined was read. */
  readonly cursor?: string | undefined;
}

/**
 * An address, or a function that is asked for that of a run. A server may have named the run: put ids into an address with
 * `encodeURIComponent`.
 */
export type RunUrl = string | URL | ((runId: string, run: RunTarget) => string | URL | Promise<string | URL>);

/** A request that is to be made. */
export interface TransportRequest extends RunTarget {
  /** It joins a run in progress, and does not begin one. */
  readonly resume: boolean;
}

/** Where and how it goes. */
export interface TransportTarget {
  readonly url: string;
  /** Default: `POST`. */
  readonly method?: "GET" | "POST" | undefined;
  readonly headers?: HeadersInit | undefined;
  readonly credentials?: RequestCredentials | undefined;
  /** Used in place of the global `fetch`. */
  readonly fetch?: typeof fetch | undefined;
  /** Whether to ask for the binary framing. Default: `false`. */
  readonly binary?: boolean | undefined;
}

/** A way to an agent: `fetchTransport`, `eventSource`, `webSocket`, `custom`, or one of the application's own. */
export interface Transport {
  /** Asked anew before every request. */
  connect(request: TransportRequest, resume: ResumeOptions | undefined): TransportTarget | Promise<TransportTarget>;
  /** Whether bodies may be in the binary framing, for which the agent loads the full module. Default: `false`. */
  readonly binary?: boolean | undefined;
  /** Whether it would answer otherwise after a 401, as with headers that are made anew. Default: `false`. */
  readonly renews?: boolean | undefined;
  /**
   * Sends a string beside the run in progress. False where none is, or nothing can be sent; a promise where the server answers
   * later. Needed by `agent.send` only.
   */
  send?(text: string, run: RunTarget): boolean | Promise<Response>;
  /** Set by `webSocket` and `eventSource` with `keepOpen`: how a connection is opened that outlives its runs. */
  readonly keep?: LineSource | undefined;
}

/** How a connection is kept open over several answers. */
export interface KeepOpenOptions {
  /**
   * Whether this event, as it came, is the end of an answer. Default: RUN_FINISHED and RUN_ERROR of AG-UI; of Chio's, a
   * `lifecycle` event that says so of the component with the text (docs/systems/chio.md).
   */
  readonly answerEnds?: ((event: JsonObject) => boolean) | undefined;
  /** An answer is over as well when nothing has come for so many milliseconds after its last event. Default: 2000; 0: never. */
  readonly idleMs?: number | undefined;
  /** The same where nothing has come after the message: all of it may have been blocked. Default: 60,000; 0: never. */
  readonly waitMs?: number | undefined;
  /** Bytes of events that may wait for a run to take them; with more the connection is lost. Default: 16 MiB. */
  readonly bufferBytes?: number | undefined;
}

/** What a request by fetch is made with. */
export interface FetchOptions {
  /** The agent's address. */
  readonly url: AsyncProvider<string | URL>;
  /** Sent with every request. A function is asked anew each time, and once more if the server answers 401. */
  readonly headers?: AsyncProvider<HeadersInit | undefined> | undefined;
  readonly credentials?: RequestCredentials | undefined;
  /** Used in place of the global `fetch`. */
  readonly fetch?: typeof fetch | undefined;
  /**
   * Asks the server for the binary framing, which is smaller. One that does not have it answers with an event stream. The agent
   * loads the full module for it; of an agent that was made without it, it stays off.
   * Default: `false`. The answer is read as what it is, whatever was asked for.
   */
  readonly binary?: boolean | undefined;
}

/** What `eventSource` takes. */
export interface EventSourceOptions extends Omit<FetchOptions, "url" | "binary"> {
  /** Where the events of a run come from. */
  readonly url: RunUrl;
  /** Where the input of a run goes, with POST; what it answers is not read. Without it, nothing is sent. */
  readonly submitUrl?: AsyncProvider<string | URL> | undefined;
  /**
   * Whether a source that is closed has come to its end, for servers that do not say so otherwise. Then nobody can tell a
   * connection that was lost from an end. Default: `false`, it is lost.
   */
  readonly closeIsEnd?: boolean | undefined;
  /** One source for all runs, which stays open between them: see {@link KeepOpenOptions}. Default: `false`, one a run. */
  readonly keepOpen?: boolean | KeepOpenOptions | undefined;
  /** Names of events besides AG-UI's own: those that a dialect's server gives. A source tells only of names that it was asked for. */
  readonly names?: readonly string[] | undefined;
  /** Used in place of the global one. */
  readonly EventSource?: typeof EventSource | undefined;
}

/** What `webSocket` takes. */
export interface WebSocketOptions {
  readonly url: RunUrl;
  readonly protocols?: string | readonly string[] | (() => string | readonly string[] | Promise<string | readonly string[]>) | undefined;
  /** One socket for all runs, which stays open between them: see {@link KeepOpenOptions}. Default: `false`, one a run. */
  readonly keepOpen?: boolean | KeepOpenOptions | undefined;
  /** Used in place of the global one. */
  readonly WebSocket?: typeof WebSocket | undefined;
}

/** The input of a run, as AG-UI sends it. */
export interface CustomInput {
  readonly threadId: string;
  readonly runId: string;
  readonly state?: unknown;
  readonly messages: readonly Message[];
  readonly tools: readonly Tool[];
  readonly context: readonly Context[];
  readonly forwardedProps?: unknown;
  readonly resume?: readonly ResumeEntry[];
}

/** What the generator of `custom` is told beside the input. */
export interface CustomContext extends TransportRequest {
  /** The input as JSON text, with numbers as they are. */
  readonly body: string;
  /** Nothing is wanted. */
  readonly signal: AbortSignal;
}

/** When and how often a lost connection is made again. */
export interface RetryOptions {
  /** Attempts in a row that bring nothing new. Default: 5. */
  readonly attempts?: number | undefined;
  /** The first attempt waits at most so long, the next one twice that; milliseconds. A server's `retry:` takes its place. Default: 500. */
  readonly baseMs?: number | undefined;
  /** Every attempt waits at least so long, whatever the server asks for; milliseconds. Default: 100. */
  readonly minMs?: number | undefined;
  /** Connections that one run may make in any minute, whatever comes over them; further ones wait. Default: 60. */
  readonly perMinute?: number | undefined;
  /** No attempt waits longer. A server that asks for longer is not asked again. Default: 30,000. */
  readonly maxMs?: number | undefined;
  /** A connection on which nothing comes for so many milliseconds is lost. Default: 0, never. */
  readonly idleMs?: number | undefined;
  /**
   * A request that may have begun a run may be sent again, for the server knows runs by their `runId`. Default: `false`:
   * only what was refused before (425, 429, 503) is.
   */
  readonly posts?: boolean | undefined;
}

/** How a run is joined again whose connection was lost, or that was left. */
export type ResumeOptions =
  /**
   * The server numbers its frames (`id:`), and resumes after the `Last-Event-ID` of the request. That goes to `url` with
   * GET, or, without one, to the agent's with the same POST.
   */
  | { readonly by: "last-event-id"; readonly url?: RunUrl | undefined; readonly method?: "GET" | "POST" | undefined }
  /** Each run has an address, which streams it, after `Last-Event-ID` if there was one, else from its beginning. */
  | { readonly by: "run-url"; readonly url: RunUrl }
  /**
   * Every event says its place: `path` is a member, or a JSON Pointer as `/metadata/seq`. The server resumes after the
   * place that the request names as `param`: in `forwardedProps` (default) of the same POST, or in the query of a GET.
   */
  | {
      readonly by: "cursor";
      readonly path: string;
      readonly param: string;
      readonly in?: "forwardedProps" | "query" | undefined;
      readonly url?: RunUrl | undefined;
      readonly method?: "GET" | "POST" | undefined;
    }
  /** The server answers with MESSAGES_SNAPSHOT, and continues from there. */
  | { readonly by: "snapshot"; readonly url: RunUrl; readonly method?: "GET" | "POST" | undefined }
  /** With RUN_STARTED, MESSAGES_SNAPSHOT, and a START of everything that is open. */
  | { readonly by: "prelude"; readonly url: RunUrl; readonly method?: "GET" | "POST" | undefined }
  /** The server tells the whole run again. */
  | { readonly by: "replay"; readonly url: RunUrl; readonly method?: "GET" | "POST" | undefined }
  /** As `cursor`, for `webSocket`. Default of `param`: `lastSeenEventId`. */
  | { readonly by: "socket-cursor"; readonly path: string; readonly param?: string | undefined };

/** How the server is told that a run is stopped. */
export type StopOptions =
  | {
      /** Put ids into it with `encodeURIComponent`. */
      readonly url: RunUrl;
      /** Default: `POST`. */
      readonly method?: string | undefined;
      /** Sent beside the agent's headers. */
      readonly headers?: HeadersInit | undefined;
      /**
       * Sent as JSON, or what a function returns for the run; `null`: no body. Default: `{threadId, runId}`. Some servers
       * refuse members that they do not know.
       */
      readonly body?: unknown;
    }
  | ((run: RunTarget) => void | Promise<void>);

/** The systems whose servers are understood besides AG-UI's own. */
export type DialectName = "agent-os" | "chio" | "hector" | "ngaf" | "open-search";

/** What `{ name: "chio" }` takes. */
export interface ChioSettings {
  readonly name: "chio";
  /**
   * What goes to the server with a submit: an event with the text (default, nothing if there is no message), AG-UI's input
   * of a run, or nothing.
   */
  readonly input?: "event" | "run" | "none" | undefined;
  /** Whether `rawEvent` is the text of Chio's event, with every digit of its numbers. Default: `false`, it is its JSON. */
  readonly rawText?: boolean | undefined;
}

/** A system, alone or with its settings. */
export type Dialect =
  | DialectName
  | { readonly name: Exclude<DialectName, "chio" | "hector"> }
  | ChioSettings
  | ({ readonly name: "hector" } & HectorSettings);

/** Where an agent is. */
export type AgentAddress =
  | { readonly url: FetchOptions["url"]; readonly transport?: undefined }
  | { readonly url?: undefined; readonly transport: Transport };

/** What `createAgent` takes. Only `url` is required, or a `transport`. */
export type AgentOptions<State = unknown> = CommonOptions<State> & AgentAddress;

/** Where a module is: the file `ag-ui-wasm/core.wasm` or `ag-ui-wasm/full.wasm` of this very version, in any form. */
export type WasmSource = string | URL | Response | Promise<Response> | BufferSource | WebAssembly.Module;

/**
 * Where the modules are. The full one, `ag-ui-wasm/full.wasm`, is loaded for agents with a `dialect`, a `guard`, strict rules or `binary`, for
 * `compactEvents`, and where it stands alone.
 */
export interface WasmSources {
  readonly core?: WasmSource | undefined;
  readonly full?: WasmSource | undefined;
}

/** What `createAgent` of `ag-ui-wasm/slim` takes: the module that its options need, or both. */
export type SlimAgentOptions<State = unknown> = AgentOptions<State> & { readonly wasm: WasmSource | WasmSources };

/** The options of every agent. */
export interface CommonOptions<State = unknown> extends Omit<FetchOptions, "url"> {
  /**
   * What happens when the connection fails. A run continues over another one if `resume` says how; with this option, a
   * request that was refused before the run began is sent again too. `false`: none of it.
   */
  readonly retry?: false | RetryOptions | undefined;
  /**
   * How the server speaks, where that is not AG-UI. A dialect's settings stand beside its name. The agent loads the full module
   * for it.
   */
  readonly dialect?: Dialect | undefined;
  /**
   * What may be shown and sent: a policy that is applied before anything else sees an event. The agent loads the full module
   * for it. Fixed from the start, but for the capabilities: `agent.guard.present`.
   */
  readonly guard?: GuardOptions | undefined;
  /**
   * Only `createAgent` of `ag-ui-wasm/worker` takes `true`: pass the agent that it makes to `useAgent`. The other entries
   * refuse it (kind `unsupported`, code `worker`).
   */
  readonly worker?: false | undefined;
  /** How a run is joined again. Without it, a run whose connection is lost is `truncated`. */
  readonly resume?: ResumeOptions | undefined;
  /** Whom `agent.stop()` tells. A failure is a warning, `stop-failed`. */
  readonly stop?: StopOptions | undefined;
  /** Default: a random UUID. */
  readonly threadId?: string | undefined;
  readonly initialMessages?: readonly Message[] | undefined;
  /** Default: `{}`. */
  readonly initialState?: State | undefined;
  /**
   * What `agent.save()` gave at another time, in place of `initialMessages` and `initialState`. What is called before it
   * has come waits for it. One that cannot be read, or is of another `threadId`, leaves the agent as if there were none,
   * and `onError` hears of it: kind `unsupported`, code `restore`.
   */
  readonly restore?: SavedAgent | undefined | Promise<SavedAgent | undefined>;
  /**
   * Where the agent is saved: when something is accepted, executed, answered or has ended, every second during a run, and
   * when the page is hidden. It is restored from there, unless `restore` is given. One agent at a time owns a store: others
   * show what was saved, and what they are asked to do waits. When the store refuses, `onWarning` hears of it: `not-saved`.
   */
  readonly persist?: AgentStore | undefined;
  /** How `persist` saves. */
  readonly saving?: SavingOptions | undefined;
  /**
   * Whether an agent with `persist` and `resume` joins the run that was in progress when its page was left. Default: `true`.
   */
  readonly autoAttach?: boolean | undefined;
  /** Tools that the page offers; see {@link PageTool} for those that it executes. A call takes the tool of its time. */
  readonly tools?: Provider<readonly (Tool | PageTool)[] | undefined> | undefined;
  /** Runs in a row that results of the page's tools may lead to. Default: 8. */
  readonly maxFollowUps?: number | undefined;
  /** What the agent should know about the page. */
  readonly context?: Provider<readonly Context[] | undefined> | undefined;
  /** For the server, past the protocol. */
  readonly forwardedProps?: Provider<unknown> | undefined;
  /** `tolerant` (default) repairs or drops a bad frame and warns; `strict` ends the run. */
  readonly rules?: "tolerant" | "strict" | undefined;
  /**
   * The newest AG-UI that the server knows. Requests leave out, or say in the old way, what came after it. Default: `1.0`.
   */
  readonly protocol?: "1.0" | `0.0.${number}` | undefined;
  /** Default: `frame`. */
  readonly notify?: Notify | undefined;
  readonly limits?: Limits | undefined;
  /** A run has ended, well or not. */
  readonly onFinish?: ((result: RunResult) => void) | undefined;
  readonly onError?: ((error: AgentError) => void) | undefined;
  readonly onWarning?: ((warning: AgentWarning) => void) | undefined;
  /** What the guard decides, event by event. */
  readonly onDecision?: ((decision: Decision) => void) | undefined;
  /** Every event of the stream. Costs an object an event: leave it out where the snapshot is enough. */
  readonly onEvent?: ((event: AgUiEvent) => void) | undefined;
}

/** What is answered to an interrupt. */
export interface Answer {
  /** Default: `resolved`. */
  readonly status?: ResumeEntry["status"] | undefined;
  /** Not sent with `cancelled`. */
  readonly payload?: unknown;
  readonly metadata?: JsonObject | undefined;
}

/** The answer to one interrupt, named by `interruptId` as AG-UI does, or by `id` as the interrupt itself. */
export type ResumeAnswer = Answer &
  ({ readonly interruptId: string; readonly id?: undefined } | { readonly id: string; readonly interruptId?: undefined });

/**
 * Answers to interrupts: `[{ interruptId, status?, payload?, metadata? }]`. Short for that, an object by the interrupts'
 * ids: `{ [interruptId]: { payload } }`. Each may leave out `status`.
 */
export type ResumeAnswers = readonly ResumeAnswer[] | { readonly [interruptId: string]: Answer };

/** The long form of what `submit` takes. */
export interface SubmitInput<State = unknown> {
  /** The text, or a whole user message. */
  readonly message?: string | (Omit<UserMessage, "id" | "role"> & { readonly id?: string }) | undefined;
  /** Content beside the text. */
  readonly parts?: readonly ContentPart[] | undefined;
  /** Set before the run: members of an object are merged into the state, anything else replaces it. */
  readonly state?: State | Partial<State> | undefined;
  /** Answers to interrupts: one to each that is open. */
  readonly resume?: ResumeAnswers | ResumeAnswer | undefined;
  /**
   * The message takes the place of this user message, and what came after that goes. For a message that the person has
   * edited.
   */
  readonly replaces?: string | undefined;
  /** In place of the agent's option, for this run. */
  readonly tools?: readonly (Tool | PageTool)[] | undefined;
  /** In place of the agent's option, for this run. */
  readonly context?: readonly Context[] | undefined;
  /** In place of the agent's option, for this run. */
  readonly forwardedProps?: unknown;
  /** Default: a random UUID. */
  readonly runId?: string | undefined;
  /** Takes the submit out of the queue, or stops its run. */
  readonly signal?: AbortSignal | undefined;
  /** What to do while another run is in progress. Default: `queue`. */
  readonly ifBusy?: "queue" | "replace" | "drop" | "reject" | undefined;
  /**
   * What to do while the last run has tool calls that wait for a person: for `approve`, `deny` or `addToolResult`.
   *
   * - `deny` (default): the run begins, and the agent is told that the calls were denied because the user continued.
   * - `wait`: the submit waits in `queue` until all calls are decided and the run that follows on them has ended.
   * - `reject`: the promise rejects with the code `calls-open`.
   */
  readonly ifAwaiting?: "deny" | "wait" | "reject" | undefined;
}

/** What `agent.on` tells of. */
export interface AgentListeners {
  custom(event: CustomEventData): void;
  event(event: AgUiEvent): void;
  warning(warning: AgentWarning): void;
  decision(decision: Decision): void;
  error(error: AgentError): void;
  finish(result: RunResult): void;
}

/**
 * CUSTOM events as a stream. Each reader gets what comes after it began, until the agent is disposed of. For a reader that
 * is slower than the events, the last 1,000 are kept; `onWarning` is told that older ones are dropped (`events-dropped`).
 */
export interface AgentEvents extends AsyncIterable<CustomEventData> {
  /** Calls the listener for every event. Returns what ends that. */
  subscribe(listener: (event: CustomEventData) => void): () => void;
}

/** How a question is asked again. */
export interface AgainOptions {
  /**
   * Gives the last user message a new id before the request is made: for servers that keep the thread and ignore a message
   * whose id they know (docs/servers-that-keep-the-thread.md). Default: false.
   */
  readonly newMessageId?: boolean | undefined;
}

/**
 * A conversation with an agent. The methods are bound: they may be passed on alone.
 *
 * What happens to a run is told by `RunResult.outcome`, never by a rejection. A call that makes no sense rejects
 * (or throws) an `AgentError` of kind `unsupported` with the code `disposed`, `busy`, `queue-full`,
 * `calls-open`, `nothing-to-regenerate`, `nothing-to-replace`, `interrupts-open`, `interrupt-unknown`, `interrupt-expired`,
 * `checkpoint-unknown` or `input`. A run that could not be asked for is shown as the snapshot's `error` as well, until the next
 * call, unless the caller asked for the rejection (`busy`, `calls-open`).
 *
 * @example
 * const agent = createAgent({ url: "/agent" });
 * agent.subscribe(() => console.log(agent.getSnapshot().messages.at(-1)));
 * const { outcome } = await agent.submit("hello");
 */
export interface Agent<State = unknown> {
  /** Calls the listener after every change of the snapshot. Returns what ends that. */
  subscribe(listener: () => void): () => void;
  getSnapshot(): AgentSnapshot<State>;
  /** The snapshot that the agent began with, for hydration. Its `threadId` is empty if the options have none. */
  getServerSnapshot(): AgentSnapshot<State>;
  /** Adds a message and runs the agent. Settles when the run has ended. */
  submit(input: string | SubmitInput<State>): Promise<RunResult>;
  /** Ends the run. What came so far stays. */
  stop(): Promise<void>;
  /**
   * Listens without a message: opens the connection of a transport with `keepOpen`, and shows what comes. Resolves once it
   * is open. It is opened again when it is lost, until `disconnect()`. Rejects with an AgentError: kind `unsupported` and code
   * `keep-open` for any other transport, kind `connection` or `auth` when it is given up.
   */
  connect(): Promise<void>;
  /**
   * Leaves the run in progress to the server: nothing is told of it, and it has no outcome yet. A connection that is
   * kept open is closed.
   */
  disconnect(): Promise<void>;
  /**
   * Joins a run that continues at the server, with the option `resume`. Without an id it is the last run: one that was left,
   * lost, or restored. Settles when it has ended.
   */
  attach(runId?: string): Promise<RunResult>;
  /** Runs the thread again after a failure, without a new message; what the failed run answered is answered again. */
  retry(options?: AgainOptions): Promise<RunResult>;
  /**
   * Takes back an assistant message (default: the last) with all that follows, and runs again. Interrupts that are open
   * are cancelled with it.
   */
  regenerate(messageId?: string, options?: AgainOptions): Promise<RunResult>;
  /**
   * Answers interrupts. Every open one needs an answer, and an expired one can only be cancelled. A list, or an object by
   * ids, answers all at once, as `submit({ resume })` does; `resume({ id, payload })` answers one, and settles with the run
   * that begins after the last answer. Rejects with the code `input`, and names the member, where an answer has another shape.
   */
  resume(answers: ResumeAnswers | ResumeAnswer): Promise<RunResult>;
  /**
   * The result of a call that nobody executes: a person's answer, or what the page found out by itself. When every call is
   * answered, the agent is run again. Of a call that is answered already, or unknown, nothing comes.
   */
  addToolResult(answer: { readonly toolCallId: string; readonly result?: unknown; readonly error?: string | undefined }): void;
  /**
   * Lets a call run that waits for approval, with other arguments if they are given. It is approved as the call that is
   * passed shows it, or for an id as the snapshot does; if its name or arguments have changed since, it does not run and is
   * asked again (`approval-outdated`). Arguments that the tool's validator refuses are a warning, `approval-invalid`: the call
   * waits, and can be approved again.
   */
  approve(toolCall: string | ToolCall, args?: Readonly<Record<string, unknown>>): void;
  /**
   * The same, with arguments of the type that the tool has. A call of another tool is not approved (`approval-invalid`).
   */
  approve<Args>(tool: PageTool<Args>, toolCall: string | ToolCall, args?: Args): void;
  /** Refuses a call that waits for approval. The agent is told, with the reason. */
  deny(toolCallId: string, reason?: string): void;
  /** Puts another submit into the place of one that waits in `queue`. False if it waits no more. */
  editQueued(id: string, input: string | Omit<SubmitInput<State>, "signal" | "ifBusy" | "runId">): boolean;
  /** Takes a submit out of `queue`: it is `aborted`. False if it waits no more. */
  cancelQueued(id: string): boolean;
  /**
   * The boundaries of runs and steps so far, oldest first: at most `limits.history`. A list that has not changed is the same
   * object. It lives as long as the agent: a save does not have it, and `reset()` empties it.
   */
  readonly history: readonly Checkpoint[];
  /** The snapshot of that time; `undefined` of a checkpoint that is not kept. */
  at(checkpoint: Checkpoint | string): AgentSnapshot<State> | undefined;
  /**
   * Goes back to a checkpoint: the thread has the messages, the state and the open interrupts of then, and what is submitted
   * next continues from there; `submit({})` runs it again as it is. A run in progress is stopped, and what waits is dropped.
   * Later checkpoints stay, so one can go back to them as well.
   *
   * @example
   * const before = agent.history.findLast(({ kind }) => kind === "step-started");
   * if (before) {
   *   agent.fork(before);
   *   await agent.submit({ state: { draft: "a better one" } });
   * }
   */
  fork(checkpoint: Checkpoint | string): void;
  /** Everything that is worth keeping, as plain JSON for `restore`. */
  save(): SavedAgent;
  /**
   * Edits the messages: takes a list, or a function that returns one for the list that is shown. The edit is the difference
   * between the two, by role and id (`messageKey`): messages that were removed, changed, added or moved. It is applied to what
   * the agent has at that moment, so what streams meanwhile continues, whole. Throws (kind `unsupported`, code `input`) for
   * anything but a list of messages.
   *
   * @example
   * agent.setMessages((messages) => messages.filter(({ id }) => id !== unwanted));
   */
  setMessages(next: readonly Message[] | ((messages: readonly Message[]) => readonly Message[])): void;
  /**
   * Edits the state: takes a value, or a function that returns one for the state that is shown. The edit is the difference
   * between the two, down to members of objects and elements of lists. Where both the edit and the server have changed a
   * member, the edit wins; it stays until the next run tells the server.
   *
   * @example
   * agent.setState((state) => ({ ...state, title: "A better one" }));
   */
  setState(next: State | ((state: State) => State)): void;
  /** Ends every run and goes back to `initialMessages` and `initialState`. */
  reset(): void;
  /** Ends every run and frees what the agent holds. The snapshot stays readable. */
  dispose(): void;
  [Symbol.dispose](): void;
  /** What the guard has let pass and blocked. Zeros without one. */
  readonly guard: AgentGuard;
  /**
   * Sends an event of the system's own beside the run in progress: an object, or JSON text. Over `webSocket`, over
   * `eventSource` with a `submitUrl`, or another transport that can; with `keepOpen` between two runs, too. The guard's rule
   * for it, if there is one, is asked first; what it refuses is not sent. Throws (kind `unsupported`, code `not-sent`) where
   * nothing is open to send it over. What the server refuses later is a warning, `send-failed`.
   */
  send(event: object | string): Decision;
  /** Listens to one kind of happening. Returns what ends that. */
  on<Name extends keyof AgentListeners>(name: Name, listener: AgentListeners[Name]): () => void;
  readonly events: AgentEvents;
  /**
   * Replaces the options, apart from those that are fixed from the start: `threadId`, `initialMessages`,
   * `initialState`, `restore`, `persist`, `dialect`, `guard`, `rules`, `protocol`, `notify` and `limits`. An option that is left out is gone.
   */
  setOptions(options: AgentOptions<State>): void;
}
