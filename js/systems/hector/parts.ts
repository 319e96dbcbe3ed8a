// Parts of messages of version 1: how they are made, and what their metadata says.

import { isObject, parseJson } from "../../base/json.js";
import { uuid } from "../../base/uuid.js";
import { string, toObject } from "./json.js";

/** A part of a message of version 1. */
export interface Part {
  readonly text?: string | undefined;
  readonly data?: { readonly data?: Readonly<Record<string, unknown>> | undefined } | undefined;
  readonly file?: Readonly<Record<string, unknown>> | undefined;
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
}

/** A call that a part describes. */
export interface PartToolCall {
  readonly id: string;
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** A result that a part describes. `error` is empty where there is none. */
export interface PartToolResult {
  readonly toolCallId: string;
  readonly content: string;
  readonly error: string;
  readonly success: boolean;
}

/**
 * Whether a part is of the agent's thinking.
 *
 * @example
 * isThinkingPart({ text: "Hm", metadata: { event_type: "thinking" } }); // true
 */
export function isThinkingPart(part: Part | null | undefined): boolean {
  return getEventType(part) === "thinking" || getBlockType(part) === "thinking";
}

/**
 * The texts of all parts but those of thinking, a line each, as Hector's documents have it: a part without text is an empty line.
 *
 * @example
 * extractText([{ text: "a" }, { data: {} }, { text: "b" }]); // "a\n\nb"
 */
export function extractText(parts: readonly Part[]): string {
  return parts.filter((part) => !isThinkingPart(part)).map(textOf).join("\n");
}

/**
 * The same without empty lines for parts that have no text.
 *
 * @example
 * extractTextCompact([{ text: "a" }, { data: {} }, { text: "b" }]); // "a\nb"
 */
export function extractTextCompact(parts: readonly Part[]): string {
  return parts.filter((part) => !isThinkingPart(part)).map(textOf).filter(Boolean).join("\n");
}

/**
 * The texts of the parts of thinking, a line each.
 *
 * @example
 * extractThinking([{ text: "Hm", metadata: { block_type: "thinking" } }, { text: "a" }]); // "Hm"
 */
export function extractThinking(parts: readonly Part[]): string {
  return parts.filter(isThinkingPart).map(textOf).join("\n");
}

/**
 * The calls that parts describe.
 *
 * @example
 * extractToolCalls([{ data: { data: { id: "c", name: "n" } }, metadata: { event_type: "tool_call" } }]);
 * // [{ id: "c", name: "n", args: {} }]
 */
export function extractToolCalls(parts: readonly Part[]): PartToolCall[] {
  return parts.filter((part) => isTool(part) && getIsError(part) === undefined).map((part) => {
    const data = dataOf(part);
    const id = tag(part, "tool_call_id") || string(data["id"]);
    const name = tag(part, "tool_name") || string(data["name"]);
    return { id, name, args: toArgs(data["arguments"] ?? data["input"]) };
  });
}

/**
 * The results that parts describe, all that a tool repeats while its result grows: the last one counts.
 *
 * @example
 * const part = { data: { data: { tool_call_id: "c", content: "12 °C" } }, metadata: { event_type: "tool_call", is_error: false } };
 * extractToolResults([part]); // [{ toolCallId: "c", content: "12 °C", error: "", success: true }]
 */
export function extractToolResults(parts: readonly Part[]): PartToolResult[] {
  return parts.filter((part) => isTool(part) && getIsError(part) !== undefined).map((part) => {
    const data = dataOf(part);
    const error = string(data["error"]);
    const toolCallId = tag(part, "tool_call_id") || string(data["tool_call_id"]);
    return { toolCallId, content: string(data["content"]), error, success: !getIsError(part) && !error };
  });
}

/**
 * The kind of a part's event, under any name that Hector has given to that member. Empty if it is absent.
 *
 * @example
 * getEventType({ text: "", metadata: { agui_event_type: "thinking" } }); // "thinking"
 */
export function getEventType(part: Part | null | undefined): string {
  return tag(part, "event_type") || tag(part, "part_type");
}

/**
 * The block that a part belongs to. Empty: it does not say.
 *
 * @example
 * getBlockId({ text: "a", metadata: { block_id: "b1" } }); // "b1"
 */
export function getBlockId(part: Part | null | undefined): string {
  return tag(part, "block_id");
}

/**
 * The content of a part's block. Empty if it is absent.
 *
 * @example
 * getBlockType({ text: "a", metadata: { block_type: "code" } }); // "code"
 */
export function getBlockType(part: Part | null | undefined): string {
  return tag(part, "block_type");
}

/**
 * The place of a part's block within its message, from 0. `undefined`: it does not say.
 *
 * @example
 * getBlockIndex({ text: "a", metadata: { agui_block_index: 2 } }); // 2
 */
export function getBlockIndex(part: Part | null | undefined): number | undefined {
  const index = member(part, "block_index");
  return typeof index === "number" ? index : undefined;
}

/**
 * The call that a part belongs to. Empty: it does not say.
 *
 * @example
 * getToolCallId({ metadata: { tool_call_id: "c" } }); // "c"
 */
export function getToolCallId(part: Part | null | undefined): string {
  return tag(part, "tool_call_id");
}

/**
 * The tool that a part calls. Empty: it does not say.
 *
 * @example
 * getToolName({ metadata: { tool_name: "search" } }); // "search"
 */
export function getToolName(part: Part | null | undefined): string {
  return tag(part, "tool_name");
}

/**
 * Whether a result is one of failure. `undefined`: the part is no result.
 *
 * @example
 * getIsError({ metadata: { is_error: false } }); // false
 */
export function getIsError(part: Part | null | undefined): boolean | undefined {
  const error = member(part, "is_error");
  return typeof error === "boolean" ? error : undefined;
}

/**
 * A part with text, as a block of its own. `blockId`: default a random UUID.
 *
 * @example
 * createTextPart("Hello", "b1", 0);
 * // { text: "Hello", metadata: { agui_event_type: "content_block", agui_block_type: "text", agui_block_id: "b1", agui_block_index: 0 } }
 */
export function createTextPart(text: string, blockId = "", blockIndex = 0): Part {
  return { text, metadata: blockOf("content_block", "text", blockId, blockIndex) };
}

/**
 * A part with the agent's thinking, as a block of its own. `blockId`: default a random UUID.
 *
 * @example
 * isThinkingPart(createThinkingPart("Let me see")); // true
 */
export function createThinkingPart(text: string, blockId = "", blockIndex = 0): Part {
  return { text, metadata: blockOf("thinking", "thinking", blockId, blockIndex) };
}

/** A call, for {@link createToolCallPart}. */
export interface ToolCallInput {
  readonly id: string;
  readonly name: string;
  readonly args?: Readonly<Record<string, unknown>> | undefined;
}

/**
 * A part with a tool call.
 *
 * @example
 * extractToolCalls([createToolCallPart({ id: "c", name: "search", args: { q: "a" } })]); // [{ id: "c", name: "search", args: { q: "a" } }]
 */
export function createToolCallPart({ id, name, args = {} }: ToolCallInput): Part {
  return {
    data: { data: { id, name, arguments: args } },
    metadata: { agui_event_type: "tool_call", agui_tool_call_id: id, agui_tool_name: name },
  };
}

/** A result, for {@link createToolResultPart}. */
export interface ToolResultInput {
  readonly toolCallId: string;
  readonly content: string;
  /** The message of a failed call. Default: empty, for a result of success. */
  readonly error?: string | undefined;
}

/**
 * A part with the result of a tool call: one with an `error` is a failure.
 *
 * @example
 * getIsError(createToolResultPart({ toolCallId: "c", content: "12 °C" })); // false
 */
export function createToolResultPart({ toolCallId, content, error = "" }: ToolResultInput): Part {
  return {
    data: { data: { tool_call_id: toolCallId, content, error } },
    metadata: { agui_event_type: "tool_call", agui_tool_call_id: toolCallId, agui_is_error: error !== "" },
  };
}

function blockOf(event: string, block: string, id: string, index: number): Readonly<Record<string, unknown>> {
  return { agui_event_type: event, agui_block_type: block, agui_block_id: id || uuid(), agui_block_index: index };
}

function tag(part: Part | null | undefined, name: string): string {
  return string(member(part, name));
}

function member(part: Part | null | undefined, name: string): unknown {
  const members = toObject(toObject(part).metadata);
  const [plain, prefixed] = [name, `agui_${name}`].map((key) => (Object.hasOwn(members, key) ? members[key] : undefined));
  return plain ?? prefixed;
}

/** The text of a part, or of its thinking. @internal */
export function textOf(part: Part): string {
  return string(toObject(part).text) || (isThinkingPart(part) ? string(dataOf(part)["text"]) : "");
}

function dataOf(part: Part): Record<string, unknown> {
  const outer = toObject(toObject(part).data);
  return isObject(outer["data"]) ? outer["data"] : outer;
}

function isTool(part: Part): boolean {
  return getEventType(part) === "tool_call";
}

/** Arguments, which older parts have as a text. */
const toArgs = (value: unknown): Record<string, unknown> => toObject(typeof value === "string" ? parseJson(value) : value);
