/**
 * The official client's surface (`@ag-ui/client` 1.0.0) over this package's core: for pages that have a `new HttpAgent({ url })`
 * already, and for libraries that are given one, or import it. Needs `rxjs` and `@ag-ui/core`.
 *
 * @example
 * import { HttpAgent } from "ag-ui-wasm/ag-ui-client";
 * const agent = new HttpAgent({ url: "/agent" });
 *
 * @module
 */

export * from "@ag-ui/core";
export { AbstractAgent } from "./agent.js";
export { defaultApplyEvents } from "./apply.js";
export { compactEvents } from "./compact.js";
export { createDebugLogger, DebugLogger, resolveAgentDebugConfig, resolveDebugLogger } from "./debug.js";
export type { AgentDebugConfig, DebugLoggerInput, ResolvedAgentDebugConfig } from "./debug.js";
export { HttpAgent, isHttpAgent } from "./http.js";
export { buildResumeArray, getRunOutcome, isInterruptExpired } from "./interrupts.js";
export { convertToLegacyEvents } from "./legacy.js";
export type { LegacyRuntimeProtocolEvent } from "./legacy.js";
export { FilterToolCallsMiddleware, FunctionMiddleware, Middleware } from "./middleware.js";
export type { EventWithState, MiddlewareFunction, MiddlewareNext } from "./middleware.js";
export {
  BackwardCompatibility_0_0_39,
  BackwardCompatibility_0_0_45,
  BackwardCompatibility_0_0_47,
  BackwardCompatibility_0_0_57,
  CompatibilityBoundary,
} from "./old-servers.js";
export { HttpEventType, runHttpRequest } from "./request.js";
export type { HttpDataEvent, HttpEvent, HttpHeadersEvent } from "./request.js";
export { toHttpAgent } from "./shown.js";
export type { ShownAgentConfig } from "./shown.js";
export { enforceEvents, transformChunks, transformHttpEventStream, verifyEvents } from "./stream.js";
export {
  ACTIVITY_HISTORY_METADATA,
  authoritativeActivityTypes,
  enforceOutgoingInput,
  isRecognizedEvent,
  parseProtoStream,
  parseSSEStream,
  withAuthoritativeActivityTypes,
} from "./rest.js";
export type * from "./types.js";
export { randomUUID, structuredClone_ } from "./values.js";
