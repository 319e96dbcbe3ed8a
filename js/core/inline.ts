// The modules that the package carries. Not beside `moduleFor`, which slim uses too: webpack keeps every `import()` of a file.

import { instantiate, loading, type Glue, type Inflate } from "./loader.js";
import type { Modules } from "./modules.js";

/** A module's glue and bytes. */
interface Packed<Module extends Glue> {
  readonly glue: Module;
  readonly bytes: string;
}

/** The load of a module whose chunk is imported by that. */
export const packed = <Module extends Glue>(chunk: () => Promise<Packed<Module>>) => (inflate: Inflate): Promise<Module> =>
  loading(async () => {
    const { glue, bytes } = await chunk();
    return instantiate(glue, () => inflate(bytes));
  });

/** The modules that the package carries. */
export const inline: Modules = {
  core: packed(() => import("./core-inline.js")),
  full: packed(() => import("./full-inline.js")),
};
