// The policy of a guard, and its decisions.

import type { JsonObject } from "./protocol.js";

/** The effect of an event on the page, in Chio's words. */
export type Classification = "display" | "mutate" | "navigate" | "create" | "destroy" | "submit" | "alert";

/** A capability token of Chio's, as an object or as the JSON text that it came as. */
export type Capability = string | CapabilityToken;

/** The members of a capability token. Times are seconds since 1970: it is valid from `issued_at` (inclusive) until `expires_at` (exclusive). */
export interface CapabilityToken {
  readonly id: string;
  /** The public key of the signer. */
  readonly issuer: string;
  readonly subject: string;
  readonly scope: JsonObject;
  readonly issued_at: number;
  readonly expires_at: number;
  readonly signature: string;
}

/** The rights that a token may name. */
export interface CapabilityScope {
  /** As the token has it. One that begins with `ui:` and a class is for that class only. */
  readonly scopeId: string;
  /** Types of events: Chio's, `custom:<name>` or AG-UI's. */
  readonly allowEventTypes: readonly string[];
  /** Components; without an id, all of the type. */
  readonly allowTargets: readonly { readonly componentType: string; readonly componentId?: string | undefined }[];
}

/** So many events in so many seconds. */
export interface Velocity {
  /** Of which type: AG-UI's, Chio's, or `custom:<name>` of Chio's custom ones. Default: any. */
  readonly match?: { readonly eventType?: string | undefined } | undefined;
  readonly maxInvocations: number;
  readonly windowSeconds: number;
}

/**
 * The policy for what may be shown and sent. An absent member is as in Chio's own code: an empty policy shows
 * nothing without a capability. docs/guard.md has the class of every event.
 */
export interface GuardOptions {
  /** Classes that need a capability. Default: all but `display` and `alert`. */
  readonly restrictedClassifications?: readonly Classification[] | undefined;
  /** Whether the other classes need none. Default: `false`. */
  readonly allowDisplayWithoutCapability?: boolean | undefined;
  /**
   * Tokens that are at hand. One with an empty scope authorizes nothing. Their signatures are not looked at: see
   * `verifyCapability`. Default: none.
   */
  readonly capabilities?: readonly Capability[] | undefined;
  /** With these, a restricted class needs a token that names one of them which is for the event. Default: any token will do. */
  readonly capabilityScopes?: readonly CapabilityScope[] | undefined;
  /** Whether a token must be for the very event: its class, session and target. Default: `false`, its time is enough. */
  readonly bindCapability?: boolean | undefined;
  /** Whether an event of Chio's must be of the class that it says. Default: `false`. */
  readonly compareClassification?: boolean | undefined;
  /** Types of components that events may be about. Default: all. */
  readonly allowComponents?: readonly string[] | undefined;
  /** Components, as `type:id`. Of a type with ids in this list, only those. Default: all. */
  readonly allowIds?: readonly string[] | undefined;
  /** Default: no limit. */
  readonly maxEventsPerSecond?: number | undefined;
  readonly velocity?: Velocity | readonly Velocity[] | undefined;
  /** Classes of events that may go to the agent with `agent.send`, and with `submit` where that sends an event. Default: everything. */
  readonly inbound?: { readonly allowClassifications?: readonly Classification[] | undefined } | undefined;
  /** Classes of AG-UI's events, by their `type`, in place of those that docs/guard.md gives them. */
  readonly classifications?: { readonly [eventType: string]: Classification } | undefined;
}

/** The decision about one event, or about one item that an event brings. */
export interface Decision {
  readonly allowed: boolean;
  /** Why not. */
  readonly reason?: string;
  /** Absent where an event that was to be sent has none. */
  readonly classification?: Classification;
  /** AG-UI's `type`, Chio's `event_type`, or `custom:<name>`. */
  readonly eventType: string;
  /** The `type` of the event that brought it, where that is another one: a call that MESSAGES_SNAPSHOT has is a TOOL_CALL_START. */
  readonly carrier?: string;
  /** `inbound`: it goes to the agent. */
  readonly direction: "inbound" | "outbound";
  /** Chio's. */
  readonly eventId?: string;
  readonly target?: { readonly componentType: string; readonly componentId?: string };
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** The guard of an agent: its counts, its decisions, its capabilities. */
export interface AgentGuard {
  /** Events, and items of them, that it let pass. */
  readonly forwarded: number;
  readonly blocked: number;
  readonly total: number;
  /** Puts these tokens in place of those that it had: tokens expire. */
  present(capabilities: readonly Capability[]): void;
}
