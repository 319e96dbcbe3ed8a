// The modules that the package carries. Not beside `moduleFor`, which slim uses too: webpack keeps every `import()` of a file.

import { loading } from "./loader.js";
import type { Modules } from "./modules.js";

/** The modules that the package carries. */
export const inline: Modules = {
  core: () => loading(async () => (await import("./core-inline.js")).load()),
  full: () => loading(async () => (await import("./full-inline.js")).load()),
};
