// A chat of CopilotKit that makes its agents itself, from what its runtime at the server has, with a tool of the page.

import { CopilotChat, CopilotKitProvider, useAgent, useFrontendTool } from "@copilotkit/react-core/v2";
import { createRoot } from "react-dom/client";
import { z } from "zod";

function Tools() {
  useFrontendTool({
    name: "color",
    description: "Colors the page",
    parameters: z.object({ color: z.string() }),
    handler: async ({ color }) => {
      document.body.dataset.color = color;
      return `it is ${color}`;
    },
  });
  return null;
}

/** Shows the tests which agent the chat has. */
function Shown() {
  const { agent } = useAgent({ agentId: "default" });
  globalThis.agent = agent;
  return null;
}

const threadId = new URLSearchParams(location.search).get("thread") ?? "new";
createRoot(document.querySelector("#page")).render(
  <CopilotKitProvider runtimeUrl={`${location.origin}/runtime`} headers={{ "x-page": "runtime" }} onError={({ error }) => (document.title = `failed: ${error.message}`)}>
    <Tools />
    <Shown />
    <CopilotChat agentId="default" threadId={threadId} />
  </CopilotKitProvider>,
);
