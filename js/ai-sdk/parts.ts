// A turn of the thread as the parts of one UIMessage, and the messages of a person in both forms.

import type { FileUIPart, TextUIPart, UIMessage } from "ai";
import type { AgentSnapshot, ContentPart, Interrupt, Message, ToolCall, UserMessage } from "../api/types.js";

/** A part of a turn before it takes the form of chunks or of a UIMessage. `key` names it within its turn. */
export type Piece =
  | { readonly key: string; readonly type: "text" | "reasoning"; readonly text: string; readonly done: boolean }
  | { readonly key: string; readonly type: "call"; readonly call: ToolCall }
  | { readonly key: string; readonly type: "data"; readonly name: string; readonly data: unknown };

/** What the agent said in answer to a question. */
export interface Turn {
  /** Of its first message. */
  readonly id: string | undefined;
  readonly pieces: readonly Piece[];
}

type Thread = Pick<AgentSnapshot, "messages" | "toolCalls">;

/** Where the last question stands, or the last with an id; -1, where there is none. */
function findQuestion(messages: readonly Message[], wanted?: string): number {
  let at = messages.length - 1;
  while (at >= 0 && (messages[at]!.role !== "user" || (wanted ?? messages[at]!.id) !== messages[at]!.id)) at--;
  return at;
}

/** The id of the last question. */
export const lastQuestion = ({ messages }: Thread): string | undefined => messages[findQuestion(messages)]?.id;

/** The turn after a question, up to the next one. */
export function turnAfter(thread: Thread, question: string | undefined): Turn {
  const { messages } = thread;
  const start = findQuestion(messages, question);
  if (start < 0 && question !== undefined) return { id: undefined, pieces: [] };
  const end = messages.findIndex(({ role }, at) => at > start && role === "user");
  return turnOf(messages.slice(start + 1, end < 0 ? undefined : end), thread.toolCalls);
}

function turnOf(messages: readonly Message[], toolCalls: readonly ToolCall[]): Turn {
  const calls = callsOf(messages, toolCalls);
  const pieces: Piece[] = [];
  let first: string | undefined;
  for (const message of messages) {
    const before = pieces.length;
    piecesOf(message, calls, pieces);
    if (pieces.length > before) first ??= message.id;
  }
  return { id: first, pieces };
}

/** The calls of these messages by their ids. They stand at the end of the list, but for a turn in the middle of the thread. */
function callsOf(messages: readonly Message[], toolCalls: readonly ToolCall[]): ReadonlyMap<string, ToolCall> {
  const wanted = new Set(messages.flatMap((message) => (message.role === "assistant" ? (message.toolCallIds ?? []) : [])));
  const calls = new Map<string, ToolCall>();
  for (let at = toolCalls.length - 1; at >= 0 && calls.size < wanted.size; at--) {
    const call = toolCalls[at]!;
    if (wanted.has(call.id)) calls.set(call.id, call);
  }
  return calls;
}

function piecesOf(message: Message, calls: ReadonlyMap<string, ToolCall>, pieces: Piece[]): void {
  const { id, role } = message;
  const ended = message.delivery !== "streaming";
  if (role === "reasoning") pieces.push({ key: id, type: "reasoning", text: message.content, done: ended });
  if (role === "activity") pieces.push({ key: id, type: "data", name: message.activityType, data: message.content });
  if (role !== "assistant") return;
  const { content, reasoning, toolCallIds = [] } = message;
  if (reasoning) pieces.push({ key: `${id} reasoning`, type: "reasoning", text: reasoning, done: ended || !!content || toolCallIds.length > 0 });
  if (content) pieces.push({ key: id, type: "text", text: content, done: ended });
  for (const callId of toolCallIds) {
    const call = calls.get(callId);
    if (call) pieces.push({ key: `call ${callId}`, type: "call", call });
  }
}

/**
 * The thread as messages of the AI SDK: one for each message of a person, and one for all that the agent said in answer to it.
 * Takes a snapshot. Reasoning, text and calls keep their order; activities are parts `data-<activityType>`, open interrupts
 * `data-interrupt` at the end. A call that the
 * agent or the page's `execute` has answered is `providerExecuted`, so that the SDK does not ask for it again.
 *
 * @example
 * const chat = useChat({ messages: toUIMessages(agent.getSnapshot()), transport: toChatTransport(agent), resume: true });
 */
export function toUIMessages(thread: Thread & Partial<Pick<AgentSnapshot, "interrupts">>): UIMessage[] {
  const { messages, toolCalls, interrupts = [] } = thread;
  const all: UIMessage[] = [];
  let turn: Message[] = [];
  const close = (): void => {
    const { id, pieces } = turnOf(turn, toolCalls);
    turn = [];
    if (id !== undefined) all.push({ id, role: "assistant", parts: [{ type: "step-start" }, ...pieces.map(toPart)] });
  };
  for (const message of messages) {
    const { id, role } = message;
    if (role !== "user" && role !== "system" && role !== "developer") {
      turn.push(message);
      continue;
    }
    close();
    if (role === "user") all.push({ id, role, parts: partsOf(message) });
    else all.push({ id, role: "system", parts: [{ type: "text", text: message.content }] });
  }
  close();
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

const filename = (metadata: unknown): string | undefined => {
  const name = (metadata as { filename?: unknown } | null | undefined)?.filename;
  return typeof name === "string" ? name : undefined;
};

/** The parts of what a person said. A file that only a provider can read has no address, and is left out. */
function partsOf({ content }: UserMessage): (TextUIPart | FileUIPart)[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  return content.flatMap((part): (TextUIPart | FileUIPart)[] => {
    if (part.type === "text") return [{ type: "text", text: part.text }];
    const { source, metadata } = part;
    // A server may send parts that no version of AG-UI has.
    if (source?.type !== "data" && source?.type !== "url") return [];
    const mediaType = source.mimeType ?? (part.type === "document" ? "application/octet-stream" : `${part.type}/*`);
    const url = source.type === "data" ? `data:${mediaType};base64,${source.value}` : source.value;
    const name = filename(metadata);
    return [{ type: "file", mediaType, url, ...(name !== undefined && { filename: name }) }];
  });
}

/** What a person said, as the content of an AG-UI message: a text, or parts where there are files. */
export function contentOf({ parts }: UIMessage): UserMessage["content"] {
  const content = parts.flatMap((part): ContentPart[] => {
    if (part.type === "text") return [{ type: "text", text: part.text }];
    return part.type === "file" ? [mediaOf(part)] : [];
  });
  const texts = content.flatMap((part) => (part.type === "text" ? [part.text] : []));
  return texts.length === content.length ? texts.join("\n") : content;
}

function mediaOf({ mediaType = "", url = "", filename }: FileUIPart): ContentPart {
  const kind = (["image", "audio", "video"] as const).find((kind) => mediaType.startsWith(`${kind}/`)) ?? "document";
  const data = /^data:([^;,]*)(?:;[^,]*)?;base64,/.exec(url);
  const mimeType = !mediaType || mediaType.endsWith("/*") ? undefined : mediaType;
  return {
    type: kind,
    source: data
      ? { type: "data", value: url.slice(data[0].length), mimeType: mimeType ?? (data[1] || "application/octet-stream") }
      : { type: "url", value: url, ...(mimeType !== undefined && { mimeType }) },
    ...(filename !== undefined && { metadata: { filename } }),
  };
}
