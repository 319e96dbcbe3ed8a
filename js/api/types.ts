// Everything that the package speaks about, in one list. Types only: this room is the ground, and imports nothing.

export type * from "./agent.js";
export type * from "./attachments.js";
export type * from "./events.js";
export type { AgentGuard, Capability, CapabilityScope, CapabilityToken, Classification, Decision, GuardOptions, Velocity } from "./guard.js";
export type * from "./options.js";
export type * from "./protocol.js";
export type * from "./saving.js";
export type * from "./server.js";
export type * from "./snapshot.js";
export type * from "./threads.js";
export type * from "./tools.js";
export type * from "./transport.js";
