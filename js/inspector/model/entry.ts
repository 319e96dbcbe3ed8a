// The rows of the timeline: what they are, what they say, and which events become one row.

import type { AgentError } from "../../api/error.js";
import type { AgentRequest, AgentWarning, AgUiEvent, Connection, Decision, RunOutcome } from "../../api/types.js";
import type { Difference } from "./diff.js";
import { clock, count, duration, line, preview } from "./text.js";

/** The kinds by which rows are filtered. */
export const kinds = ["run", "text", "reasoning", "tool", "state", "activity", "subagent", "custom", "network", "page", "warning", "error"] as const;

export type Kind = (typeof kinds)[number];

/** A message before or after a change, in short. */
export interface MessageState {
  readonly delivery?: string;
  /** Characters of its text. */
  readonly length: number;
  /** Tool calls that it has. */
  readonly calls?: number;
}

/** A message that has changed. */
export interface MessageChange {
  readonly id: string;
  readonly role: string;
  readonly before?: MessageState;
  readonly after?: MessageState;
  /** The end of its text, after the change. */
  readonly tail?: string;
}

/** The changes that an event has made to the snapshot. */
export interface Changes {
  readonly state?: readonly Difference[];
  /** More of the state has changed than is listed. */
  readonly more?: boolean;
  readonly messages?: readonly MessageChange[];
  /** Other rows of the same notification name the same; what is listed is what they did together. */
  readonly shared?: boolean;
}

/** How a request ended. */
export type RequestEnd = "closed" | "lost";

/** The content of a row: an event, or something that the inspector has seen beside the events. */
export type Item =
  | { readonly event: AgUiEvent }
  | { readonly request: AgentRequest }
  | { readonly response: AgentRequest }
  | { readonly ended: { readonly id: number; readonly end: RequestEnd } }
  | { readonly connection: Connection }
  | { readonly warning: AgentWarning }
  | { readonly decision: Decision }
  | { readonly error: ErrorText }
  | { readonly finish: { readonly runId: string; readonly outcome: RunOutcome | "dropped" | "disconnected" } }
  | { readonly local: string };

/** An error as plain data. */
export type ErrorText = Pick<AgentError, "kind" | "message"> & Partial<Pick<AgentError, "code" | "status" | "rule" | "eventType" | "retryable">>;

/** A row. Grows while events join it. */
export interface Entry {
  readonly id: number;
  readonly kind: Kind;
  /** The event's type, or what else it is. */
  readonly type: string;
  /** When the first came, in milliseconds since 1970. */
  readonly at: number;
  readonly items: Item[];
  /** When each came. */
  readonly times: number[];
  /** Which of all items each was: several rows may grow at once. */
  readonly places: number[];
  /** The text of the deltas, as much of it as a row shows. */
  text: string;
  /** Characters of the deltas in all. */
  length: number;
  /** About what it weighs. */
  size: number;
  changes?: Changes;
}

const delta = new Set([
  "TEXT_MESSAGE_CONTENT",
  "TEXT_MESSAGE_CHUNK",
  "REASONING_MESSAGE_CONTENT",
  "REASONING_MESSAGE_CHUNK",
  "TOOL_CALL_ARGS",
  "TOOL_CALL_CHUNK",
]);

/** Events that one row joins, so that a row can be dropped when there are too many. */
export const maxJoined = 10_000;
/** Characters of the deltas that a row keeps beside its events. */
export const maxText = 400;

/** The kind and the type of an item. */
export function classify(item: Item): { readonly kind: Kind; readonly type: string } {
  if ("event" in item) return { kind: kindOf(item.event.type), type: String(item.event.type) };
  if ("request" in item) return { kind: "network", type: "request" };
  if ("response" in item) return { kind: failed(item.response) ? "error" : "network", type: "response" };
  if ("ended" in item) return { kind: "network", type: "response end" };
  if ("connection" in item) return { kind: "network", type: "connection" };
  if ("warning" in item) return { kind: "warning", type: "warning" };
  if ("decision" in item) return { kind: item.decision.allowed ? "custom" : "warning", type: "guard" };
  if ("error" in item) return { kind: "error", type: "error" };
  if ("finish" in item) return { kind: "run", type: "run ended" };
  return { kind: "page", type: "page" };
}

const failed = ({ status, error }: AgentRequest): boolean => error !== undefined || (status !== undefined && (status < 200 || status > 299));

function kindOf(type: unknown): Kind {
  const name = String(type);
  if (name === "RUN_ERROR") return "error";
  if (/^(RUN|STEP)_/.test(name)) return "run";
  if (/^(TEXT_MESSAGE|MESSAGES)_/.test(name)) return "text";
  const [, kind] = /^(REASONING|THINKING|TOOL|STATE|ACTIVITY|SUBAGENT)_/.exec(name) ?? [];
  return kind === "THINKING" ? "reasoning" : kind ? (kind.toLowerCase() as Kind) : "custom";
}

/**
 * Rows that an item may continue have the same name: deltas of one message or call. Nothing: it is a row of its own. A chunk that names
 * nothing continues the last one of its type, whose name is the type.
 */
export function nameOfBurst(item: Item): string | undefined {
  if (!("event" in item)) return undefined;
  const { type, messageId, toolCallId, subagentRunId } = item.event as LooseEvent;
  if (!delta.has(type)) return undefined;
  const ids = [messageId, toolCallId, subagentRunId].filter((id) => typeof id === "string");
  return [type, ...ids].join("\n");
}

/** An event whose members are read without knowing its type; a server may send anything in them. */
export interface LooseEvent {
  readonly type: string;
  readonly [member: string]: unknown;
}

/** The text of a delta. */
export function deltaOf(item: Item): string {
  const value = "event" in item && delta.has(item.event.type) ? (item.event as LooseEvent)["delta"] : undefined;
  return typeof value === "string" ? value : "";
}

/** The text of a row after its type, as one line. */
export function summary(entry: Entry): string {
  const item = entry.items[0];
  if (!item) return "";
  if ("event" in item) return entry.text || delta.has(entry.type) ? line(entry.text) : line(ofEvent(item.event as LooseEvent));
  return line(ofOther(item));
}

function ofEvent(event: LooseEvent): string {
  const text = (name: string): string => (typeof event[name] === "string" ? (event[name] as string) : "");
  switch (event.type) {
    case "RUN_STARTED":
      return text("runId");
    case "RUN_FINISHED":
      return ofFinished(event);
    case "RUN_ERROR":
      return [text("code"), text("message")].filter(Boolean).join(": ");
    case "TOOL_CALL_START":
      return `${text("toolCallName")}  ${text("toolCallId")}`;
    case "TOOL_CALL_RESULT":
      return `${text("toolCallId")}  ${typeof event["content"] === "string" ? text("content") : preview(event["content"], 200)}`;
    case "STATE_SNAPSHOT":
      return preview(event["snapshot"], 200);
    case "STATE_DELTA":
      return operations(event["delta"]);
    case "ACTIVITY_DELTA":
      return `${text("activityType")}  ${operations(event["patch"])}`;
    case "ACTIVITY_SNAPSHOT":
      return `${text("activityType")}  ${preview(event["content"], 200)}`;
    case "MESSAGES_SNAPSHOT":
      return Array.isArray(event["messages"]) ? `${count(event["messages"].length)} messages` : "";
    case "CUSTOM":
      return `${text("name")}  ${event["value"] === undefined ? "" : preview(event["value"], 200)}`;
    case "RAW":
      return preview(event["event"], 200);
    default:
      return text("stepName") || text("name") || text("message") || text("messageId") || text("toolCallId") || text("subagentRunId") || text("entityId");
  }
}

function ofFinished(event: LooseEvent): string {
  const { outcome, result, runId } = event as { outcome?: { type?: unknown }; result?: unknown; runId?: unknown };
  const how = typeof outcome?.type === "string" ? outcome.type : "";
  return [String(runId ?? ""), how, result === undefined ? "" : preview(result, 120)].filter(Boolean).join("  ");
}

function operations(list: unknown): string {
  if (!Array.isArray(list)) return "";
  const named = list.slice(0, 4).map((operation: { op?: unknown; path?: unknown }) => `${String(operation?.op)} ${String(operation?.path)}`);
  return named.join(", ") + (list.length > 4 ? `, … ${count(list.length)} in all` : "");
}

function ofOther(item: Exclude<Item, { readonly event: AgUiEvent }>): string {
  if ("request" in item) return `${item.request.method} ${item.request.url}${item.request.resume ? "  (rejoins the run)" : ""}`;
  if ("response" in item) return ofResponse(item.response);
  if ("ended" in item) return item.ended.end === "closed" ? "the connection is closed" : "the connection was lost";
  if ("connection" in item) return ofConnection(item.connection);
  if ("warning" in item) return `${item.warning.code}: ${item.warning.message}`;
  if ("decision" in item) return `${item.decision.allowed ? "passed" : "blocked"} ${item.decision.eventType}`;
  if ("error" in item) return `${item.error.kind}${item.error.code ? ` (${item.error.code})` : ""}: ${item.error.message}`;
  if ("finish" in item) return `${item.finish.outcome}  ${item.finish.runId}`;
  return item.local;
}

function ofResponse({ status, error, headMs }: AgentRequest): string {
  const after = headMs === undefined ? "" : `  after ${duration(headMs)}`;
  return error === undefined ? `HTTP ${status}${after}` : `${error}${after}`;
}

function ofConnection({ phase, attempt, retryAt }: Connection): string {
  const which = attempt > 0 ? `, attempt ${attempt}` : "";
  return `${phase}${which}${retryAt === undefined ? "" : `, at ${clock(retryAt)}`}`;
}
