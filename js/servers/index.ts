// `ag-ui-wasm/servers`: what differs from server to server, as options of an agent. A server that keeps nothing needs no preset.

export { adk } from "./adk.js";
export { agentFramework } from "./agent-framework.js";
export { agno, type AgnoOptions } from "./agno.js";
export { copilotKit, type CopilotKitOptions } from "./copilot-kit.js";
export { langGraph, type LangGraphOptions } from "./lang-graph.js";
export { mastra, type MastraOptions } from "./mastra.js";
export { pydanticAi } from "./pydantic-ai.js";
export { tanStack, type TanStackOptions } from "./tan-stack.js";
export type { Preset } from "../api/server.js";
