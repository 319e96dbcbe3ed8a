// agentOS: what its adapter offers besides the stream, which `dialect: "agent-os"` reads. Pure functions, no WebAssembly.

export { projectEnvelope, projectEnvelopes, projectSafeLedgerEvent, projectSafeLedgerEvents } from "./agent-os/project.js";
export { framesOfEnvelope } from "./agent-os/frames.js";
export type { FrameLink } from "./agent-os/frames.js";
export type { LedgerRow, ProductProjector, ProjectionOptions } from "./agent-os/project.js";
export { redactedSummary, redactedText, verifyFrameSafety } from "./agent-os/redaction.js";
export type { FrameSafetyIssue, FrameSafetyRules, RedactedSummary, RedactionReason } from "./agent-os/redaction.js";
export { createFrameStore } from "./agent-os/store.js";
export type { FrameStore } from "./agent-os/store.js";
export { lowerSubmitInput, projectTools } from "./agent-os/submit.js";
export type * from "./agent-os/submit.js";
export type * from "./agent-os/types.js";
export { activitiesOf, reduceFrames } from "./agent-os/views.js";
export type { Activity, Reduction } from "./agent-os/views.js";
