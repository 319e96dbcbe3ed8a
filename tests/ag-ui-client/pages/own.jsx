// A thread of assistant-ui over an agent of createAgent.

import { AssistantRuntimeProvider, ComposerPrimitive, MessagePrimitive, SimpleImageAttachmentAdapter, ThreadListItemPrimitive, ThreadListPrimitive, ThreadPrimitive } from "@assistant-ui/react";
import { createAgent, tool } from "ag-ui-wasm";
import { useAssistantRuntime } from "ag-ui-wasm/assistant-ui";
import { createThreads } from "ag-ui-wasm/threads";
import { useState } from "react";
import { createRoot } from "react-dom/client";

const parameters = { type: "object" };
const tools = [
  tool({ name: "color", description: "Asks for a color", parameters }),
  tool({ name: "pay", description: "Pays", parameters, needsApproval: true, execute: () => "paid" }),
];
const agents = {};
const agentOf = (threadId) => (agents[threadId] ??= createAgent({ url: "/agent", threadId, tools }));

// A list of threads in the page: it says which calls it gets.
const said = (globalThis.said = []);
const threads = createThreads({
  list: async () => ({ threads: [{ threadId: "one", title: "First" }, { threadId: "two", title: "Second" }] }),
  create: async (thread) => void said.push(`create ${thread.threadId.length > 0}`),
  rename: async (id, title) => void said.push(`rename ${id} ${title}`),
  archive: async (id, archived) => void said.push(`archive ${id} ${archived}`),
  delete: async (id) => void said.push(`delete ${id}`),
});
await threads.load();

const Call = ({ toolName, status, args, result, approval, addResult, respondToApproval }) => (
  <div className={toolName}>
    {toolName} {JSON.stringify(args)} {status.type} {JSON.stringify(result)}
    {approval && approval.approved === undefined && <button id="approve" onClick={() => respondToApproval({ approved: true })}>approve</button>}
    {toolName === "color" && result === undefined && <button id="result" onClick={() => addResult({ is: "blue" })}>blue</button>}
  </div>
);
const Message = (role) => () => (
  <MessagePrimitive.Root>
    <div data-role={role}>
      <MessagePrimitive.Parts components={{ tools: { Fallback: Call } }} />
      <MessagePrimitive.Error />
    </div>
  </MessagePrimitive.Root>
);
const components = { UserMessage: Message("user"), AssistantMessage: Message("assistant") };
const Item = () => (
  <ThreadListItemPrimitive.Root>
    <ThreadListItemPrimitive.Trigger className="thread"><ThreadListItemPrimitive.Title /></ThreadListItemPrimitive.Trigger>
  </ThreadListItemPrimitive.Root>
);
const adapters = { attachments: new SimpleImageAttachmentAdapter() };

function Page() {
  const [threadId, onThread] = useState("one");
  const agent = (globalThis.agent = agentOf(threadId));
  const runtime = (globalThis.runtime = useAssistantRuntime(agent, { threads, onThread, adapters }));
  return (
    <AssistantRuntimeProvider runtime={runtime}>
      <ThreadListPrimitive.Root>
        <ThreadListPrimitive.New id="new">New</ThreadListPrimitive.New>
        <ThreadListPrimitive.Items components={{ ThreadListItem: Item }} />
      </ThreadListPrimitive.Root>
      <ThreadPrimitive.Root>
        <ThreadPrimitive.Messages components={components} />
        <ComposerPrimitive.Root>
          <ComposerPrimitive.Input id="say" />
          <ComposerPrimitive.Send id="send">Send</ComposerPrimitive.Send>
          <ComposerPrimitive.Cancel id="stop">Stop</ComposerPrimitive.Cancel>
        </ComposerPrimitive.Root>
      </ThreadPrimitive.Root>
    </AssistantRuntimeProvider>
  );
}

createRoot(document.querySelector("#page")).render(<Page />);
