// The load of the full module that the package carries: its base, and the add-ons that are needed.

import { loading, unpacked, type FullCore, type Inflate } from "./loader.js";
import type { AddOn } from "./modules.js";

/** Loads what is not there yet. */
export const loadFull = (inflate: Inflate, addOns: readonly AddOn[]): Promise<FullCore> =>
  loading(async () => {
    const base = unpacked(import("./full-inline.js"), inflate);
    await Promise.all([base, import("./add-ons.js").then(({ addAll }) => addAll(addOns, base, inflate))]);
    return base;
  });
