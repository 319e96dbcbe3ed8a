// Receipts: what they are signed over, whether they are true, and which event they are about.

import { AgentError } from "../../api/error.js";
import { ask, toText } from "./ask.js";
import { digest, verify, type Signed } from "./signatures.js";
import type { ChioEvent, Json, Receipt } from "./types.js";

/**
 * The canonical form of a JSON text, which Chio hashes and signs: RFC 8785, but whole numbers of 64 bits keep their digits,
 * and U+007F to U+009F are escaped. Of a value that is no text, its JSON is taken.
 *
 * @throws AgentError of kind `unsupported` and code `input`: it is not JSON, or has no canonical form.
 * @example
 * await canonicalize('{"b":1.0,"a":9007199254740993}'); // {"a":9007199254740993,"b":1}
 */
export function canonicalize(json: Json<unknown>): Promise<string> {
  return ask("canonical", toText(json));
}

/**
 * The hash of a payload, from its JSON text: SHA-256 of the canonical form, as 64 hexadecimal digits.
 *
 * @example
 * await payloadHash('{"text":"hi"}');
 */
export async function payloadHash(json: Json<unknown>): Promise<string> {
  return digest(await canonicalize(json));
}

/** The outcome for a receipt. */
export interface ReceiptReport {
  /** All of it: the signature, a key that is pinned, and the event, where there is one. */
  readonly valid: boolean;
  readonly signatureValid: boolean;
  /** The key is pinned. One that only the receipt itself names proves nothing. */
  readonly signerTrusted: boolean;
  /** Absent without an event. */
  readonly payloadHashValid?: boolean;
  /** Members that are not the event's; `id`, where it is not made of the event's. */
  readonly mismatches: readonly string[];
  readonly receiptKind: "trace_observation";
  readonly boundaryClass: "detect_only";
  /** The proxy's action, by this receipt. */
  readonly result?: "observed_allow" | "observed_deny";
  /** A receipt is no permission. */
  readonly authorized: false;
  /** Why it is none. */
  readonly error?: string;
}

/**
 * Verifies a receipt: its signature, its key against those that the application knows, and, where the event is given,
 * every member that both have and the payload's hash.
 *
 * @throws AgentError of kind `unsupported`: code `ed25519` (or `p256`, `p384`) where the platform cannot verify that
 * signature, `crypto` where it has no cryptography at all, as in pages without TLS.
 * @example
 * const report = await verifyReceipt(receipt, { pinnedKeys: [kernelKey], event });
 */
export async function verifyReceipt(
  receipt: Json<Receipt>,
  { pinnedKeys = [], event }: { readonly pinnedKeys?: readonly string[] | undefined; readonly event?: Json<ChioEvent> | undefined } = {},
): Promise<ReceiptReport> {
  const fixed = { receiptKind: "trace_observation", boundaryClass: "detect_only", authorized: false } as const;
  type Read = Signed & { allowed: boolean; pinned: boolean; mismatches: string[]; payload?: string; payloadHash?: string };
  let read: Read;
  try {
    const about = event === undefined ? "" : `,"event":${toText(event)}`;
    read = await ask<Read>("receipt", `{"receipt":${toText(receipt)},"pinned":${JSON.stringify(pinnedKeys)}${about}}`);
  } catch (error) {
    if (!AgentError.is(error) || error.code !== "input") throw error;
    return { ...fixed, valid: false, signatureValid: false, signerTrusted: false, mismatches: [], error: error.message };
  }
  const { allowed, pinned: signerTrusted, mismatches, payload } = read;
  const signatureValid = await verify(read);
  const payloadHashValid = payload === undefined ? undefined : (await digest(payload)) === read.payloadHash;
  const joined = event === undefined || payloadHashValid === true;
  return {
    ...fixed,
    valid: signatureValid && signerTrusted && joined && !mismatches.length,
    signatureValid,
    signerTrusted,
    ...(payloadHashValid !== undefined && { payloadHashValid }),
    mismatches,
    result: allowed ? "observed_allow" : "observed_deny",
  };
}

/** An event with its receipts; one that was blocked has receipts only. */
export interface Joined<Event, Of> {
  readonly eventId: string;
  readonly event?: Event;
  readonly receipts: readonly Of[];
}

/**
 * Puts receipts to the events that they are about, by `event_id`, in the order of the events; then the receipts of events
 * that never came. Whether they are true is for {@link verifyReceipt}.
 *
 * @example
 * const unproved = joinReceipts(events, receipts).filter(({ receipts }) => !receipts.length);
 */
export function joinReceipts<Event extends Pick<ChioEvent, "event_id">, Of extends Pick<Receipt, "event_id">>(
  events: Iterable<Event>,
  receipts: Iterable<Of>,
): Joined<Event, Of>[] {
  const joined = new Map<string, { eventId: string; event?: Event; receipts: Of[] }>();
  for (const event of events) {
    const known = joined.get(event.event_id);
    if (!known) joined.set(event.event_id, { eventId: event.event_id, event, receipts: [] });
  }
  for (const receipt of receipts) {
    const { event_id: eventId } = receipt;
    const entry = joined.get(eventId) ?? { eventId, receipts: [] };
    joined.set(eventId, entry);
    entry.receipts.push(receipt);
  }
  return [...joined.values()];
}
