// The adapter that assistant-ui's external store runtime takes, over an agent.

import type { Agent, ThreadInfo, Threads } from "../api/types.js";
import { unfit } from "../turns/checks.js";
import { firstAnswer } from "../turns/turns.js";
import { contentOf, type AppendedMessage, type ThreadMessage } from "./messages.js";

/** The second argument of `useAssistantRuntime`. */
export interface AssistantRuntimeOptions {
  /** The list of threads. It needs `onThread`. */
  readonly threads?: Threads | undefined;
  /** Shows another thread: the page gives the runtime the agent of this id. */
  readonly onThread?: ((threadId: string) => void | Promise<void>) | undefined;
  /** Adapters of assistant-ui: `attachments`, `speech`, `feedback`, … */
  readonly adapters?: object | undefined;
}

/** The calls of the runtime, as calls of the agent. */
export function createCalls(agent: Agent) {
  // How a run went is in the snapshot; a call that makes no sense is the runtime's to report.
  const send = async (message: AppendedMessage, replaces?: string): Promise<void> => {
    if (message.role !== "user") throw unfit(`A message of the role ${message.role} cannot be sent: only those of the user can`);
    const forwardedProps = message.runConfig?.custom;
    const id = replaces !== undefined && { id: replaces };
    await agent.submit({ message: { ...id, content: contentOf(message) }, replaces, ...(forwardedProps && { forwardedProps }) });
  };
  const questionAfter = (parentId: string | null): string | undefined => {
    const { messages } = agent.getSnapshot();
    return messages.slice(messages.findIndex(({ id }) => id === parentId) + 1).find(({ role }) => role === "user")?.id;
  };
  return {
    onNew: (message: AppendedMessage) => send(message),
    onEdit: (message: AppendedMessage) => send(message, message.sourceId ?? questionAfter(message.parentId)),
    onReload: async (parentId: string | null) => {
      const { messages } = agent.getSnapshot();
      const answer = firstAnswer(messages, messages.findIndex(({ id }) => id === parentId) + 1);
      await (answer === undefined ? agent.retry() : agent.regenerate(answer));
    },
    onCancel: () => agent.stop(),
    onDelete: (messageId: string, shown: readonly ThreadMessage[]) => {
      const custom = (shown.find(({ id }) => id === messageId)?.metadata as { custom?: { messageIds?: readonly string[] } } | undefined)?.custom;
      const gone = new Set(custom?.messageIds ?? [messageId]);
      agent.setMessages((messages) => messages.filter(({ id }) => !gone.has(id)));
    },
    onAddToolResult: ({ toolCallId, result, isError }: { readonly toolCallId: string; readonly result: unknown; readonly isError?: boolean }) =>
      agent.addToolResult(isError ? { toolCallId, error: typeof result === "string" ? result : JSON.stringify(result) } : { toolCallId, result }),
    onRespondToToolApproval: ({ approvalId, approved, reason }: { readonly approvalId: string; readonly approved: boolean; readonly reason?: string }) =>
      approved ? agent.approve(approvalId) : agent.deny(approvalId, reason),
  };
}

const itemOf = (status: "regular" | "archived") => ({ threadId, title, metadata }: ThreadInfo) => ({
  id: threadId,
  remoteId: threadId,
  status,
  title,
  custom: metadata,
});

/** The list of threads as assistant-ui has it. */
export function createThreadList({ threads, onThread }: AssistantRuntimeOptions) {
  if (!threads) return undefined;
  if (!onThread) throw unfit("useAssistantRuntime: threads needs onThread, which shows another thread");
  // The runtime compares lists by their identity.
  let last: ReturnType<Threads["getSnapshot"]> | undefined;
  let lists: object = {};
  return (threadId: string) => {
    const snapshot = threads.getSnapshot();
    if (snapshot.threads !== last?.threads || snapshot.archived !== last.archived)
      lists = { threads: snapshot.threads.map(itemOf("regular")), archivedThreads: snapshot.archived.map(itemOf("archived")) };
    last = snapshot;
    return {
      threadId,
      isLoading: snapshot.status === "loading",
      ...lists,
      onSwitchToThread: onThread,
      onSwitchToNewThread: async () => onThread((await threads.create()).threadId),
      onRename: threads.rename,
      onArchive: (id: string) => threads.archive(id),
      onUnarchive: (id: string) => threads.archive(id, false),
      onDelete: threads.delete,
    };
  };
}
