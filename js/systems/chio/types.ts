// The members of Chio's events and receipts.

import type { Classification } from "../../api/guard.js";

/** The target of an event. */
export interface Target {
  readonly component_type: string;
  readonly component_id?: string | null | undefined;
}

/** The types of Chio's events. */
export type ChioEventType =
  | "text_stream"
  | "state_update"
  | "navigation"
  | "lifecycle"
  | "form_action"
  | "notification"
  | "error"
  | { readonly custom: string };

/** One event of Chio's (its AgUiEvent, which is none of AG-UI's). `timestamp`: seconds since 1970. */
export interface ChioEvent {
  readonly event_id: string;
  readonly timestamp: number;
  readonly agent_id: string;
  readonly session_id?: string | null | undefined;
  readonly event_type: ChioEventType;
  readonly target?: Target | null | undefined;
  readonly classification: Classification;
  readonly payload: unknown;
}

/** The signed receipt of Chio's kernel for one event. */
export interface Receipt {
  readonly id: string;
  readonly timestamp: number;
  readonly event_id: string;
  readonly agent_id: string;
  readonly session_id?: string | null | undefined;
  /** `<none>` without one. */
  readonly capability_id: string;
  readonly event_type: ChioEventType;
  readonly target?: Target | null | undefined;
  readonly classification: Classification;
  readonly transport: string;
  readonly allowed: boolean;
  readonly denial_reason?: string | null | undefined;
  /** SHA-256 of the canonical payload. */
  readonly payload_hash: string;
  readonly kernel_key: string;
  readonly signature: string;
}

/** JSON text, or what it says. Numbers past 2^53 survive as text only. */
export type Json<Value> = string | Value;

/** A member that is not as Chio's parser wants it. */
export interface Problem {
  readonly member: string;
  readonly expected: string;
  /** The event makes no sense without it. In strict parsing everything is fatal. */
  readonly fatal: boolean;
  /** A type or class of the right form that Chio does not have. */
  readonly unknown: boolean;
}
