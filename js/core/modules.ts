// Which module an agent needs, and where it comes from. There are two: the small one, and the full one, which also has the
// dialects, the guard, the grammar of strict rules, the binary framing and compaction. An agent loads one of them, with its glue, as a chunk
// of its own; of the full one the base, and the add-ons that its options name.

import type { Core, FullCore, Inflate } from "./loader.js";
import type { AgentOptions } from "../api/types.js";

/** A part of the full module besides its base: the dialects by their names; the guard; the codecs of strict rules and the binary framing; the stepper, and compaction. */
export type AddOn = "agent-os" | "chio" | "hector" | "ngaf" | "open-search" | "guard" | "codecs" | "stepper";

/** Loads of both modules, whose bytes `inflate` unpacks where the package carries them. A load that failed is forgotten: the next call begins again. */
export interface Modules {
  core(inflate: Inflate): Promise<Core>;
  full(inflate: Inflate, addOns: readonly AddOn[]): Promise<FullCore>;
}

/** The options that decide which module is loaded. */
export type Needs = Pick<AgentOptions, "dialect" | "guard" | "rules" | "binary" | "transport">;

/** The parts of the full module that the options ask for; none: the small module does. */
export function addOnsFor(options: Needs): readonly AddOn[] {
  // The maker of the agent refuses values that are no options.
  const { dialect, guard, rules, binary, transport } = Object(options) as Needs;
  const codecs = rules === "strict" || (transport ?? { binary }).binary;
  return [(dialect as { name?: string } | undefined)?.name ?? dialect, guard !== undefined && "guard", codecs && "codecs"].filter(Boolean) as AddOn[];
}

/** The load of the module that the options ask for. */
export function moduleFor(modules: Modules, options: Needs): (inflate: Inflate) => Promise<Core> {
  const addOns = addOnsFor(options);
  return addOns.length ? (inflate) => modules.full(inflate, addOns) : modules.core;
}
