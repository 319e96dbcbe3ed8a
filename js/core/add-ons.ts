// The add-ons of the full module: each fills places of the base's function table that are empty until then (tools/split.mjs).

import type { Inflate } from "./loader.js";
import type { AddOn } from "./modules.js";

/** The base, which the module of an add-on can be attached to. */
export interface Base {
  attach(addOn: ArrayBuffer): Promise<unknown>;
}

const chunks: Record<AddOn, () => Promise<{ readonly bytes: string }>> = {
  "agent-os": () => import("../glue/add-ons/agent-os.js"),
  chio: () => import("../glue/add-ons/chio.js"),
  hector: () => import("../glue/add-ons/hector.js"),
  ngaf: () => import("../glue/add-ons/ngaf.js"),
  "open-search": () => import("../glue/add-ons/open-search.js"),
  guard: () => import("../glue/add-ons/guard.js"),
  codecs: () => import("../glue/add-ons/codecs.js"),
  stepper: () => import("../glue/add-ons/stepper.js"),
};

/** The add-ons that others call. */
const calls: Partial<Record<AddOn, AddOn>> = { chio: "guard", stepper: "codecs" };

/** The add-ons that the base has. */
const there = new Map<AddOn, Promise<unknown>>();

/** Loads add-ons, and attaches them to the base once that is there. A load that failed is forgotten. */
export async function addAll(names: readonly AddOn[], base: Promise<Base>, inflate: Inflate): Promise<void> {
  const add = (name: AddOn): Promise<unknown> => {
    const added = Promise.all([chunks[name](), base]).then(async ([{ bytes }, { attach }]) => attach(await inflate(bytes)));
    there.set(name, added);
    added.catch(() => there.delete(name));
    return added;
  };
  // A name that no add-on has is refused by the core.
  const needed = names.flatMap((name) => [name, calls[name] ?? name]).filter((name) => Object.hasOwn(chunks, name));
  await Promise.all(needed.map((name) => there.get(name) ?? add(name)));
}
