// A turn of the thread: all that the agent said in answer to one message, as the chats of other libraries show it.

import type { AgentSnapshot, Message, ToolCall } from "../api/types.js";

/** A part of a turn, before it takes the form of a library. `key` names it within its turn. */
export type Piece =
  | { readonly key: string; readonly type: "text" | "reasoning"; readonly text: string; readonly done: boolean }
  | { readonly key: string; readonly type: "call"; readonly call: ToolCall }
  | { readonly key: string; readonly type: "data"; readonly name: string; readonly data: unknown };

/** An answer of the agent to one question. */
export interface Turn {
  /** Of its first message. */
  readonly id: string | undefined;
  readonly pieces: readonly Piece[];
}

/** The part of a snapshot that a chat shows. */
export type ChatThread = Pick<AgentSnapshot, "messages" | "toolCalls">;

/** Where the last question stands, or the last with an id; -1, where there is none. */
function findQuestion(messages: readonly Message[], wanted?: string): number {
  let at = messages.length - 1;
  while (at >= 0 && (messages[at]!.role !== "user" || (wanted ?? messages[at]!.id) !== messages[at]!.id)) at--;
  return at;
}

/** The id of the last question. */
export const lastQuestion = ({ messages }: ChatThread): string | undefined => messages[findQuestion(messages)]?.id;

/** Whether the thread has that question. */
export const hasQuestion = ({ messages }: ChatThread, id: string): boolean => findQuestion(messages, id) >= 0;

/** The turn after a question, up to the next one. */
export function turnAfter(thread: ChatThread, questionId: string | undefined): Turn {
  const { messages } = thread;
  const start = findQuestion(messages, questionId);
  if (start < 0 && questionId !== undefined) return { id: undefined, pieces: [] };
  const end = messages.findIndex(({ role }, at) => at > start && role === "user");
  return turnOf(messages.slice(start + 1, end < 0 ? undefined : end), thread.toolCalls);
}

/** Makes a turn of consecutive messages, none of which a person wrote. */
export function turnOf(messages: readonly Message[], toolCalls: readonly ToolCall[]): Turn {
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

/** Splits a thread: each message of a person, and of the system, for itself, and what the agent said in between together. */
export function splitTurns(messages: readonly Message[]): (readonly Message[])[] {
  const all: Message[][] = [];
  let turn: Message[] | undefined;
  for (const message of messages) {
    const { role } = message;
    const isAgents = role !== "user" && role !== "system" && role !== "developer";
    if (isAgents && turn) turn.push(message);
    else all.push(turn = [message]);
    if (!isAgents) turn = undefined;
  }
  return all;
}

/** The message from which the answer to a question is regenerated; none, where there is none. */
export function firstAnswer(messages: readonly Message[], start: number): string | undefined {
  const answer = messages.slice(start).find(({ role }) => role !== "reasoning" && role !== "activity" && role !== "tool");
  return answer?.role === "assistant" ? answer.id : undefined;
}

/** Whether a call waits for a person or the page. */
export const isUnanswered = ({ phase }: ToolCall): boolean => phase === "input-available" || phase === "input-streaming" || phase === "awaiting-approval";

/** Whether something is under way: a run, or a tool of the page. */
export const isBusy = ({ isLoading, queue, toolCalls }: AgentSnapshot): boolean =>
  isLoading || queue.length > 0 || toolCalls.some(({ phase }) => phase === "executing");
