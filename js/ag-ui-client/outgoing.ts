// What a request may say: AG-UI's members, and no `null` for what is absent.

import type { Message, RunAgentInput } from "@ag-ui/core";
import { described } from "./thread.js";

/** The input as it is sent. Members that AG-UI does not describe stay in the page. */
export function toOutgoing(input: RunAgentInput): RunAgentInput {
  return Array.isArray(input.messages) ? { ...input, messages: input.messages.map(toOutgoingMessage) } : input;
}

function toOutgoingMessage(message: Message): Message {
  const members = Object.entries(message);
  const sent = members.filter(([key, value]) => described.has(key) && !(key === "subagentRunId" && value === null));
  return sent.length === members.length ? message : (Object.fromEntries(sent) as unknown as Message);
}
