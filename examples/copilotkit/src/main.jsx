// CopilotKit's chat over this package: `HttpAgent` is that of @ag-ui/client, with another reader of streams behind it.

import { HttpAgent } from "ag-ui-wasm/ag-ui-client";
import { CopilotChat, CopilotKitProvider } from "@copilotkit/react-core/v2";
import "@copilotkit/react-core/v2/styles.css";
import { createRoot } from "react-dom/client";

const agent = new HttpAgent({ url: "/agent" });

createRoot(document.querySelector("#root")).render(
  <CopilotKitProvider agents__unsafe_dev_only={{ default: agent }}>
    <CopilotChat agentId="default" />
  </CopilotKitProvider>,
);
