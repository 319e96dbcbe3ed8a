// Which module an agent needs, and where it comes from. There are two: the small one, and the full one, which also has the
// dialects, the guard, the grammar of strict rules, the binary framing and compaction. An agent loads one of them, with its glue, as a chunk of its own.

import type { Core, FullCore, Inflate } from "./loader.js";
import type { AgentOptions } from "../api/types.js";

/** Loads of both modules, whose bytes `inflate` unpacks where the package carries them. A load that failed is forgotten: the next call begins again. */
export interface Modules {
  core(inflate: Inflate): Promise<Core>;
  full(inflate: Inflate): Promise<FullCore>;
}

/** The options that decide which module is loaded. */
export type Needs = Pick<AgentOptions, "dialect" | "guard" | "rules" | "binary" | "transport">;

/** Whether the options ask for what only the full module has. */
export function needsFull(options: Needs): boolean {
  // The maker of the agent refuses values that are no options.
  const { dialect, guard, rules, binary, transport } = Object(options) as Needs;
  return Boolean(dialect || guard !== undefined || rules === "strict" || (transport ?? { binary }).binary);
}

/** The load of the module that the options ask for. */
export function moduleFor(modules: Modules, options: Needs): (inflate: Inflate) => Promise<Core> {
  return needsFull(options) ? modules.full : modules.core;
}
