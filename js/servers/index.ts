// `ag-ui-wasm/servers`: what differs from server to server, as options of an agent. A server that keeps nothing needs no preset.

export { adk } from "./adk.js";
export { agentFramework } from "./agent-framework.js";
export { agno } from "./agno.js";
export { copilotKit, type CopilotKitOptions } from "./copilot-kit.js";
export { langGraph } from "./lang-graph.js";
export { mastra } from "./mastra.js";
export { pydanticAi } from "./pydantic-ai.js";
export { tanStack } from "./tan-stack.js";
export type { Preset } from "../api/server.js";
