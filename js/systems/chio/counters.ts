// The counters of a connection.

import type { Decision } from "../../api/guard.js";
import { wrong } from "./ask.js";

/** Chio's record of a connection. */
export interface TransportRecord {
  readonly kind: "sse" | "web_socket";
  readonly connection_id: string;
  readonly agent_id: string;
  readonly session_id?: string | undefined;
  /** Seconds since 1970. */
  readonly connected_at: number;
  readonly events_forwarded: number;
  readonly events_blocked: number;
}

/**
 * A record of a connection. Of the kind, the spelling `websocket` of Chio's documents is taken too; counters begin at 0.
 *
 * @example
 * let record = transportRecord({ kind: "sse", connection_id: "c1", agent_id: "support", connected_at: 1744993921 });
 * record = countEvent(record, decision);
 */
export function transportRecord(
  from:
    & Omit<TransportRecord, "kind" | "events_forwarded" | "events_blocked">
    & Partial<Pick<TransportRecord, "events_forwarded" | "events_blocked">>
    & { readonly kind: TransportRecord["kind"] | "websocket" },
): TransportRecord {
  const kind = from.kind === "websocket" ? "web_socket" : from.kind;
  if (kind !== "sse" && kind !== "web_socket") throw wrong(`"kind" must be "sse" or "web_socket"`);
  return { ...from, kind, events_forwarded: from.events_forwarded ?? 0, events_blocked: from.events_blocked ?? 0 };
}

/** The record with one more event in it. Counters stop at the largest whole number. */
export function countEvent(record: TransportRecord, { allowed }: Pick<Decision, "allowed">): TransportRecord {
  const name = allowed ? "events_forwarded" : "events_blocked";
  return { ...record, [name]: Math.min(record[name] + 1, Number.MAX_SAFE_INTEGER) };
}

/** How many events a record has counted. */
export function totalEvents({ events_forwarded, events_blocked }: TransportRecord): number {
  return Math.min(events_forwarded + events_blocked, Number.MAX_SAFE_INTEGER);
}
