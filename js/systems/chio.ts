// Chio's rules as functions, for applications that look at its events, receipts and capabilities themselves. What the guard
// decides by is decided here by the same code, in the module with the guard; hashes and signatures are the platform's.

import { AgentError } from "../error.js";
import { loadFull } from "../full/core.js";
import { toPolicy, type Classification, type Decision, type GuardOptions } from "../guard.js";
import { inflate } from "../loader.js";

export type { Capability, CapabilityToken, Classification, Decision, GuardOptions } from "../guard.js";

/** What an event is about. */
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

/** What Chio's kernel has signed of one event. */
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

/**
 * Reads an event. Tolerant by default: what the page can do without may be missing. Strict: as Chio's latest generation,
 * whose ids are tidy too. Without `event`, it is none.
 *
 * @example
 * const { event, problems } = await parseEvent(message.data, { strict: true });
 */
export async function parseEvent(
  json: Json<object>,
  { strict = false }: { readonly strict?: boolean | undefined } = {},
): Promise<{ event?: ChioEvent; problems: readonly Problem[] }> {
  let event: ChioEvent;
  let problems: Problem[];
  try {
    const text = toText(json);
    event = JSON.parse(text);
    problems = await ask("parse", `{"event":${text},"strict":${strict}}`);
  } catch (error) {
    if (AgentError.is(error) && error.code !== "input") throw error;
    return { problems: [{ member: "", expected: "a JSON object", fatal: true, unknown: false }] };
  }
  return problems.some(({ fatal }) => fatal) ? { problems } : { event, problems };
}

/**
 * The class of an event by its type and payload, as Chio's servers derive it; or in their words why there is none.
 *
 * @example
 * await classify({ event_type: "lifecycle", payload: { action: "mounted" } }); // { classification: "create" }
 */
export function classify(
  event: Json<{ readonly event_type: ChioEventType; readonly payload?: unknown }>,
): Promise<{ classification: Classification; error?: undefined } | { classification?: undefined; error: string }> {
  return ask("classify", toText(event));
}

/**
 * Whether an event is of the class that it says.
 *
 * @example
 * const { matches, error } = await compareClassification(event);
 */
export function compareClassification(
  event: Json<Pick<ChioEvent, "event_type" | "classification"> & { readonly payload?: unknown }>,
): Promise<{ matches: boolean; supplied?: string; derived?: Classification; error?: string }> {
  return ask("compare", toText(event));
}

/**
 * Whether a pattern is about a component: the same type, and the same id if the pattern has one. As text it is `type` or
 * `type:id`.
 *
 * @example
 * matchTarget("modal:confirm-refund", event.target);
 */
export function matchTarget(pattern: string | Target, target: Target | null | undefined): boolean {
  const at = typeof pattern === "string" ? pattern.indexOf(":") : -1;
  const { component_type, component_id }: Target =
    typeof pattern !== "string"
      ? pattern
      : at < 0
        ? { component_type: pattern }
        : { component_type: pattern.slice(0, at), component_id: pattern.slice(at + 1) };
  const same = target?.component_type === component_type;
  return same && (component_id === undefined || component_id === null || target.component_id === component_id);
}

/** A policy as Chio's configuration writes it, or as the option `guard` does. */
export interface ProxyConfig {
  readonly allow_display_without_capability?: boolean | undefined;
  readonly restricted_classifications?: readonly Classification[] | undefined;
  readonly max_events_per_second?: number | undefined;
  /** As Chio's second generation: the class is derived and compared. Default: `false`. */
  readonly compare_classification?: boolean | undefined;
  /** As Chio's second generation: a token is verified, and must be for this event. Default: `false`, its time is enough. */
  readonly bind_capability?: boolean | undefined;
  readonly trusted_issuers?: readonly string[] | undefined;
  readonly revoked_capability_ids?: readonly string[] | undefined;
}

/** What Chio would decide, in its words. */
export interface Prediction {
  readonly allowed: boolean;
  readonly denial_reason?: string;
}

/**
 * What Chio's proxy would decide of an event. Limits on how many events come are not looked at.
 *
 * @param now Seconds since 1970. Default: the clock's.
 * @example
 * const { allowed, denial_reason } = await predictDecision({}, event, token);
 */
export async function predictDecision(
  config: ProxyConfig | GuardOptions,
  event: Json<ChioEvent>,
  token?: Json<object> | null,
  now: number = seconds(),
): Promise<Prediction> {
  const policy = toPolicy(config);
  const { trusted_issuers, revoked_capability_ids, bind_capability, compare_classification } = JSON.parse(policy) as ProxyConfig;
  const question = `{"config":${policy},"event":${toText(event)},"now":${whole(now)}${token ? `,"token":${toText(token)}` : ""}}`;
  const decided = await ask<Prediction>("decide", question);
  if (!token || !bind_capability) return decided;
  if (compare_classification && !(await compareClassification(event)).matches) return decided;
  // What is wrong with the token itself comes before its time and scope.
  const { reason, itself } = await check(token, { now, trustedIssuers: trusted_issuers, revoked: revoked_capability_ids });
  return itself ? { allowed: false, denial_reason: reason! } : decided;
}

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

/** What became of a receipt. */
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
  /** What the proxy did, by this receipt. */
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

/** How a token is looked at. */
export interface CapabilityCheck {
  /** Seconds since 1970. Default: the clock's. */
  readonly now?: number | undefined;
  /** Keys of issuers. Without them anybody may have issued it, which proves nothing. */
  readonly trustedIssuers?: readonly string[] | undefined;
  /** Ids of tokens that hold no more. */
  readonly revoked?: readonly string[] | undefined;
}

/** What became of a token. */
export interface CapabilityReport {
  readonly valid: boolean;
  readonly signatureValid: boolean;
  /** Absent where the token cannot be read. */
  readonly status?: "valid" | "expired" | "not_yet_valid";
  /** The first of what is wrong. */
  readonly reason?: string;
}

/**
 * Verifies a capability token: that it is not revoked, its issuer, its signature, its time. Throws as {@link verifyReceipt}.
 *
 * @example
 * const { valid, reason } = await verifyCapability(token, { trustedIssuers: [issuerKey] });
 */
export async function verifyCapability(token: Json<object>, options: CapabilityCheck = {}): Promise<CapabilityReport> {
  const { signatureValid, status, reason } = await check(token, options);
  return { valid: reason === undefined, signatureValid, ...(status && { status }), ...(reason !== undefined && { reason }) };
}

/**
 * Whether a token is for an event: a grant for its class, bound to its session and component. With `options`, everything
 * else about the token is verified first, as {@link verifyCapability} does it.
 *
 * @example
 * const { authorized } = await capabilityAuthorizes(event, token, { trustedIssuers: [issuerKey] });
 */
export async function capabilityAuthorizes(
  event: Json<ChioEvent>,
  token: Json<object>,
  options?: CapabilityCheck,
): Promise<{ readonly authorized: boolean; readonly reason?: string }> {
  const { reason } = await check(token, options ?? {}, event, !options);
  return reason === undefined ? { authorized: true } : { authorized: false, reason };
}

/** What Chio keeps of a connection. */
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
  from: Omit<TransportRecord, "kind" | "events_forwarded" | "events_blocked"> &
    Partial<Pick<TransportRecord, "events_forwarded" | "events_blocked">> & { readonly kind: TransportRecord["kind"] | "websocket" },
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

/** What is signed, and how. Keys and signatures are hexadecimal. */
interface Signed {
  readonly body: string;
  readonly algorithm: "ed25519" | "p256" | "p384";
  readonly key: string;
  readonly signature: string;
}

type Reason = "revoked" | "issuer" | "signature" | "time" | "scope";

/** Everything about a token, in Chio's order. `scopeOnly`: nothing else is asked about. `itself`: it is not the event's fault. */
async function check(
  token: Json<object>,
  { now = seconds(), trustedIssuers, revoked }: CapabilityCheck,
  event?: Json<ChioEvent>,
  scopeOnly = false,
): Promise<CapabilityReport & { readonly itself: boolean }> {
  type Read = Signed & { status: NonNullable<CapabilityReport["status"]>; reasons: { [name in Reason]?: string } };
  const members = [
    `"token":${toText(token)}`,
    `"now":${whole(now)}`,
    ...(trustedIssuers ? [`"trusted":${JSON.stringify(trustedIssuers)}`] : []),
    ...(revoked ? [`"revoked":${JSON.stringify(revoked)}`] : []),
    ...(event === undefined ? [] : [`"event":${toText(event)}`]),
  ];
  let read: Read;
  try {
    read = await ask<Read>("capability", `{${members.join(",")}}`);
  } catch (error) {
    if (!AgentError.is(error) || error.code !== "input") throw error;
    return { valid: false, signatureValid: false, reason: error.message, itself: true };
  }
  const signatureValid = scopeOnly ? false : await verify(read);
  const reasons = { ...read.reasons, ...(!signatureValid && { signature: "capability signature did not verify" }) };
  const order: readonly Reason[] = scopeOnly ? ["scope"] : ["revoked", "issuer", "signature", "time", "scope"];
  const first = order.find((name) => reasons[name] !== undefined);
  const itself = first === "revoked" || first === "issuer" || first === "signature";
  return { valid: !first, signatureValid, status: read.status, ...(first && { reason: reasons[first]! }), itself };
}

const encoder = new TextEncoder();

async function digest(text: string): Promise<string> {
  const hash = await subtle().digest("SHA-256", encoder.encode(text));
  return [...new Uint8Array(hash)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

const ALGORITHMS = {
  ed25519: { key: { name: "Ed25519" }, verify: { name: "Ed25519" }, bytes: 0 },
  p256: { key: { name: "ECDSA", namedCurve: "P-256" }, verify: { name: "ECDSA", hash: "SHA-256" }, bytes: 32 },
  p384: { key: { name: "ECDSA", namedCurve: "P-384" }, verify: { name: "ECDSA", hash: "SHA-384" }, bytes: 48 },
} as const;

async function verify({ body, algorithm, key, signature }: Signed): Promise<boolean> {
  const { key: kind, verify: how, bytes } = ALGORITHMS[algorithm];
  const signed = bytes ? fromDer(toBytes(signature), bytes) : toBytes(signature);
  if (!signed) return false;
  try {
    const imported = await subtle().importKey("raw", toBytes(key), kind, false, ["verify"]);
    return await subtle().verify(how, imported, signed, encoder.encode(body));
  } catch (cause) {
    const name = cause instanceof Error ? cause.name : "";
    // A key that is no point of the curve is as good as any that did not sign.
    if (AgentError.is(cause) || (name !== "NotSupportedError" && name !== "SyntaxError")) {
      if (AgentError.is(cause)) throw cause;
      return false;
    }
    const message = `This platform cannot verify signatures of ${how.name}`;
    throw new AgentError({ kind: "unsupported", code: algorithm, message, cause });
  }
}

function subtle(): SubtleCrypto {
  const found = globalThis.crypto?.subtle;
  if (found) return found;
  const message = "This platform has no SubtleCrypto: pages have it over https and on localhost";
  throw new AgentError({ kind: "unsupported", code: "crypto", message });
}

function toBytes(hex: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}

/** A signature of two numbers in DER as the two, each of so many bytes. */
function fromDer(der: Uint8Array, size: number): Uint8Array<ArrayBuffer> | undefined {
  if (der[0] !== 0x30 || der[1] !== der.length - 2) return undefined;
  const plain = new Uint8Array(size * 2);
  let at = 2;
  for (const end of [size, size * 2]) {
    const length = der[at + 1];
    if (der[at] !== 2 || !length) return undefined;
    let number = der.subarray(at + 2, at + 2 + length);
    at += 2 + length;
    if (number[0] === 0) number = number.subarray(1);
    if (number.length > size || at > der.length) return undefined;
    plain.set(number, end - number.length);
  }
  return at === der.length ? plain : undefined;
}

const seconds = (): number => Math.floor(Date.now() / 1000);
const whole = (value: number): number => Math.max(0, Math.floor(value));

/** JSON text of what is not text already. */
function toText(json: unknown): string {
  try {
    return typeof json === "string" ? json : (JSON.stringify(json) ?? "null");
  } catch (cause) {
    throw wrong("not JSON", cause);
  }
}

function wrong(message: string, cause?: unknown): AgentError {
  return new AgentError({ kind: "unsupported", code: "input", message, cause });
}

/** Asks the core. */
async function ask<Answer>(question: string, json: string): Promise<Answer> {
  // The bytes come only with the first question, and not at all where an agent has brought the module.
  const { askGuard } = await loadFull(async () => inflate((await import("../glue/full-bytes.js")).bytes));
  let answer: string;
  try {
    answer = askGuard(question, json);
  } catch (cause) {
    throw wrong(cause instanceof Error ? cause.message : String(cause), cause);
  }
  return JSON.parse(answer);
}
