// The load of the full module that the package carries: its base, and the add-ons that are needed.

import { loading, unpacked } from "./loader.js";
import type { Modules } from "./modules.js";

/** Loads what is not there yet. */
export const loadFull: Modules["full"] = (inflate, ...needs) =>
  loading(async () => (await unpacked(import("./full-inline.js"), inflate)).complete(inflate, ...needs));
