// The options of an agent.

import type { AgentWarning, RunResult } from "./agent.js";
import type { AgentError } from "./error.js";
import type { AgUiEvent } from "./events.js";
import type { Decision, GuardOptions } from "./guard.js";
import type { Context, Message, Tool } from "./protocol.js";
import type { AgentStore, SavedAgent, SavingOptions } from "./saving.js";
import type { CapabilitiesLoader, Preset, ThreadOptions } from "./server.js";
import type { AgentSchemas } from "./schemas.js";
import type { PageTool } from "./tools.js";
import type { FetchOptions, Provider, ResumeOptions, RetryOptions, StopOptions, Transport } from "./transport.js";

/**
 * When listeners hear of changes. The end of a run, an error and the user's own action never wait. Where a change has copied more
 * than 256 members of objects or 2,048 elements of lists, the next one waits for a frame.
 */
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
  /** Bytes that are kept of the body of a failed response. Default: 64 KiB. */
  readonly errorBodyBytes?: number;
  /** How long the rest of that body is waited for, in milliseconds. Default: 5000. */
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

/** The systems whose servers are understood besides AG-UI's own. */
export type DialectName = "agent-os" | "chio" | "hector" | "ngaf" | "open-search";

/** The settings of `{ name: "chio" }`. */
export interface ChioSettings {
  readonly name: "chio";
  /**
   * The body of a submit: an event with the text (default; no body if there is no message), AG-UI's input of a run, or no
   * body.
   */
  readonly input?: "event" | "run" | "none" | undefined;
  /** Whether `rawEvent` is the text of Chio's event, with every digit of its numbers. Default: `false`, it is its JSON. */
  readonly rawText?: boolean | undefined;
}

/** Settings of the dialect, beside its name: `dialect: { name: "hector", form: "native" }`. */
export interface HectorSettings {
  /**
   * The form of requests: version 1's `/v1/agents/{agent}/message:stream` (`rest`) or `/v1/agents/{agent}/stream` (`json-rpc`), or version 2's
   * `/agents/{agent}` (`v2`). `request`: the body `{"request": {role, parts}}` of Hector's page on AG-UI. Default: the form of the agent's `url`, and `rest` if
   * it has none of them.
   */
  readonly route?: "rest" | "request" | "json-rpc" | "v2" | undefined;
  /**
   * `agui` (default): requests ask for Hector's own AG-UI form with `Accept`. `native`: they take A2A as it is, which alone shows
   * when a tool waits for approval. Responses are read in either form. Version 2 has the native one only.
   */
  readonly form?: "agui" | "native" | undefined;
  /** The same, by the name that Hector's documents have for it: `format: "agui"`. */
  readonly format?: "agui" | "native" | undefined;
  /** The method of JSON-RPC that joins a task. Default: `tasks/resubscribe`; Hector 1.9 calls it `tasks/subscribe`. */
  readonly resubscribe?: string | undefined;
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
  | { readonly url?: undefined; readonly transport: Transport }
  | { readonly url?: undefined; readonly transport?: undefined; readonly server: Preset & { readonly url: FetchOptions["url"] } };

/** The options of `createAgent`. Only `url` is required, or a `transport`, or a `server` that knows its address. */
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

/** The options of `createAgent` of `ag-ui-wasm/slim`, with the module that they need, or both modules. */
export type SlimAgentOptions<State = unknown> = AgentOptions<State> & { readonly wasm: WasmSource | WasmSources };

/** The options of every agent. */
export interface CommonOptions<State = unknown> extends Omit<FetchOptions, "url"> {
  /**
   * Retries after a failed connection. A run continues over another connection if `resume` says how; with this option,
   * a request that was refused before the run began is sent again too. `false`: no retries.
   */
  readonly retry?: false | RetryOptions | undefined;
  /**
   * How the server speaks, where that is not AG-UI. A dialect's settings stand beside its name. The agent loads the full module
   * for it.
   */
  readonly dialect?: Dialect | undefined;
  /**
   * The policy for what may be shown and sent. It is applied before anything else sees an event. The agent loads the full
   * module for it. Fixed from the start, but for the capabilities: `agent.guard.present`.
   */
  readonly guard?: GuardOptions | undefined;
  /**
   * Only `createAgent` of `ag-ui-wasm/worker` takes `true`: pass the agent that it makes to `useAgent`. The other entries
   * refuse it (kind `unsupported`, code `worker`).
   */
  readonly worker?: false | undefined;
  /** How a run is rejoined after its connection is lost. Default: it is not, and the run is `truncated`. */
  readonly resume?: ResumeOptions | undefined;
  /**
   * The options that a server needs, from `ag-ui-wasm/servers`: `server: langGraph()`. Options beside it come first, member by member
   * for `thread`.
   */
  readonly server?: Preset | undefined;
  /** How the server keeps the thread: how it is opened, what a request carries, how an edit reaches it. */
  readonly thread?: ThreadOptions | undefined;
  /** How `agent.capabilities()` asks the server what it can do. Default: it is not asked. */
  readonly capabilities?: CapabilitiesLoader | undefined;
  /** How the server is notified when `agent.stop()` is called. A failure is a warning, `stop-failed`. */
  readonly stop?: StopOptions | undefined;
  /** Default: a random UUID. */
  readonly threadId?: string | undefined;
  readonly initialMessages?: readonly Message[] | undefined;
  /** Default: `{}`. */
  readonly initialState?: State | undefined;
  /**
   * A save that `agent.save()` returned at another time, in place of `initialMessages` and `initialState`. Calls that are made
   * before a promise resolves wait for it. A save that cannot be read, or is of another `threadId`, is not used, and `onError`
   * reports it: kind `unsupported`, code `restore`.
   */
  readonly restore?: SavedAgent | undefined | Promise<SavedAgent | undefined>;
  /**
   * Where the agent is saved: when something is accepted, executed, answered or has ended, every second during a run, and
   * when the page is hidden. It is restored from there, unless `restore` is given. One agent at a time owns a store: others
   * show what was saved, and calls of them wait. When the store refuses a save, `onWarning` reports `not-saved`.
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
  /** Validators for the server's data, which also give their types. Fixed from the start. Default: none. */
  readonly schemas?: AgentSchemas<State> | undefined;
  /** Runs in a row that results of the page's tools may lead to. Default: 8. */
  readonly maxFollowUps?: number | undefined;
  /** Facts about the page that the agent should know. */
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
  /** Called with each decision of the guard. */
  readonly onDecision?: ((decision: Decision) => void) | undefined;
  /** Every event of the stream. Costs an object an event: leave it out where the snapshot is enough. */
  readonly onEvent?: ((event: AgUiEvent) => void) | undefined;
  /** The types of events that `onEvent` is called with. Default: all. The others cost nothing more. */
  readonly eventTypes?: readonly AgUiEvent["type"][] | undefined;
}
