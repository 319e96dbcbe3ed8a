// The policy of a guard, refused where it is given if it is none.

import { expect, toJson, unsupported } from "../base/failure.js";

/** A copy of the policy: JSON text. The core judges its members. */
export function copyPolicy(options: object): string {
  // A value that is no policy must not count as an absent one.
  expect("guard", "object", options);
  const raw = Object.keys(options).find((name) => /^(ag_ui.*|hushspec|rules)$/.test(name));
  if (raw) throw unsupported("input", `guard: "${raw}" is for policyFrom() of ag-ui-wasm/chio`);
  // Members that JSON would leave out are kept, for the core to refuse.
  return toJson(options, (_, value) => (/function|symbol/.test(typeof value) ? typeof value : value));
}
