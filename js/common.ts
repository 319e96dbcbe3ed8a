// The exports that the entries with `createAgent` have in common: `.`, `./slim` and `./worker`.

export { AgentError } from "./api/error.js";
export type { AgentErrorData, AgentErrorKind } from "./api/error.js";
export { messageKey } from "./snapshot/message-key.js";
export { createStore, indexedDbStore, localStorageStore } from "./persistence/stores.js";
export { tool } from "./agent/tools.js";
export { custom, eventSource, fetchTransport, webSocket } from "./network/transports.js";
export type * from "./api/types.js";
