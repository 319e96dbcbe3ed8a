// OpenSearch ml-commons: what an application needs besides the stream, which `dialect: "open-search"` reads. Pure
// functions, no WebAssembly.

import type { Agent, AgentSnapshot, CustomEventData, JsonObject, RunResult, ToolCall } from "../../api/types.js";
import { parseJson } from "../../base/json.js";

/**
 * Loads the stored conversation of the agent's thread, in place of the messages that it has. Calls of its tools that the
 * last assistant message waits for are executed, and a run follows on them, as on any others. It is a run like any other:
 * it waits for its turn.
 *
 * The dialect knows it by its id, `restore-` with the time.
 *
 * @example
 * const agent = createAgent({ url, dialect: "open-search", threadId });
 * await loadHistory(agent);
 */
export function loadHistory(agent: Pick<Agent, "submit">): Promise<RunResult> {
  return agent.submit({ runId: `restore-${Date.now()}` });
}

/** A call that waits for an answer. */
export interface PendingTool {
  readonly toolCallId: string;
  readonly name: string;
  /** Whether it is one of the page's tools. The others are the server's, which answers them itself. */
  readonly registered: boolean;
  /** `false` where a server has merged several calls into one. */
  readonly argumentsValidJson: boolean;
  /** `null` where they are not JSON. No arguments at all are `{}`. */
  readonly arguments: JsonObject | null;
}

/**
 * The calls that nobody has answered yet.
 *
 * @example
 * const waiting = pendingFrontendTools(agent.getSnapshot(), ["update_query"]).filter((call) => call.registered);
 */
export function pendingFrontendTools(snapshot: Pick<AgentSnapshot, "toolCalls">, tools: Iterable<string>): PendingTool[] {
  const names = new Set(tools);
  return snapshot.toolCalls
    .filter(({ result, error }) => result === undefined && error === undefined)
    .map(({ id: toolCallId, name, argsText }) => {
      const args = parseJson(argsText.trim() || "{}");
      const valid = typeof args === "object" && args !== null;
      return { toolCallId, name, registered: names.has(name), argumentsValidJson: valid, arguments: valid ? (args as JsonObject) : null };
    });
}

/** The counts of a model. */
export interface ModelUsage {
  readonly model_name: string;
  readonly model_url?: string;
  readonly model_id?: string;
  readonly input_tokens?: number;
  readonly output_tokens?: number;
  readonly total_tokens?: number;
  readonly cache_read_input_tokens?: number;
  readonly cache_creation_input_tokens?: number;
  readonly reasoning_tokens?: number;
  readonly call_count?: number;
}

/** The tokens that the server has counted in a run. */
export interface OpenSearchTokenUsage {
  readonly per_model_usage: readonly ModelUsage[];
  readonly per_turn_usage: readonly (ModelUsage & { readonly turn: number })[];
}

/**
 * The counts that a custom event brings; `undefined` if it is another one. The snapshot's `usage` has them by model and
 * summed. Keep `model_url` out of logs: it is the address of a model's host.
 *
 * @example
 * agent.on("custom", (event) => {
 *   const usage = tokenUsageOf(event);
 *   if (usage) show(usage.per_turn_usage);
 * });
 */
export function tokenUsageOf(event: CustomEventData): OpenSearchTokenUsage | undefined {
  if (event.type !== "custom" || event.name !== "token_usage") return undefined;
  const { per_model_usage, per_turn_usage } = (event.data ?? {}) as Partial<OpenSearchTokenUsage>;
  const list = <Item>(value: readonly Item[] | undefined): readonly Item[] => (Array.isArray(value) ? value : []);
  return { per_model_usage: list(per_model_usage), per_turn_usage: list(per_turn_usage) };
}

/**
 * A tool's result for people: the texts of `{ content: [{ type: "text", text }] }`, as MCP tools answer, one a line; text
 * as it is; anything else as JSON.
 *
 * @example
 * resultText(call.result);
 */
export function resultText(result: unknown): string {
  const value = typeof result === "string" ? (parseJson(result) ?? result) : result;
  const content = (value as { content?: unknown } | null | undefined)?.content;
  if (Array.isArray(content)) {
    const texts = content.map((part: { type?: unknown; text?: unknown } | null) => (part?.type === "text" ? part.text : undefined));
    if (texts.some((text) => typeof text === "string")) return texts.filter((text) => typeof text === "string").join("\n");
  }
  return typeof result === "string" ? result : (JSON.stringify(result) ?? "");
}

/**
 * The reason that `agent.deny()` sends when somebody rejects a call.
 *
 * @example
 * agent.deny(call.id, rejection(call));
 */
export function rejection({ name, args }: Pick<ToolCall, "name" | "args">, message = "The user rejected this tool execution"): string {
  const error = "User rejected the tool execution";
  return JSON.stringify({ success: false, error, userRejected: true, data: { message, toolName: name, args } });
}

/**
 * The arguments of a call that somebody has approved.
 *
 * @example
 * agent.approve(call.id, confirmed(call));
 */
export function confirmed({ args }: Pick<ToolCall, "args">): Record<string, unknown> {
  return { ...args, confirmed: true };
}
