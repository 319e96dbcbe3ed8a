// The snapshot before the core is there: what a server renders, and what the core starts from.

import type { AgentSnapshot, AssistantMessage, Message, ToolCall, ToolMessage } from "./types.js";

const idle = { phase: "closed", attempt: 0 } as const;

/** The snapshot of a thread in which nothing has happened yet. */
export function initialSnapshot<State>(
  threadId: string,
  messages: readonly Message[] = [],
  state?: State,
): AgentSnapshot<State> {
  return {
    threadId,
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
    connection: idle,
  };
}

/** The message with its delivery. Nothing streams into a thread at rest, so a saved stream was cut off. */
function settle(message: Message): Message {
  const { delivery } = message;
  if (delivery && delivery !== "streaming") return message;
  return { ...message, delivery: delivery ? "aborted" : "complete" };
}

/** The calls of assistant messages, each with the first result that the thread holds for it. */
export function toolCallsOf(messages: readonly Message[]): ToolCall[] {
  const results = new Map<string, ToolMessage>();
  const callers: AssistantMessage[] = [];
  for (const message of messages) {
    if (message.role === "tool" && !results.has(message.toolCallId)) results.set(message.toolCallId, message);
    if (message.role === "assistant" && message.toolCalls) callers.push(message);
  }
  return callers.flatMap((message) =>
    message.toolCalls!.map(({ id, function: { name, arguments: argsText } }) => {
      const answer = results.get(id);
      const failed = answer?.error !== undefined;
      return {
        id,
        name,
        args: parseArgs(argsText),
        argsText,
        status: failed ? "error" : answer ? "complete" : "running",
        phase: failed ? "output-error" : answer ? "output-available" : "input-available",
        ...(answer && { result: answer.content }),
        ...(failed && { error: answer.error! }),
        messageId: message.id,
        ...(message.subagentRunId !== undefined && { subagentRunId: message.subagentRunId }),
      };
    }),
  );
}

function parseArgs(text: string): ToolCall["args"] {
  try {
    const args: unknown = JSON.parse(text);
    return typeof args === "object" && args ? (args as ToolCall["args"]) : {};
  } catch {
    return {};
  }
}
