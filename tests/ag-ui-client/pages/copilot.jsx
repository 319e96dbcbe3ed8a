// A chat of CopilotKit over an agent that it is given, with a tool of the page.

import { CopilotChat, CopilotKitProvider, useFrontendTool } from "@copilotkit/react-core/v2";
import { createRoot } from "react-dom/client";
import { z } from "zod";
import { agent } from "./agent.js";

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

createRoot(document.querySelector("#page")).render(
  <CopilotKitProvider agents__unsafe_dev_only={{ default: agent }} headers={{ "x-page": "copilot" }} onError={({ error }) => (document.title = `failed: ${error.message}`)}>
    <Tools />
    <CopilotChat agentId="default" />
  </CopilotKitProvider>,
);
