// A chunk of its own: the base of the full module, with its bytes. `add-ons.ts` brings the rest of it.

import init, { askGuard, compact, Session, Stepper } from "../glue/base.js";
import type { ModuleInput } from "../glue/core.js";

export { bytes } from "../glue/base-bytes.js";

let base: unknown;

/** Its glue. An add-on is attached once it is there. */
export const glue = {
  default: async (input: { module_or_path: ModuleInput }) => (base = await init(input)),
  attach: (addOn: ArrayBuffer) => WebAssembly.instantiate(addOn, { a: base as WebAssembly.ModuleImports }),
  askGuard,
  compact,
  Session,
  Stepper,
};
