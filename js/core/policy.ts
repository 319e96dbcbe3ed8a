// The policy of a guard as the core reads it.

import type { Capability } from "../api/guard.js";
import { toJson, unsupported } from "../base/failure.js";

/** The policy as JSON text. The core judges its members. */
export function toPolicy(options: object): string {
  // A value that is no policy must not count as an absent one.
  if (typeof options !== "object" || options === null || Array.isArray(options)) {
    throw unsupported("input", "guard: the policy must be an object");
  }
  const raw = Object.keys(options).find((name) => /^(ag_ui.*|hushspec|rules)$/.test(name));
  if (raw) throw unsupported("input", `guard: "${raw}" is of Chio's document: policyFrom() of ag-ui-wasm/chio reads it`);
  const { capabilities, ...rest } = options as { capabilities?: readonly Capability[] };
  // Members that JSON would leave out are kept, for the core to refuse.
  const shown = (_: string, value: unknown): unknown => (typeof value === "function" || typeof value === "symbol" ? typeof value : value);
  const json = toJson(rest, shown);
  return capabilities === undefined ? json : `${json.slice(0, -1)}${json === "{}" ? "" : ","}"capabilities":${toList(capabilities)}}`;
}

/** The list of capabilities. A string stays as it is, for its digits. */
export const toList = (capabilities: readonly Capability[]): string =>
  // The core reports a value that is no list.
  Array.isArray(capabilities)
    ? `[${capabilities.map((token) => (typeof token === "string" ? token : (JSON.stringify(token) ?? "null"))).join(",")}]`
    : (JSON.stringify(capabilities) ?? "null");
