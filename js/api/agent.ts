/// <reference lib="esnext.disposable" preserve="true" />
// The public methods of an agent, and the events that it emits.

import type { SubmitHolder } from "./attachments.js";
import type { AgentError } from "./error.js";
import type { AgUiEvent } from "./events.js";
import type { AgentGuard, Decision } from "./guard.js";
import type { AgentOptions } from "./options.js";
import type { ContentPart, Context, JsonObject, Message, ResumeEntry, Tool, UserMessage } from "./protocol.js";
import type { SavedAgent } from "./saving.js";
import type { AgentCapabilities } from "./server.js";
import type { AgentSnapshot, Checkpoint, RunOutcome, ToolCall } from "./snapshot.js";
import type { PageTool } from "./tools.js";

/** How a run ended: what `submit()` resolves with. */
export interface RunResult {
  readonly runId: string;
  /** `dropped`: no run was made, because another one was in progress. `disconnected`: the run was left to the server. */
  readonly outcome: RunOutcome | "dropped" | "disconnected";
  readonly error?: AgentError;
  /** The result that RUN_FINISHED returned. */
  readonly result?: unknown;
  /**
   * The tool calls that a successful run left without a result, in order: those that RUN_FINISHED named, or otherwise those
   * that the run started. Absent if there are none.
   */
  readonly pendingToolCallIds?: readonly string[];
  /** Of the run's last response, those that the page may read. Absent where none has come. */
  readonly headers?: Headers;
  /** The id of the run in the server's traces: the trace id of `traceparent`, or `x-request-id`. */
  readonly traceId?: string;
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

/** A CUSTOM event. The name `state_update` with an object as its value has a type of its own. */
export type CustomEventData =
  | { readonly type: "state_update"; readonly data: JsonObject }
  | { readonly type: "custom"; readonly name: string; readonly data: unknown };

/** A reply to an interrupt, without the interrupt's id. */
export interface Answer {
  /** Default: `resolved`. */
  readonly status?: ResumeEntry["status"] | undefined;
  /** Not sent with `cancelled`. */
  readonly payload?: unknown;
  readonly metadata?: JsonObject | undefined;
}

/** The reply to one interrupt, named by `interruptId` as AG-UI does, or by `id` as the interrupt itself. */
export type ResumeAnswer =
  & Answer
  & ({ readonly interruptId: string; readonly id?: undefined } | { readonly id: string; readonly interruptId?: undefined });

/**
 * Replies to interrupts: `[{ interruptId, status?, payload?, metadata? }]`. Short for that, an object by the interrupts'
 * ids: `{ [interruptId]: { payload } }`. Each may leave out `status`.
 */
export type ResumeAnswers = readonly ResumeAnswer[] | { readonly [interruptId: string]: Answer };

/** The long form of what `submit` takes. */
export interface SubmitInput<State = unknown> {
  /** The text, or a whole user message. */
  readonly message?: string | (Omit<UserMessage, "id" | "role"> & { readonly id?: string }) | undefined;
  /** Content beside the text. Attachments hold the submit until all of them are ready; it is shown in `queue` until then. */
  readonly parts?: readonly ContentPart[] | SubmitHolder | undefined;
  /** Set before the run: members of an object are merged into the state, anything else replaces it. */
  readonly state?: State | Partial<State> | undefined;
  /** Answers to interrupts: one to each that is open. */
  readonly resume?: ResumeAnswers | ResumeAnswer | undefined;
  /**
   * The message takes the place of this user message, and what came after that goes. For a message that the person has
   * edited.
   */
  readonly replaces?: string | undefined;
  /** With `replaces`: whether the message keeps the id of the one that it replaces. Default: as the option `thread.edits` says. */
  readonly keepId?: boolean | undefined;
  /** In place of the agent's option, for this run. */
  readonly tools?: readonly (Tool | PageTool)[] | undefined;
  /** In place of the agent's option, for this run. */
  readonly context?: readonly Context[] | undefined;
  /** In place of the agent's option, for this run. */
  readonly forwardedProps?: unknown;
  /** Default: a random UUID. One with the id of a run that waits or is in progress is rejected (`busy`). */
  readonly runId?: string | undefined;
  /** Takes the submit out of the queue, or stops its run. */
  readonly signal?: AbortSignal | undefined;
  /**
   * How a message is handled while another run is in progress. `steer`: the message is sent at once, for the run in progress to take up,
   * where the option `thread.steer` says that the server does that; otherwise it waits. Default: `queue`.
   */
  readonly ifBusy?: "queue" | "replace" | "drop" | "reject" | "steer" | undefined;
  /**
   * How a message is handled while the last run has tool calls that wait for a person: for `approve`, `deny` or `addToolResult`.
   *
   * - `deny` (default): the run begins; the calls are denied, with the reason that the user continued.
   * - `wait`: the submit waits in `queue` until all calls are decided and the run that follows on them has ended.
   * - `reject`: the promise rejects with the code `calls-open`.
   */
  readonly ifAwaiting?: "deny" | "wait" | "reject" | undefined;
}

/** A request of the agent for a run: emitted as it is sent, and once more when its response is there or it has failed. */
export interface AgentRequest {
  /** The same in both, and no other request's of this agent. */
  readonly id: number;
  readonly url: string;
  readonly method: string;
  readonly runId: string;
  /** It joins a run in progress, and does not begin one. */
  readonly resume: boolean;
  /** When it was sent, in milliseconds since 1970. */
  readonly at: number;
  /** The text that was sent. Absent for binary bodies. */
  readonly body?: string;
  /** Of the response. */
  readonly status?: number;
  /** Of the response. */
  readonly contentType?: string;
  /** From the request to the head of the response, or to the failure, in milliseconds. */
  readonly headMs?: number;
  /** Why there is no response. */
  readonly error?: string;
}

/** Which events a listener is called with. */
export interface EventFilter {
  /** Default: all. */
  readonly types?: readonly AgUiEvent["type"][] | undefined;
}

/** The events of `agent.on`, each with its listener. */
export interface AgentListeners {
  custom(event: CustomEventData): void;
  event(event: AgUiEvent): void;
  warning(warning: AgentWarning): void;
  decision(decision: Decision): void;
  /** Requests for runs. While somebody listens, an agent in worker mode sends them from the page. */
  request(request: AgentRequest): void;
  error(error: AgentError): void;
  finish(result: RunResult): void;
}

/**
 * CUSTOM events as a stream. Each reader gets what comes after it began, until the agent is disposed of. For a reader that
 * is slower than the events, the last 1,000 are kept; `onWarning` reports that older ones are dropped (`events-dropped`).
 */
export interface AgentEvents extends AsyncIterable<CustomEventData> {
  /** Calls the listener for every event. Returns what ends that. */
  subscribe(listener: (event: CustomEventData) => void): () => void;
}

/** How a question is asked again. Tools, context and forwarded properties are those of this run, in place of the options'. */
export interface AgainOptions extends Pick<SubmitInput, "tools" | "context" | "forwardedProps"> {
  /**
   * Gives the last user message a new id before the request is made: for servers that keep the thread and ignore a message
   * whose id they know (docs/servers.md). Default: false.
   */
  readonly newMessageId?: boolean | undefined;
}

/**
 * A conversation with an agent. The methods are bound: they may be passed on alone.
 *
 * `RunResult.outcome` says what happened to a run; its promise does not reject for that. A call that makes no sense rejects
 * (or throws) an `AgentError` of kind `unsupported` with the code `disposed`, `busy`, `queue-full`,
 * `calls-open`, `server-keeps`, `nothing-to-regenerate`, `nothing-to-replace`, `interrupts-open`, `interrupt-unknown`, `interrupt-expired`,
 * `interrupt-invalid`, `checkpoint-unknown` or `input`. A run that could not be asked for is shown as the snapshot's `error` as well, until the next
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
  /**
   * Brings the snapshot up to date and notifies listeners now, and not with the next frame: for a callback that needs the snapshot
   * after its event. In worker mode, up to what the worker has sent.
   */
  flush(): void;
  /** The snapshot that the agent began with, for hydration. Its `threadId` is empty if the options have none. */
  getServerSnapshot(): AgentSnapshot<State>;
  /** Adds a message and runs the agent. Settles when the run has ended. */
  submit(input: string | SubmitInput<State>): Promise<RunResult>;
  /**
   * Opens the stored thread as the option `thread.load` says: anew, or after a failure. Resolves once it is there. It is opened without
   * this call when the agent is first used.
   */
  load(): Promise<void>;
  /** Shows the page of messages before the first one. Resolves with `false` where there is none, or nothing new in it. */
  loadOlder(): Promise<boolean>;
  /**
   * Resolves once the stored thread is here, at once without `thread.load`: for `use()` and loaders of pages. Rejects where it could not be opened;
   * after `load()` it is another promise. Reading it opens the thread.
   */
  readonly ready: Promise<void>;
  /** Asks the server what the agent can do, as the option `capabilities` says. `undefined`: it does not say. */
  capabilities(): Promise<AgentCapabilities | undefined>;
  /** Ends the run. The messages so far stay. */
  stop(): Promise<void>;
  /**
   * Listens without a message: opens the connection of a transport with `keepOpen`, and shows what comes. Resolves once it
   * is open. It is opened again when it is lost, until `disconnect()`. Rejects with an AgentError: kind `unsupported` and code
   * `keep-open` for any other transport, kind `connection` or `auth` when it is given up.
   */
  connect(): Promise<void>;
  /**
   * Leaves the run in progress to the server: the server is not notified, and the run has no outcome yet. A connection that is
   * kept open is closed.
   */
  disconnect(): Promise<void>;
  /**
   * Joins a run that continues at the server, with the option `resume`. Without an id it is the last run: one that was left,
   * lost, or restored. Settles when it has ended.
   */
  attach(runId?: string): Promise<RunResult>;
  /** Runs the thread again after a failure, without a new message. Unfinished messages of that run at the end of the thread are removed. */
  retry(options?: AgainOptions): Promise<RunResult>;
  /**
   * Takes back an assistant message with all that follows, and runs again. Default: what follows the last user message, so a question
   * without an answer is asked again. Interrupts that are open are cancelled with it.
   */
  regenerate(messageId?: string, options?: AgainOptions): Promise<RunResult>;
  /**
   * Replies to interrupts. Every open one needs a reply, and an expired one can only be cancelled. A list, or an object by
   * ids, replies to all at once, as `submit({ resume })` does. `resume({ id, payload })` replies to one, and settles with the
   * run that begins after the last reply. A reply of another shape is rejected with the code `input`; the message names the member.
   */
  resume(answers: ResumeAnswers | ResumeAnswer): Promise<RunResult>;
  /**
   * Gives the result of a call without `execute`: a person's decision, or what the page found out by itself. When every call
   * has its result, the agent is run again. A call that has a result keeps it; an unknown one is a warning, `call-unknown`.
   */
  addToolResult(answer: { readonly toolCallId: string; readonly result?: unknown; readonly error?: string | undefined }): void;
  /**
   * Approves a call that waits for approval, with other arguments if they are given. The approval is for the name and the
   * arguments of the call that is passed, or for an id, of the call in the snapshot. If either has changed since, the call
   * does not run and is asked again (`approval-outdated`). Arguments that the tool's validator refuses are a warning, `approval-invalid`: the call
   * waits, and can be approved again.
   */
  approve(toolCall: string | ToolCall, args?: Readonly<Record<string, unknown>>): void;
  /**
   * The same, with arguments of the type that the tool has. A call of another tool is not approved (`approval-invalid`).
   */
  approve<Args>(tool: PageTool<Args>, toolCall: string | ToolCall, args?: Args): void;
  /** Denies a call that waits for approval. The reason is sent to the agent as the call's error. */
  deny(toolCallId: string, reason?: string): void;
  /**
   * Replaces the submit that waits in `queue` under this id, that of its run. A submit that may stand in a save which is on its way is replaced there,
   * before it begins. Returns whether it is in the queue, or the save is on its way; false if it waits for its attachments.
   */
  editQueued(id: string, input: string | Omit<SubmitInput<State>, "signal" | "ifBusy" | "runId">): boolean;
  /**
   * Removes the submit of this id from `queue`; its outcome is `aborted`, and its attachments are removed. A submit that may stand in a save which is
   * on its way is removed there, before it begins. Returns whether it is in the queue, or the save is on its way; false: it has begun, or is gone.
   */
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
   * member, the edit wins; it stays until the next run sends it to the server.
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
  /** Counts of what the guard has let pass and blocked. Zeros without a guard. */
  readonly guard: AgentGuard;
  /**
   * Sends an event of the system's own beside the run in progress: an object, or JSON text. Over `webSocket`, over
   * `eventSource` with a `submitUrl`, or another transport that can; with `keepOpen` between two runs, too. The guard's rule
   * for it, if there is one, is asked first; what it refuses is not sent. Throws (kind `unsupported`, code `not-sent`) where
   * nothing is open to send it over, and (code `worker`) in worker mode with a guard, whose decision comes later there. What
   * the server refuses later is a warning, `send-failed`.
   */
  send(event: object | string): Decision;
  /**
   * Listens to one kind of event. Returns a function that stops listening. Events can be asked for by type, which keeps the others, above all
   * deltas, as fast as without a listener.
   *
   * @example
   * const off = agent.on("event", (event) => log(event), { types: ["TOOL_CALL_RESULT", "RUN_FINISHED"] });
   */
  on<Name extends keyof AgentListeners>(name: Name, listener: AgentListeners[Name], filter?: Name extends "event" ? EventFilter : undefined): () => void;
  readonly events: AgentEvents;
  /** The last 20 requests for runs, oldest first, each with the head of its response once that is there. Bodies are not kept. */
  readonly requests: readonly AgentRequest[];
  /**
   * Replaces the options, apart from those that are fixed from the start: `threadId`, `initialMessages`,
   * `initialState`, `restore`, `persist`, `dialect`, `guard`, `rules`, `protocol`, `notify` and `limits`. An option that is left out is gone.
   */
  setOptions(options: AgentOptions<State>): void;
}
