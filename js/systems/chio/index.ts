// Chio's rules as functions, for applications that look at its events, receipts and capabilities themselves. What the guard
// decides by is decided here by the same code, in the module with the guard; hashes and signatures are the platform's.

export type { Capability, CapabilityScope, CapabilityToken, Classification, Decision, GuardOptions } from "../../api/guard.js";
export { capabilityAuthorizes, verifyCapability } from "./capabilities.js";
export type { CapabilityCheck, CapabilityReport } from "./capabilities.js";
export { countEvent, totalEvents, transportRecord } from "./counters.js";
export type { TransportRecord } from "./counters.js";
export { predictDecision } from "./decisions.js";
export type { Prediction, ProxyConfig } from "./decisions.js";
export { classify, compareClassification, matchTarget, parseEvent } from "./events.js";
export { policyFrom } from "./policy.js";
export type { PolicyDocument, PolicyRules } from "./policy.js";
export { canonicalize, joinReceipts, payloadHash, verifyReceipt } from "./receipts.js";
export type { Joined, ReceiptReport } from "./receipts.js";
export { onChioEvent } from "./render.js";
export type { ChioEvent, ChioEventType, Json, Problem, Receipt, Target } from "./types.js";
