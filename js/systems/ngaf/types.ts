// The shapes of the ngaf Agent contract.

import type { JsonObject } from "../../api/protocol.js";
import type { NgafError } from "./errors.js";

/** A value that can be read and watched: what a signal is in the contract's own framework. */
export interface Field<Value> {
  get(): Value;
  /** Calls the listener after each change. Returns what ends that. */
  subscribe(listener: (value: Value) => void): () => void;
}

/** A part of a message's content. */
export type ContentBlock =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image"; readonly url: string; readonly alt?: string }
  | { readonly type: "tool_use"; readonly id: string; readonly name: string; readonly args: unknown }
  | { readonly type: "tool_result"; readonly toolCallId: string; readonly result: unknown; readonly isError?: boolean };

/** A source that a message names. */
export interface Citation {
  readonly id: string;
  /** From 1. */
  readonly index: number;
  readonly title?: string;
  readonly url?: string;
  readonly snippet?: string;
  readonly extra?: JsonObject;
  /** Version 2. */
  readonly sourceType?: string;
  /** Version 2. */
  readonly iconUrl?: string;
  /** Version 2: text as it came, or milliseconds. */
  readonly publishedAt?: string | number | Date;
}

/** How a message's run ended. */
export type DeliveryOutcome = "success" | "error" | "aborted" | "interrupted" | "paused";

/** Where a message stands; `generation` counts the runs of this agent. */
export type NgafDelivery =
  | { readonly generation: number; readonly phase: "streaming" }
  | { readonly generation: number; readonly phase: "complete"; readonly outcome: DeliveryOutcome };

/** A message of the contract. */
export interface NgafMessage {
  readonly id: string;
  readonly role: "user" | "assistant" | "system" | "tool";
  readonly content: string | readonly ContentBlock[];
  readonly toolCallId?: string;
  readonly name?: string;
  readonly reasoning?: string;
  readonly reasoningDurationMs?: number;
  readonly extra?: JsonObject;
  readonly citations?: readonly Citation[];
  readonly toolCallIds?: readonly string[];
  /** Version 2. */
  readonly delivery?: NgafDelivery;
}

/** A tool call of the contract. */
export interface NgafToolCall {
  readonly id: string;
  readonly name: string;
  readonly args: JsonObject;
  readonly status: "pending" | "running" | "complete" | "error";
  readonly result?: unknown;
  readonly error?: unknown;
}

/** The events of `events$`. */
export type NgafEvent =
  | { readonly type: "state_update"; readonly data: JsonObject }
  | { readonly type: "custom"; readonly name: string; readonly data: unknown };

/** A question of the agent. */
export interface NgafInterrupt {
  readonly id: string;
  readonly value: unknown;
  readonly resumable: boolean;
}

/** A subagent. */
export interface NgafSubagent {
  readonly toolCallId: string;
  readonly name?: string;
  readonly status: "pending" | "running" | "complete" | "error";
  readonly messages: readonly NgafMessage[];
  readonly toolCalls: readonly unknown[];
  readonly state: JsonObject;
}

/** A place in the history. */
export interface NgafCheckpoint {
  readonly id?: string;
  readonly label?: string;
  /** The state of then. */
  readonly values: unknown;
}

/** The argument of `submit`. */
export interface NgafSubmitInput {
  readonly message?: string | readonly ContentBlock[];
  /** The answer to the interrupt. */
  readonly resume?: unknown;
  /** Merged into the shared state, and sent. */
  readonly state?: JsonObject;
}

/** A tool that the page answers. */
export interface ClientTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema. */
  readonly parameters: object;
}

/** The outcome of a call. */
export type ClientToolOutcome = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly error: unknown };

/** Catalogues of components that the page can show, for the state's `a2ui_client_capabilities`. */
export interface ClientCapabilities {
  readonly supportedCatalogIds: readonly string[];
  readonly inlineCatalogs?: readonly unknown[];
}

/** The tools that the page answers (version 2). */
export interface ClientTools {
  /** Sent as `tools` with every run from now on, in place of the agent's own. */
  setCatalog(tools: readonly ClientTool[], capabilities?: ClientCapabilities): void;
  /** The calls of the catalogue's tools that a run has ended without answering. */
  readonly pending: Field<readonly NgafToolCall[]>;
  /** Answers a call. The next run takes it along. */
  settle(toolCallId: string, outcome: ClientToolOutcome): void;
  /** The same, and runs the agent. */
  resolve(toolCallId: string, outcome: ClientToolOutcome): Promise<void>;
  /** Nothing: answers are not held back. */
  flush(): void;
}

/** Everything that can be read of an agent at one time. */
export interface NgafSnapshot {
  readonly messages: readonly NgafMessage[];
  readonly status: "idle" | "running" | "error";
  readonly isLoading: boolean;
  /** Version 1: whatever was thrown, or RUN_ERROR's message; `null` without one. Version 2: a {@link NgafError} or `undefined`. */
  readonly error: unknown;
  readonly toolCalls: readonly NgafToolCall[];
  readonly state: JsonObject;
  readonly interrupt: NgafInterrupt | undefined;
  readonly subagents: Readonly<Record<string, NgafSubagent>>;
  readonly customEvents: readonly { readonly name: string; readonly data: unknown }[];
}

/** An agent that keeps the contract. */
export interface NgafAgent {
  readonly version: 1 | 2;
  readonly messages: Field<NgafSnapshot["messages"]>;
  readonly status: Field<NgafSnapshot["status"]>;
  readonly isLoading: Field<boolean>;
  readonly error: Field<unknown>;
  readonly toolCalls: Field<NgafSnapshot["toolCalls"]>;
  readonly state: Field<JsonObject>;
  readonly interrupt: Field<NgafInterrupt | undefined>;
  readonly subagents: Field<NgafSnapshot["subagents"]>;
  readonly customEvents: Field<NgafSnapshot["customEvents"]>;
  readonly history: Field<readonly NgafCheckpoint[]>;
  /** The first checkpoint that has a message, by the message's id. */
  readonly messageCheckpoints: Field<ReadonlyMap<string, string>>;
  readonly events$: { subscribe(listener: (event: NgafEvent) => void): () => void };
  /** All fields at once. */
  getSnapshot(): NgafSnapshot;
  /** Calls the listener after any of them has changed. */
  subscribe(listener: () => void): () => void;
  submit(input?: NgafSubmitInput, options?: { readonly signal?: AbortSignal }): Promise<void>;
  stop(): Promise<void>;
  /** Runs again after the user message that led to this message. Rejects where that makes no sense. */
  regenerate(assistantIndex: number): Promise<void>;
  /** Runs the thread again, without a new message. */
  retry(): Promise<void>;
  readonly clientTools: ClientTools;
  /** Stops listening to the agent, which lives on. */
  dispose(): void;
}

/** The function that receives reports for a telemetry service. */
export type NgafTelemetry = (name: string, properties: JsonObject) => void;

/** The options of `toNgafAgent`. */
export interface NgafOptions {
  /** 1: `@ngaf/ag-ui` 0.0.x. 2 (default): `@threadplane/ag-ui` 0.0.58. */
  readonly version?: 1 | 2 | undefined;
  readonly telemetry?: NgafTelemetry | undefined;
  /** Milliseconds, for the time that reasoning takes. Default: `performance.now`. */
  readonly now?: (() => number) | undefined;
}

export type { NgafError };
