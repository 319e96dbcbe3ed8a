// A thread as UIMessages, and the messages of a person in both forms.

import type { FileUIPart, TextUIPart, UIMessage } from "ai";
import type { AgentSnapshot, ContentPart, Interrupt, ToolCall, UserMessage } from "../api/types.js";
import { contentOfParts, fileOf, partOf } from "../turns/media.js";
import { splitTurns, turnOf, type Piece, type ChatThread } from "../turns/turns.js";

/**
 * The thread as messages of the AI SDK: one for each message of a person, and one for all that the agent said in answer to it.
 * Takes a snapshot. Reasoning, text and calls keep their order; activities are parts `data-<activityType>`, open interrupts
 * `data-interrupt` at the end. A call that the
 * agent or the page's `execute` has answered is `providerExecuted`, so that the SDK does not ask for it again.
 *
 * @example
 * const chat = useChat({ messages: toUIMessages(agent.getSnapshot()), transport: toChatTransport(agent), resume: true });
 */
export function toUIMessages(thread: ChatThread & Partial<Pick<AgentSnapshot, "interrupts">>): UIMessage[] {
  const { messages, toolCalls, interrupts = [] } = thread;
  const all: UIMessage[] = [];
  for (const turn of splitTurns(messages)) {
    const message = turn[0]!;
    const { id, role } = message;
    if (role === "user") all.push({ id, role, parts: partsOf(message) });
    else if (role === "system" || role === "developer") all.push({ id, role: "system", parts: [{ type: "text", text: message.content }] });
    else {
      const { id: turnId, pieces } = turnOf(turn, toolCalls);
      if (turnId !== undefined) all.push({ id: turnId, role: "assistant", parts: [{ type: "step-start" }, ...pieces.map(toPart)] });
    }
  }
  const last = all.at(-1);
  if (last?.role === "assistant") last.parts.push(...interrupts.map(interruptPart));
  return all;
}

const interruptPart = (interrupt: Interrupt) => ({ type: "data-interrupt" as const, id: interrupt.id, data: interrupt });

function toPart(piece: Piece): UIMessage["parts"][number] {
  if (piece.type === "data") return { type: `data-${piece.name}`, id: piece.key, data: piece.data };
  if (piece.type !== "call") {
    const state = piece.done ? "done" : "streaming";
    const { type, text, key } = piece;
    return type === "text" ? { type, text, state } : ({ type, id: key, text, state } as UIMessage["parts"][number]);
  }
  return callPart(piece.call) as UIMessage["parts"][number];
}

function callPart(call: ToolCall): object {
  const base = { type: `tool-${call.name}`, toolCallId: call.id, input: call.args };
  switch (call.phase) {
    case "input-streaming":
      return { ...base, state: "input-streaming" };
    case "awaiting-approval":
      return { ...base, state: "approval-requested", approval: { id: call.id } };
    case "output-available":
      return { ...base, state: "output-available", output: call.result, providerExecuted: true };
    case "output-error":
      return { ...base, state: "output-error", errorText: call.error ?? "", providerExecuted: true };
    case "denied":
      return { ...base, state: "output-denied", approval: { id: call.id, approved: false } };
    default:
      return { ...base, state: "input-available" };
  }
}

/** The parts of what a person said. */
function partsOf({ content }: UserMessage): (TextUIPart | FileUIPart)[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  return content.flatMap((part): (TextUIPart | FileUIPart)[] => {
    if (part.type === "text") return [{ type: "text", text: part.text }];
    const file = fileOf(part);
    return file ? [{ type: "file", ...file } as FileUIPart] : [];
  });
}

/** A message of the person as the content of an AG-UI message: a string, or parts where there are files. */
export function contentOf({ parts }: UIMessage): UserMessage["content"] {
  return contentOfParts(
    parts.flatMap((part): ContentPart[] => {
      if (part.type === "text") return [{ type: "text", text: part.text }];
      return part.type === "file" ? [partOf({ ...part, mediaType: part.mediaType ?? "", url: part.url ?? "" })] : [];
    }),
  ) as UserMessage["content"];
}
