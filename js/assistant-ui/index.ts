"use client";
// assistant-ui over an agent. Loads no WebAssembly.

import * as peer from "@assistant-ui/react";
import type { AssistantRuntime } from "@assistant-ui/react";
import { useMemo, useSyncExternalStore } from "react";
import { AgentError } from "../api/error.js";
import type { Agent } from "../api/types.js";
import { useAgentSelector } from "../bindings/react.js";
import { asAgent } from "../turns/checks.js";
import { isBusy } from "../turns/turns.js";
import { createCalls, createThreadList, type AssistantRuntimeOptions } from "./adapter.js";
import { createMessages } from "./messages.js";

export type { AssistantRuntimeOptions } from "./adapter.js";
export { toAttachmentAdapter, type AttachmentFiles } from "./attachments.js";

// The runtime converts again what another function would.
const convertMessage = (message: unknown): unknown => message;
const never = () => () => {};
const nothing = () => undefined;

/**
 * A runtime of assistant-ui for an agent, over its external store runtime. Messages, runs, edits, tool results, approvals and the list of
 * threads are the agent's. An error that throws is an {@link AgentError} of the code `peer`, where another version of
 * `@assistant-ui/react` is installed, or `input`.
 *
 * @example
 * const runtime = useAssistantRuntime(agent);
 * return <AssistantRuntimeProvider runtime={runtime}><Thread /></AssistantRuntimeProvider>;
 */
export function useAssistantRuntime<State>(chatAgent: Agent<State>, options: AssistantRuntimeOptions = {}): AssistantRuntime {
  const agent = asAgent("useAssistantRuntime()", chatAgent);
  const { useExternalStoreRuntime } = peer;
  if (typeof useExternalStoreRuntime !== "function") {
    throw new AgentError({
      kind: "unsupported",
      code: "peer",
      message: "ag-ui-wasm/assistant-ui is made for version 0.15 of @assistant-ui/react, which exports useExternalStoreRuntime: install it",
    });
  }
  const { threads, onThread, adapters } = options;
  const calls = useMemo(() => createCalls(agent), [agent]);
  const toMessages = useMemo(createMessages, [agent]);
  const threadList = useMemo(() => createThreadList({ threads, onThread }), [threads, onThread]);
  const snapshot = useAgentSelector(agent, (whole) => whole);
  const list = useSyncExternalStore(threads?.subscribe ?? never, threads?.getSnapshot ?? nothing, threads?.getSnapshot ?? nothing);
  const store = useMemo(() => {
    const messages = toMessages(snapshot);
    return {
      ...calls,
      messages,
      convertMessage,
      isRunning: isBusy(snapshot),
      state: snapshot.state,
      onDelete: (messageId: string) => calls.onDelete(messageId, messages),
      adapters: { ...adapters, ...(threadList && { threadList: threadList(snapshot.threadId) }) },
    };
  }, [calls, toMessages, snapshot, list, threadList, adapters]);
  return useExternalStoreRuntime(store as never);
}
