// A thread of assistant-ui over an agent that it is given.

import { AssistantRuntimeProvider, ComposerPrimitive, MessagePrimitive, ThreadPrimitive } from "@assistant-ui/react";
import { useAgUiRuntime } from "@assistant-ui/react-ag-ui";
import { createRoot } from "react-dom/client";
import { agent } from "./agent.js";

const Message = (role) => () => (
  <MessagePrimitive.Root>
    <p data-role={role}>
      <MessagePrimitive.Parts />
    </p>
  </MessagePrimitive.Root>
);
const components = { UserMessage: Message("user"), AssistantMessage: Message("assistant") };

function Page() {
  const runtime = useAgUiRuntime({ agent, onError: (error) => (document.title = `failed: ${error.message}`) });
  return (
    <AssistantRuntimeProvider runtime={runtime}>
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
