// The modules that the package carries. Not beside `moduleFor`, which slim uses too: webpack keeps every `import()` of a file.

import { loadFull } from "./load-full.js";
import { unpacked } from "./loader.js";
import type { Modules } from "./modules.js";

/** The modules that the package carries. */
export const inline: Modules = {
  core: (inflate) => unpacked(import("./core-inline.js"), inflate),
  full: loadFull,
};
