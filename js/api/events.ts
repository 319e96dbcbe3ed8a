// The events of AG-UI 1.0.

import type { ContentPart, Interrupt, JsonObject, JsonPatchOperation, Message, TokenUsage } from "./protocol.js";

interface EventBase<Type extends string> {
  readonly type: Type;
  readonly timestamp?: number;
  readonly rawEvent?: unknown;
  readonly metadata?: JsonObject;
}

/** An event that a subagent may have caused. */
interface Owned<Type extends string> extends EventBase<Type> {
  readonly subagentRunId?: string;
}

interface OfMessage<Type extends string> extends Owned<Type> {
  readonly messageId: string;
}

interface OfCall<Type extends string> extends Owned<Type> {
  readonly toolCallId: string;
}

interface Delta {
  readonly delta: string;
}

interface OfRun<Type extends string> extends EventBase<Type> {
  readonly threadId: string;
  readonly runId: string;
}

/** Opens a run. */
export interface RunStartedEvent extends OfRun<"RUN_STARTED"> {
  readonly protocolVersion?: string;
  readonly parentRunId?: string;
  readonly input?: JsonObject;
}

/** Closes a run that did not fail. */
export interface RunFinishedEvent extends OfRun<"RUN_FINISHED"> {
  readonly result?: unknown;
  readonly outcome?:
    | { readonly type: "success"; readonly pendingToolCallIds?: readonly string[] }
    | { readonly type: "interrupt"; readonly interrupts: readonly Interrupt[] }
    | { readonly type: "cancelled" };
  readonly usage?: readonly TokenUsage[];
}

/** Ends a run that failed. */
export interface RunErrorEvent extends EventBase<"RUN_ERROR"> {
  readonly message: string;
  readonly code?: string;
  readonly usage?: readonly TokenUsage[];
}

/** A named step begins or ends. */
export interface StepEvent extends Owned<"STEP_STARTED" | "STEP_FINISHED"> {
  readonly stepName: string;
}

/** Opens a text message. */
export interface TextMessageStartEvent extends OfMessage<"TEXT_MESSAGE_START"> {
  readonly role?: "developer" | "system" | "assistant" | "user";
  readonly name?: string;
}

/** Opens a tool call. */
export interface ToolCallStartEvent extends OfCall<"TOOL_CALL_START"> {
  readonly toolCallName: string;
  readonly parentMessageId?: string;
}

/** The result of a call. */
export interface ToolCallResultEvent extends OfMessage<"TOOL_CALL_RESULT"> {
  readonly toolCallId: string;
  readonly content: string | readonly ContentPart[];
  readonly role?: "tool";
}

/** Replaces the state. */
export interface StateSnapshotEvent extends Owned<"STATE_SNAPSHOT"> {
  readonly snapshot: unknown;
}

/** Changes the state. */
export interface StateDeltaEvent extends Owned<"STATE_DELTA"> {
  readonly delta: readonly JsonPatchOperation[];
}

/** Brings the list of messages in line with the server's. */
export interface MessagesSnapshotEvent extends EventBase<"MESSAGES_SNAPSHOT"> {
  readonly messages: readonly Message[];
}

/** Makes or replaces an activity. */
export interface ActivitySnapshotEvent extends OfMessage<"ACTIVITY_SNAPSHOT"> {
  readonly activityType: string;
  readonly content: JsonObject;
  readonly replace?: boolean;
}

/** Changes an activity. */
export interface ActivityDeltaEvent extends OfMessage<"ACTIVITY_DELTA"> {
  readonly activityType: string;
  readonly patch: readonly JsonPatchOperation[];
}

/** A value that only the provider can read, to be sent back with a message or a tool call. */
export interface ReasoningEncryptedValueEvent extends Owned<"REASONING_ENCRYPTED_VALUE"> {
  readonly subtype: "message" | "tool-call";
  readonly entityId: string;
  readonly encryptedValue: string;
}

/** Something of the framework behind the agent. */
export interface RawEvent extends Owned<"RAW"> {
  readonly event: unknown;
  readonly source?: string;
}

/** Something of the application's own. */
export interface CustomEvent extends Owned<"CUSTOM"> {
  readonly name: string;
  readonly value: unknown;
}

interface OfSubagent<Type extends string> extends EventBase<Type> {
  readonly subagentRunId: string;
}

/** A subagent begins. */
export interface SubagentStartedEvent extends OfSubagent<"SUBAGENT_STARTED"> {
  readonly name: string;
  readonly description?: string;
  readonly parentSubagentRunId?: string;
  readonly parentToolCallId?: string;
  readonly parentMessageId?: string;
}

/** A subagent ends, or pauses until an interrupt has its reply. */
export interface SubagentFinishedEvent extends OfSubagent<"SUBAGENT_FINISHED"> {
  readonly result?: unknown;
  readonly outcome?:
    | { readonly type: "success" }
    | { readonly type: "suspended"; readonly interruptIds?: readonly string[] };
}

/** A subagent fails. The run may continue. */
export interface SubagentErrorEvent extends OfSubagent<"SUBAGENT_ERROR"> {
  readonly message: string;
  readonly code?: string;
}

/** A text message in short: opens it with the first chunk, and closes it with whatever else comes. */
export interface TextMessageChunkEvent extends Owned<"TEXT_MESSAGE_CHUNK"> {
  readonly messageId?: string;
  readonly role?: "developer" | "system" | "assistant" | "user";
  readonly delta?: string;
  readonly name?: string;
}

/** A tool call in short. */
export interface ToolCallChunkEvent extends Owned<"TOOL_CALL_CHUNK"> {
  readonly toolCallId?: string;
  readonly toolCallName?: string;
  readonly parentMessageId?: string;
  readonly delta?: string;
}

/** A reasoning message in short. */
export interface ReasoningMessageChunkEvent extends Owned<"REASONING_MESSAGE_CHUNK"> {
  readonly messageId?: string;
  readonly delta?: string;
}

/** One event of AG-UI 1.0, as it came. Told apart by `type`. */
export type AgUiEvent =
  | RunStartedEvent
  | RunFinishedEvent
  | RunErrorEvent
  | StepEvent
  | TextMessageStartEvent
  | (OfMessage<"TEXT_MESSAGE_CONTENT"> & Delta)
  | OfMessage<"TEXT_MESSAGE_END">
  | TextMessageChunkEvent
  | ToolCallStartEvent
  | (OfCall<"TOOL_CALL_ARGS"> & Delta)
  | OfCall<"TOOL_CALL_END">
  | ToolCallChunkEvent
  | ToolCallResultEvent
  | StateSnapshotEvent
  | StateDeltaEvent
  | MessagesSnapshotEvent
  | ActivitySnapshotEvent
  | ActivityDeltaEvent
  | OfMessage<"REASONING_START" | "REASONING_END" | "REASONING_MESSAGE_END">
  | (OfMessage<"REASONING_MESSAGE_START"> & { readonly role: "reasoning" })
  | (OfMessage<"REASONING_MESSAGE_CONTENT"> & Delta)
  | ReasoningMessageChunkEvent
  | ReasoningEncryptedValueEvent
  | RawEvent
  | CustomEvent
  | SubagentStartedEvent
  | SubagentFinishedEvent
  | SubagentErrorEvent;

/** The type of every event, for code that goes through all. A record: the compiler demands each. */
export const eventTypes: Readonly<Record<AgUiEvent["type"], 1>> = {
  RUN_STARTED: 1,
  RUN_FINISHED: 1,
  RUN_ERROR: 1,
  STEP_STARTED: 1,
  STEP_FINISHED: 1,
  TEXT_MESSAGE_START: 1,
  TEXT_MESSAGE_CONTENT: 1,
  TEXT_MESSAGE_END: 1,
  TEXT_MESSAGE_CHUNK: 1,
  TOOL_CALL_START: 1,
  TOOL_CALL_ARGS: 1,
  TOOL_CALL_END: 1,
  TOOL_CALL_CHUNK: 1,
  TOOL_CALL_RESULT: 1,
  STATE_SNAPSHOT: 1,
  STATE_DELTA: 1,
  MESSAGES_SNAPSHOT: 1,
  ACTIVITY_SNAPSHOT: 1,
  ACTIVITY_DELTA: 1,
  REASONING_START: 1,
  REASONING_MESSAGE_START: 1,
  REASONING_MESSAGE_CONTENT: 1,
  REASONING_MESSAGE_END: 1,
  REASONING_MESSAGE_CHUNK: 1,
  REASONING_END: 1,
  REASONING_ENCRYPTED_VALUE: 1,
  SUBAGENT_STARTED: 1,
  SUBAGENT_FINISHED: 1,
  SUBAGENT_ERROR: 1,
  RAW: 1,
  CUSTOM: 1,
};
