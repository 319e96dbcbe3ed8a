// Code that the pages share: the agent, the transport, and the options of a chat.

import { lastAssistantMessageIsCompleteWithApprovalResponses, lastAssistantMessageIsCompleteWithToolCalls } from "ai";
import { createAgent, localStorageStore, tool } from "ag-ui-wasm";
import { loadUIMessages, toChatTransport } from "ag-ui-wasm/ai-sdk";

const parameters = { type: "object" };
const store = localStorageStore(location.pathname);
export const agent = createAgent({
  url: "/agent",
  threadId: location.pathname,
  persist: store,
  saving: { everyMs: 1 },
  resume: { by: "last-event-id", url: (runId) => `/runs/${runId}` },
  tools: [
    tool({ name: "color", description: "Asks for a color", parameters }),
    tool({ name: "pay", description: "Pays", parameters, needsApproval: true, execute: () => "paid" }),
  ],
});
globalThis.agent = agent;

/** The chat of the page, which answers calls. */
export const current = {};

/** The chat's options, once the thread of an earlier visit is there. */
export const chatOptions = async () => ({
  messages: await loadUIMessages(agent, store),
  transport: toChatTransport(agent),
  sendAutomaticallyWhen: (chat) => lastAssistantMessageIsCompleteWithToolCalls(chat) || lastAssistantMessageIsCompleteWithApprovalResponses(chat),
  onToolCall({ toolCall: { toolName, toolCallId, input } }) {
    if (toolName === "color") void current.chat.addToolOutput({ tool: toolName, toolCallId, output: { of: input.of, is: "blue" } });
  },
});

/** The line for a part that is not text. */
export function lineOf(part) {
  if (part.type === "reasoning") return `reasoning: ${part.text}`;
  if (part.type === "file") return `file: ${part.filename} ${part.mediaType}`;
  if (part.type.startsWith("tool-")) return `${part.type}: ${part.state} ${JSON.stringify(part.input)} ${JSON.stringify(part.output)}`;
  if (part.type.startsWith("data-")) return `${part.type}: ${JSON.stringify(part.data)}`;
  return "";
}

/** The buttons under the thread: what each does with a chat. */
export const actions = {
  again: ({ regenerate }) => regenerate(),
  edit: ({ messages, sendMessage }) => sendMessage({ text: "edited", messageId: messages.findLast(({ role }) => role === "user").id }),
  file: ({ sendMessage }) =>
    sendMessage({ text: "look", files: [{ type: "file", mediaType: "image/png", url: "data:image/png;base64,QQ==", filename: "a.png" }] }),
  answer: ({ sendMessage }) => sendMessage(undefined, { body: { resume: { i: { payload: "yes" } } } }),
  approve: ({ messages, addToolApprovalResponse }) => {
    const { approval } = messages.at(-1).parts.find(({ state }) => state === "approval-requested");
    return addToolApprovalResponse({ id: approval.id, approved: true });
  },
};
