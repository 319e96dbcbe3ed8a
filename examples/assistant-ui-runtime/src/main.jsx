// A thread of assistant-ui over an agent of this package, without any part of @ag-ui/client.

import { AssistantRuntimeProvider, ComposerPrimitive, MessagePrimitive, ThreadPrimitive } from "@assistant-ui/react";
import { createAgent } from "ag-ui-wasm";
import { useAssistantRuntime } from "ag-ui-wasm/assistant-ui";
import { createRoot } from "react-dom/client";
import "./style.css";

const agent = createAgent({ url: "/agent" });

const Message = (role) =>
  function Row() {
    return <li className={role}><MessagePrimitive.Root><MessagePrimitive.Parts /></MessagePrimitive.Root></li>;
  };
const components = { UserMessage: Message("user"), AssistantMessage: Message("assistant") };

function Thread() {
  const runtime = useAssistantRuntime(agent);
  return (
    <AssistantRuntimeProvider runtime={runtime}>
      <ThreadPrimitive.Root>
        <h1>assistant-ui</h1>
        <ol><ThreadPrimitive.Messages components={components} /></ol>
        <ComposerPrimitive.Root>
          <ComposerPrimitive.Input aria-label="Message" />
          <ComposerPrimitive.Send>Send</ComposerPrimitive.Send>
        </ComposerPrimitive.Root>
      </ThreadPrimitive.Root>
    </AssistantRuntimeProvider>
  );
}

createRoot(document.querySelector("#root")).render(<Thread />);
