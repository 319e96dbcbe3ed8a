// The public types, with the official client's names and shapes.

import type {
  AGUIEventByType,
  ActivityDeltaEvent,
  ActivityMessage,
  ActivitySnapshotEvent,
  BaseEvent,
  EventType,
  Interrupt,
  Message,
  ReasoningMessageContentEvent,
  ReasoningMessageEndEvent,
  ResumeEntry,
  RunAgentInput,
  RunFinishedEvent,
  State,
  TextMessageContentEvent,
  TextMessageEndEvent,
  ToolCall,
  ToolCallArgsEvent,
  ToolCallEndEvent,
} from "@ag-ui/core";
import type { AgentWarning, Limits } from "../api/types.js";
import type { AbstractAgent } from "./agent.js";
import type { AgentDebugConfig } from "./debug.js";

/** The options of the official client's agents. */
export interface AgentConfig extends AgentSettings {
  agentId?: string;
  /** Default: empty. */
  description?: string;
  /** Default: a random UUID. */
  threadId?: string;
  /** Copied. Default: none. */
  initialMessages?: Message[];
  /** Copied. Default: an empty object. */
  initialState?: State;
  /** The output on the console. Default: none. */
  debug?: AgentDebugConfig;
}

/** Options that only this package's agents have. */
export interface AgentSettings {
  /**
   * How a stream that breaks the protocol is handled. `"tolerant"`, the default, repairs or drops the event, reports it, and
   * keeps the conversation. `"strict"` fails the run, mostly where the official client fails. Codes: `docs/rules.md`.
   */
  rules?: "tolerant" | "strict";
  /** Limits of what a server can make the page hold; see `createAgent`. */
  limits?: Limits;
  /** Is called with everything odd that was dealt with. Default: `console.warn`. */
  onWarning?: (warning: AgentWarning) => void;
  /**
   * One hook call for the deltas of a message or call that came within a frame, with the deltas joined. Default: false, a call
   * for each.
   */
  joinDeltas?: boolean;
  /** Milliseconds between two notifications of changes. Default: one a frame; event by event on the exact way. */
  notificationThrottleMs?: number;
  /** On the exact way: characters of a message that are worth a notification before that time has passed. Default: none. */
  notificationMinChunkSize?: number;
}

/** The function that sends requests. */
export type HttpAgentFetchFn = (url: string, requestInit: RequestInit) => Promise<Response>;

export interface HttpAgentConfig extends AgentConfig {
  /** Where runs are posted to. */
  url: string;
  /** Sent with every request. Default: none. */
  headers?: Record<string, string>;
  /** Default: the global `fetch`. */
  fetch?: HttpAgentFetchFn;
}

export interface RunAgentParameters extends
  Partial<
    Pick<RunAgentInput, "runId" | "tools" | "context" | "forwardedProps">
  >
{
  /** Answers to the open interrupts: each needs one. */
  resume?: ResumeEntry[];
}

export interface RunHttpAgentConfig extends RunAgentParameters {
  /** Aborts this run, in place of a new controller. */
  abortController?: AbortController;
}

export interface RunAgentResult {
  /** The `result` of RUN_FINISHED. */
  // As the official client types it.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  result: any;
  /** The messages that the thread did not have before. */
  newMessages: Message[];
}

/** The result of a hook: the thread's messages or state from here on. */
export interface AgentStateMutation {
  messages?: Message[];
  state?: State;
  /** The event does not count, and later subscribers are not called for it. */
  stopPropagation?: boolean;
}

export interface AgentSubscriberParams {
  messages: ReadonlyArray<Readonly<Message>>;
  state: Readonly<State>;
  agent: AbstractAgent;
  input: RunAgentInput;
}

export type MaybePromise<T> = T | Promise<T>;

type Lifecycle = MaybePromise<Omit<AgentStateMutation, "stopPropagation"> | void>;
type Mutation = MaybePromise<AgentStateMutation | void>;
type Changed = Omit<AgentSubscriberParams, "input"> & { input?: RunAgentInput };
type Of<Event, Rest = unknown> = { event: Event } & Rest & AgentSubscriberParams;

/** How a run finished, beside its event. */
export type RunFinishedParams =
  | { event: RunFinishedEvent; outcome: "success"; result?: unknown; pendingToolCallIds: string[] }
  | { event: RunFinishedEvent; outcome: "interrupt"; interrupts: Interrupt[] }
  | { event: RunFinishedEvent; outcome: "cancelled" };

type Words<Type extends string> = Type extends `${infer First}_${infer Rest}` ? `${Capitalize<First>}${Words<Rest>}` : Capitalize<Type>;

/** The hook of a type of events. Chunks are full events when hooks are called. */
type HookOf<Type extends string> = Type extends `${string}_CHUNK` ? never : `on${Words<Lowercase<Type>>}Event`;

/** A hook for each event, as a method: it may ask for less than it is given. */
type EventHooks = {
  [Type in EventType as HookOf<Type>]?: { hook(params: Of<AGUIEventByType[Type]>): Mutation }["hook"];
};

/** Hooks of a run, and one for each type of events (`onStepStartedEvent`). They are called one after another; one that returns a promise is awaited. */
export interface AgentSubscriber extends EventHooks {
  onRunInitialized?(params: AgentSubscriberParams): Lifecycle;
  onRunFailed?(params: { error: Error } & AgentSubscriberParams): Mutation;
  onRunFinalized?(params: AgentSubscriberParams): Lifecycle;

  /** Every event, before its own hook. */
  onEvent?(params: Of<BaseEvent>): Mutation;
  onRunFinishedEvent?(params: RunFinishedParams & AgentSubscriberParams): Mutation;
  /** `textMessageBuffer`: the text before this delta. */
  onTextMessageContentEvent?(params: Of<TextMessageContentEvent, { textMessageBuffer: string }>): Mutation;
  onTextMessageEndEvent?(params: Of<TextMessageEndEvent, { textMessageBuffer: string }>): Mutation;
  /** `toolCallBuffer`: the arguments before this delta; `partialToolCallArgs`: as far as they can be read. */
  onToolCallArgsEvent?(
    // eslint-disable-next-line @typescript-eslint/no-explicit-any
    params: Of<ToolCallArgsEvent, { toolCallBuffer: string; toolCallName: string; partialToolCallArgs: Record<string, any> }>,
  ): Mutation;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  onToolCallEndEvent?(params: Of<ToolCallEndEvent, { toolCallName: string; toolCallArgs: Record<string, any> }>): Mutation;
  onActivitySnapshotEvent?(
    params: Of<ActivitySnapshotEvent, { activityMessage?: ActivityMessage; existingMessage?: Message }>,
  ): Mutation;
  onActivityDeltaEvent?(params: Of<ActivityDeltaEvent, { activityMessage?: ActivityMessage }>): Mutation;
  onReasoningMessageContentEvent?(params: Of<ReasoningMessageContentEvent, { reasoningMessageBuffer: string }>): Mutation;
  onReasoningMessageEndEvent?(params: Of<ReasoningMessageEndEvent, { reasoningMessageBuffer: string }>): Mutation;

  onMessagesChanged?(params: Changed): MaybePromise<void>;
  onStateChanged?(params: Changed): MaybePromise<void>;
  /** A message is complete. */
  onNewMessage?(params: { message: Message } & Changed): MaybePromise<void>;
  /** A tool call is complete. */
  onNewToolCall?(params: { toolCall: ToolCall } & Changed): MaybePromise<void>;
}

/** The members of an agent of any copy of the client; see {@link isHttpAgent}. */
export interface Agent {
  agentId?: string | undefined;
  description: string;
  threadId: string;
  messages: Message[];
  state: State;
  isRunning: boolean;
  subscribers: AgentSubscriber[];
  pendingInterrupts: Interrupt[];
  subscribe(subscriber: AgentSubscriber): { unsubscribe: () => void };
  runAgent(parameters?: RunAgentParameters, subscriber?: AgentSubscriber): Promise<RunAgentResult>;
  connectAgent(parameters?: RunAgentParameters, subscriber?: AgentSubscriber): Promise<RunAgentResult>;
  abortRun(): void;
  detachActiveRun(): Promise<void>;
  clone(): unknown;
  addMessage(message: Message): void;
  addMessages(messages: Message[]): void;
  setMessages(messages: Message[]): void;
  setState(state: State): void;
}
