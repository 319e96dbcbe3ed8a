// A thread of assistant-ui over this package: `HttpAgent` is that of @ag-ui/client, with another reader of streams behind it.

import { AssistantRuntimeProvider, ComposerPrimitive, MessagePrimitive, ThreadPrimitive } from "@assistant-ui/react";
import { useAgUiRuntime } from "@assistant-ui/react-ag-ui";
import { HttpAgent } from "ag-ui-wasm/ag-ui-client";
import { createRoot } from "react-dom/client";
import "./style.css";

const agent = new HttpAgent({ url: "/agent" });

const Message = (role) =>
  function Row() {
    return <li className={role}><MessagePrimitive.Root><MessagePrimitive.Parts /></MessagePrimitive.Root></li>;
  };
const components = { UserMessage: Message("user"), AssistantMessage: Message("assistant") };

function Thread() {
  const runtime = useAgUiRuntime({ agent });
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
