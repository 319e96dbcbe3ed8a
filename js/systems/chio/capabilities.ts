// Capability tokens.

import { AgentError } from "../../api/error.js";
import { ask, seconds, toText, whole } from "./ask.js";
import { verify, type Signed } from "./signatures.js";
import type { ChioEvent, Json } from "./types.js";

/** How a token is looked at. */
export interface CapabilityCheck {
  /** Seconds since 1970. Default: the clock's. */
  readonly now?: number | undefined;
  /** Keys of issuers. Without them anybody may have issued it, which proves nothing. */
  readonly trustedIssuers?: readonly string[] | undefined;
  /** Ids of tokens that are no longer valid. */
  readonly revoked?: readonly string[] | undefined;
}

/** The outcome for a token. */
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

type Reason = "revoked" | "issuer" | "signature" | "time" | "scope";

/** Everything about a token, in Chio's order. `scopeOnly`: only the scope is looked at. `itself`: it is not the event's fault. */
export async function check(
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
