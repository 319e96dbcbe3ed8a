// The shapes of AG-UI 1.0, as they stand on the wire. Where the specification leaves a value open, the type is
// `unknown`.

/** A JSON object. */
export type JsonObject = { readonly [key: string]: unknown };

/** Where a part's bytes are: inline as base64, behind a URL, or with a provider that gave an opaque handle. */
export type Source =
  | { readonly type: "data"; readonly value: string; readonly mimeType: string }
  | { readonly type: "url"; readonly value: string; readonly mimeType?: string }
  | { readonly type: "file"; readonly value: string; readonly provider?: string; readonly mimeType?: string };

interface PartBase {
  readonly id?: string;
  readonly metadata?: unknown;
}

/** Text within a message of several parts. */
export interface TextPart extends PartBase {
  readonly type: "text";
  readonly text: string;
}

/** Something to look at, listen to or read. */
export interface MediaPart extends PartBase {
  readonly type: "image" | "audio" | "video" | "document";
  readonly source: Source;
}

/** A part of a message's content. */
export type ContentPart = TextPart | MediaPart;

/** A call as it stands in an assistant's message. `AgentSnapshot.toolCalls` has it parsed, with its result. */
export interface MessageToolCall {
  readonly id: string;
  readonly type: "function";
  /** The arguments are the model's own text, which need not be JSON. */
  readonly function: { readonly name: string; readonly arguments: string };
  readonly encryptedValue?: string;
  readonly metadata?: JsonObject;
}

/** Where a message stands: still growing, whole, stopped by somebody, or cut off by a failure. */
export type Delivery = "streaming" | "complete" | "aborted" | "error";

interface MessageBase {
  readonly id: string;
  /** The subagent invocation that wrote it. */
  readonly subagentRunId?: string;
  readonly metadata?: JsonObject;
  /** Opaque to a client; sent back as it came. */
  readonly encryptedValue?: string;
  /** Read-only extra, on every message of a snapshot. */
  readonly delivery?: Delivery;
}

/** Instructions of the application's developer. */
export interface DeveloperMessage extends MessageBase {
  readonly role: "developer";
  readonly content: string;
  readonly name?: string;
}

/** Instructions of the system. */
export interface SystemMessage extends MessageBase {
  readonly role: "system";
  readonly content: string;
  readonly name?: string;
}

/** A message of the agent, with the tools it calls. */
export interface AssistantMessage extends MessageBase {
  readonly role: "assistant";
  readonly content?: string;
  readonly name?: string;
  readonly toolCalls?: readonly MessageToolCall[];
  /** Read-only extra: the reasoning that shares this message's id. */
  readonly reasoning?: string;
  /** Read-only extra: the reasoning's own `encryptedValue`. */
  readonly reasoningEncryptedValue?: string;
  /** Read-only extra: how long the reasoning took, in milliseconds. */
  readonly reasoningDurationMs?: number;
  /** Read-only extra: keys of `AgentSnapshot.toolCalls`. */
  readonly toolCallIds?: readonly string[];
}

/** A message of the person. */
export interface UserMessage extends MessageBase {
  readonly role: "user";
  readonly content: string | readonly ContentPart[];
  readonly name?: string;
}

/** The result of a call. */
export interface ToolMessage extends MessageBase {
  readonly role: "tool";
  readonly toolCallId: string;
  readonly content: string | readonly ContentPart[];
  /** Present when the tool failed. */
  readonly error?: string;
}

/** Structured progress that the agent keeps up to date. Not sent back to it. */
export interface ActivityMessage extends MessageBase {
  readonly role: "activity";
  readonly activityType: string;
  readonly content: JsonObject;
}

/** The agent's reasoning, where it stands by itself. */
export interface ReasoningMessage extends MessageBase {
  readonly role: "reasoning";
  readonly content: string;
  /** Read-only extra: how long it took, in milliseconds. */
  readonly durationMs?: number;
}

/** A message of a thread: its AG-UI shape, and in a snapshot the read-only extras. Told apart by `role`. */
export type Message =
  | DeveloperMessage
  | SystemMessage
  | AssistantMessage
  | UserMessage
  | ToolMessage
  | ActivityMessage
  | ReasoningMessage;

/** A tool that the page offers to the agent. */
export interface Tool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments. */
  readonly parameters?: unknown;
  readonly metadata?: JsonObject;
}

/** Something that the agent should know about the page. */
export interface Context {
  readonly description: string;
  readonly value: string;
}

/** A question that ended a run and waits for a reply. */
export interface Interrupt {
  readonly id: string;
  /** `tool_call`, `input_required`, `confirmation`, or a framework's own `framework:name`. */
  readonly reason: string;
  readonly message?: string;
  readonly toolCallId?: string;
  /** JSON Schema of the reply's payload. */
  readonly responseSchema?: JsonObject;
  /** ISO 8601. An expired interrupt can only be cancelled. */
  readonly expiresAt?: string;
  readonly metadata?: JsonObject;
  readonly subagentRunId?: string;
  /** Read-only, not of the protocol: it has its reply, and the run begins once every other interrupt has one. */
  readonly answered?: true;
}

/** The reply to an interrupt, as it stands on the wire. A refusal is a `resolved` reply whose payload says no. */
export interface ResumeEntry {
  readonly interruptId: string;
  readonly status: "resolved" | "cancelled";
  readonly payload?: unknown;
  readonly metadata?: JsonObject;
}

/** Tokens by provider and model. A count that was not reported is absent, not 0. */
export interface TokenUsage {
  readonly provider?: string;
  readonly model?: string;
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly totalTokens?: number;
  /** Part of `outputTokens`. */
  readonly reasoningTokens?: number;
  /** Part of `inputTokens`. */
  readonly cachedInputTokens?: number;
  /** Part of `inputTokens`, apart from the cached ones. */
  readonly cacheWriteInputTokens?: number;
}

/** An operation of RFC 6902. */
export type JsonPatchOperation =
  | { readonly op: "add" | "replace" | "test"; readonly path: string; readonly value: unknown }
  | { readonly op: "remove"; readonly path: string }
  | { readonly op: "move" | "copy"; readonly from: string; readonly path: string };
