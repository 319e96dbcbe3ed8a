// Chio's rules as functions, for applications that look at its events, receipts and capabilities themselves. What the guard
// decides by is decided here by the same code, in the module with the guard; hashes and signatures are the platform's.

export type { Capability, CapabilityScope, CapabilityToken, Classification, Decision, GuardOptions } from "../guard.js";
export { capabilityAuthorizes, verifyCapability } from "./chio/capabilities.js";
export type { CapabilityCheck, CapabilityReport } from "./chio/capabilities.js";
export { countEvent, totalEvents, transportRecord } from "./chio/counters.js";
export type { TransportRecord } from "./chio/counters.js";
export { predictDecision } from "./chio/decisions.js";
export type { Prediction, ProxyConfig } from "./chio/decisions.js";
export { classify, compareClassification, matchTarget, parseEvent } from "./chio/events.js";
export { policyFrom } from "./chio/policy.js";
export type { PolicyDocument, PolicyRules } from "./chio/policy.js";
export { canonicalize, joinReceipts, payloadHash, verifyReceipt } from "./chio/receipts.js";
export type { Joined, ReceiptReport } from "./chio/receipts.js";
export { onChioEvent } from "./chio/render.js";
export type { ChioEvent, ChioEventType, Json, Problem, Receipt, Target } from "./chio/types.js";
