// Which module an agent needs, and where it comes from. There are two: the small one, and the full one, which also has the
// dialects, the guard, the grammar of strict rules, the binary framing and compaction. An agent loads one of them, with its glue, as a chunk
// of its own; of the full one the base, and the add-ons that its options name.

import type { Core, FullCore, Inflate } from "./loader.js";
import type { AgentOptions } from "../api/types.js";

/**
 * A part of the full module besides its base: the dialects by their names; what they have in common; the guard, and questions to it; the grammar of strict rules; the binary framing; the
 * stepper, and compaction.
 */
export type AddOn = "agent-os" | "chio" | "hector" | "ngaf" | "open-search" | "dialects" | "ask" | "guard" | "strict" | "binary" | "stepper";

/** The options that decide which module is loaded. */
export type Needs = Pick<AgentOptions, "dialect" | "guard" | "rules" | "binary" | "transport">;

/** Loads of both modules, whose bytes `inflate` unpacks where the package carries them. A load that failed is forgotten: the next call begins again. */
export interface Modules {
  core(inflate: Inflate): Promise<Core>;
  /** With the add-ons that the options need, and `more`. */
  full(inflate: Inflate, options: Needs, ...more: readonly AddOn[]): Promise<FullCore>;
}

/** Whether the options ask for what only the full module has. */
export function needsFull(options: Needs): unknown {
  // The maker of the agent refuses values that are no options.
  const { dialect, guard, rules, binary, transport } = Object(options) as Needs;
  return dialect || guard !== undefined || rules === "strict" || (transport ?? { binary }).binary;
}

/** The load of the module that the options ask for. */
export function moduleFor(modules: Modules, options: Needs): (inflate: Inflate) => Promise<Core> {
  return needsFull(options) ? (inflate) => modules.full(inflate, options) : modules.core;
}
