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
} from "./agent-os/project.js";
export { framesOfEnvelope, framesOfEnvelope as framesForAgUiLedgerEnvelope } from "./agent-os/frames.js";
export type { FrameLink } from "./agent-os/frames.js";
export type { LedgerRow, ProductProjector, ProjectionOptions } from "./agent-os/project.js";
export { redactedSummary, redactedText, verifyFrameSafety, verifyFrameSafety as verifyAgUiFrameSafety } from "./agent-os/redaction.js";
export type { FrameSafetyIssue, FrameSafetyRules, RedactedSummary, RedactionReason } from "./agent-os/redaction.js";
export { createFrameStore } from "./agent-os/store.js";
export type { FrameStore } from "./agent-os/store.js";
export {
  lowerSubmitInput,
  lowerSubmitInput as agUiRunAgentInputToSubmitInput,
  projectTool,
  projectTool as projectToolToAgUiTool,
  projectTools,
  projectTools as projectToolsToAgUiTools,
} from "./agent-os/submit.js";
export type * from "./agent-os/submit.js";
export type * from "./agent-os/types.js";
export {
  activitiesOf,
  activitiesOf as projectAgUiFramesToActivities,
  reduceFrames,
  reduceFrames as projectAgUiFrames,
} from "./agent-os/views.js";
export type { Activity, Reduction } from "./agent-os/views.js";
