// `useChat` of the AI SDK over an agent. Loads no WebAssembly.

export { toUIMessages } from "./parts.js";
export { loadUIMessages } from "./restored.js";
export { toChatTransport } from "./transport.js";
