// Reduces a request to AG-UI's members, without a `null` for an absent one.

import type { Message, RunAgentInput, ToolCall } from "@ag-ui/core";
import { toModernContent } from "./media.js";
import { described } from "./thread.js";

const ofTools = new Set(["name", "description", "parameters", "metadata"]);
const ofContext = new Set(["description", "value"]);
const ofCalls = new Set(["id", "type", "function", "encryptedValue", "metadata"]);
const ofFunctions = new Set(["name", "arguments"]);

/** The input as it is sent. Members that AG-UI does not describe stay in the page. */
export function toOutgoing(input: RunAgentInput): RunAgentInput {
  const { messages, tools, context } = input;
  const sent = { ...input };
  if (Array.isArray(messages)) sent.messages = messages.map(toOutgoingMessage);
  if (Array.isArray(tools)) sent.tools = tools.map((tool) => only(tool, ofTools));
  if (Array.isArray(context)) sent.context = context.map((entry) => only(entry, ofContext));
  return sent;
}

function toOutgoingMessage(original: Message): Message {
  const message = only(toModernContent(original), described);
  if (message.role !== "assistant" || !Array.isArray(message.toolCalls)) return message;
  return { ...message, toolCalls: message.toolCalls.map(toOutgoingCall) };
}

function toOutgoingCall(call: ToolCall): ToolCall {
  const sent = only(call, ofCalls);
  return sent.function ? { ...sent, function: only(sent.function, ofFunctions) } : sent;
}

/** The members that are described; the value itself where it has no others. */
function only<Value extends object>(value: Value, names: ReadonlySet<string>): Value {
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value);
  const sent = members.filter(([key, member]) => names.has(key) && !(key === "subagentRunId" && member === null));
  return sent.length === members.length ? value : (Object.fromEntries(sent) as Value);
}

/** Takes tags that are `null` off these messages: `null` is no tag. */
export function withoutNullTags(messages: Message[]): Message[] {
  for (const message of messages as { subagentRunId?: string | null }[]) {
    if (message.subagentRunId === null) delete message.subagentRunId;
  }
  return messages;
}
