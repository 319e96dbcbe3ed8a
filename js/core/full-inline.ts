// A chunk of its own: the base of the full module, with its bytes. Its add-ons are chunks, too: each fills places of the base's function table
// that are empty until then (tools/split.mjs).

import init, { askGuard, compact, CoreSession, Stepper } from "../glue/base.js";
import type { ModuleInput } from "../glue/core.js";
import type { FullCore, Inflate } from "./loader.js";
import type { AddOn, Needs } from "./modules.js";

export { bytes } from "../glue/base-bytes.js";

const chunks: Record<AddOn, () => Promise<{ readonly bytes: string }>> = {
  "agent-os": () => import("../glue/add-ons/agent-os.js"),
  chio: () => import("../glue/add-ons/chio.js"),
  hector: () => import("../glue/add-ons/hector.js"),
  ngaf: () => import("../glue/add-ons/ngaf.js"),
  "open-search": () => import("../glue/add-ons/open-search.js"),
  dialects: () => import("../glue/add-ons/dialects.js"),
  ask: () => import("../glue/add-ons/ask.js"),
  guard: () => import("../glue/add-ons/guard.js"),
  strict: () => import("../glue/add-ons/strict.js"),
  binary: () => import("../glue/add-ons/binary.js"),
  stepper: () => import("../glue/add-ons/stepper.js"),
};

/** The add-ons that the options need, and these. A dialect of another name is refused by the core. */
function addOnsOf(options: Needs, more: readonly AddOn[]): readonly AddOn[] {
  const { dialect, guard, rules, binary, transport } = Object(options) as Needs;
  const spoken = Object(dialect).name ?? dialect;
  // Chio's dialect reads events as the guard does.
  const guarded = guard !== undefined || spoken === "chio";
  const needs = [spoken, spoken && "dialects", guarded && "guard", rules === "strict" && rules, (transport ?? { binary }).binary && "binary", ...more];
  return needs.filter((each): each is AddOn => Object.hasOwn(chunks, String(each)));
}

/** The add-ons that the base has, or gets. */
const loaded = new Map<AddOn, Promise<unknown>>();

let base: WebAssembly.ModuleImports;

/** The imports of an add-on: exports of the base, and functions by their places in its table, which is the export of number 0. */
const importsFrom = (exports: unknown): WebAssembly.ModuleImports =>
  new Proxy(exports as WebAssembly.ModuleImports, { get: (all, name) => all[String(name)] ?? (all[0] as WebAssembly.Table).get(Number(name)) });

const attach = async (addOn: Promise<BufferSource>): Promise<unknown> => WebAssembly.instantiate(await addOn, { a: base });

/** Loads an add-on, and attaches it to the base. A load that failed is forgotten. */
function add(name: AddOn, inflate: Inflate): Promise<unknown> {
  const added = chunks[name]().then(({ bytes }) => attach(inflate(bytes)));
  loaded.set(name, added);
  added.catch(() => loaded.delete(name));
  return added;
}

/** Its glue. */
export const glue = {
  default: async (input: { module_or_path: ModuleInput }): Promise<void> => void (base = importsFrom(await init(input))),
  attach,
  /** Loads the add-ons that are needed, once the base is there. */
  complete: async (inflate: Inflate, options: Needs, ...more: readonly AddOn[]): Promise<FullCore> => {
    await Promise.all(addOnsOf(options, more).map((each) => loaded.get(each) ?? add(each, inflate)));
    return glue;
  },
  askGuard,
  compact,
  CoreSession,
  Stepper,
};
