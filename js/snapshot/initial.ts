// The snapshot before the core is there: what a server renders, and what the core starts from.

import type { AgentSnapshot, AssistantMessage, Message, ToolCall } from "../api/types.js";

/** The error of a call that was open when its run ended. */
export const unanswered = "The run ended before the call was answered.";

/** The thread of an agent that opens none. */
export const localThread: AgentSnapshot["thread"] = { status: "ready", hasOlder: false };

/** No connection is open. */
export const closed = { phase: "closed", attempt: 0 } as const;

/** The snapshot of a thread in which nothing has happened yet. */
export function initialSnapshot<State>(
  threadId: string,
  messages: readonly Message[] = [],
  state?: State,
  thread = localThread,
): AgentSnapshot<State> {
  return {
    threadId,
    thread,
    runId: undefined,
    status: "idle",
    isLoading: false,
    error: undefined,
    messages: messages.map(settle),
    toolCalls: toolCallsOf(messages),
    state: state ?? ({} as State),
    outcome: undefined,
    interrupts: [],
    subagents: [],
    steps: [],
    usage: [],
    timing: undefined,
    queue: [],
    connection: closed,
  };
}

/** The snapshot as that of a thread with this id. */
export const ofThread = <State>(first: AgentSnapshot<State>, threadId: string): AgentSnapshot<State> =>
  threadId === first.threadId ? first : { ...first, threadId };

/** The calls of a message. */
export const callsOf = (message: Message): NonNullable<AssistantMessage["toolCalls"]> => (message.role === "assistant" && message.toolCalls) || [];

/** The message with what the snapshot adds. Nothing streams into a thread at rest, so a saved stream was cut off. */
export function settle(message: Message): Message {
  const { delivery } = message;
  const calls = callsOf(message);
  // A message that is as in the snapshot stays the same object.
  if (delivery && delivery !== "streaming" && (!calls.length || "toolCallIds" in message)) return message;
  return {
    ...message,
    ...(calls.length && { toolCallIds: calls.map(({ id }) => id) }),
    delivery: delivery === "streaming" ? "aborted" : (delivery ?? "complete"),
  };
}

/** The calls of assistant messages, each with the first result that the thread holds for it. */
export function toolCallsOf(messages: readonly Message[]): ToolCall[] {
  // The first of several is the last to be put in.
  const results = new Map(messages.flatMap((message) => (message.role === "tool" ? [[message.toolCallId, message] as const] : [])).reverse());
  return messages.flatMap((message) =>
    callsOf(message).map(({ id, function: { name, arguments: argsText } = {} as never }) => {
      const answer = results.get(id);
      const failed = answer?.error !== undefined;
      return {
        id,
        name,
        args: parse(argsText, {}) as ToolCall["args"],
        argsText,
        status: failed ? "error" : "complete",
        phase: failed ? "output-error" : answer ? "output-available" : "input-available",
        ...(answer && { result: parse(answer.content, answer.content) }),
        ...(failed && { error: answer.error! }),
        messageId: message.id,
        ...(message.subagentRunId !== undefined && { subagentRunId: message.subagentRunId }),
      };
    })
  );
}

function parse(text: unknown, otherwise: unknown): unknown {
  try {
    return typeof text === "string" ? JSON.parse(text) : otherwise;
  } catch {
    return otherwise;
  }
}
