// agentOS: what its adapter offers besides the stream, which `dialect: "agent-os"` reads. Pure functions, no WebAssembly.
// Each is here under its own name and under the one that agentOS documents.

export {
  projectEnvelope,
  projectEnvelope as projectLedgerEventToAgUiEnvelope,
  projectEnvelopes,
  projectEnvelopes as projectLedgerEventsToAgUiEnvelopes,
  projectSafeLedgerEvent,
  projectSafeLedgerEvent as projectSafeLedgerEventToAgUiFrames,
  projectSafeLedgerEvents,
} from "./project.js";
export { framesOfEnvelope, framesOfEnvelope as framesForAgUiLedgerEnvelope } from "./frames.js";
export type { FrameLink } from "./frames.js";
export type { LedgerRow, ProductProjector, ProjectionOptions } from "./project.js";
export { redactedSummary, redactedText, verifyFrameSafety, verifyFrameSafety as verifyAgUiFrameSafety } from "./redaction.js";
export type { FrameSafetyIssue, FrameSafetyRules, RedactedSummary, RedactionReason } from "./redaction.js";
export { createFrameStore } from "./store.js";
export type { FrameStore } from "./store.js";
export {
  lowerSubmitInput,
  lowerSubmitInput as agUiRunAgentInputToSubmitInput,
  projectTool,
  projectTool as projectToolToAgUiTool,
  projectTools,
  projectTools as projectToolsToAgUiTools,
} from "./submit.js";
export type * from "./submit.js";
export type * from "./types.js";
export { activitiesOf, activitiesOf as projectAgUiFramesToActivities, reduceFrames, reduceFrames as projectAgUiFrames } from "./views.js";
export type { Activity, Reduction } from "./views.js";
