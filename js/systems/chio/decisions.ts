// Predicts the decisions of Chio's proxy.

import { copyPolicy } from "../../core/policy.js";
import type { Classification, GuardOptions } from "../../api/guard.js";
import { ask, seconds, toText, whole, wrong } from "./ask.js";
import { check } from "./capabilities.js";
import { compareClassification } from "./events.js";
import type { ChioEvent, Json } from "./types.js";

/** A policy as Chio's configuration writes it, or as the option `guard` does; and who is trusted with tokens. */
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

/** A decision in Chio's words. */
export interface Prediction {
  readonly allowed: boolean;
  readonly denial_reason?: string;
}

/**
 * Predicts how Chio's proxy would decide about an event. Its limits on how many events come are ignored.
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
  const { policy: ownPolicy, trustedIssuers, revoked } = split(config);
  const policy = copyPolicy(ownPolicy);
  const { bindCapability, bind_capability = bindCapability, compareClassification: camel, compare_classification = camel } = ownPolicy;
  const request = `{"config":${policy},"event":${toText(event)},"now":${whole(now)}${token ? `,"token":${toText(token)}` : ""}}`;
  const decided = await ask<Prediction>("decide", request);
  if (!token || !bind_capability) return decided;
  if (compare_classification && !(await compareClassification(event)).matches) return decided;
  // A fault of the token itself comes before its time and scope.
  const { reason, itself } = await check(token, { now, trustedIssuers, revoked });
  return itself ? { allowed: false, denial_reason: reason! } : decided;
}

type AnyConfig = ProxyConfig & GuardOptions;

/** Splits the configuration into the core's policy and the lists that tokens are verified with, which must consist of strings. */
function split(config: ProxyConfig | GuardOptions): { policy: AnyConfig; trustedIssuers: Issuers; revoked: Issuers } {
  if (typeof config !== "object" || config === null || Array.isArray(config)) return { policy: config, trustedIssuers: undefined, revoked: undefined };
  const { trusted_issuers: trustedIssuers, revoked_capability_ids: revoked, ...policy } = config as AnyConfig;
  for (const [name, list] of Object.entries({ trusted_issuers: trustedIssuers, revoked_capability_ids: revoked })) {
    const fits = list === undefined || (Array.isArray(list) && list.every((item) => typeof item === "string"));
    if (!fits) throw wrong(`"${name}" must be a list of strings`);
  }
  return { policy, trustedIssuers, revoked };
}

type Issuers = readonly string[] | undefined;
