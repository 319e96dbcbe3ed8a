import init, { Session } from "../glue/core.js";
import { createLoad } from "./loader.js";

/** The small module, one a page. By name: for an `import *` as a value Rolldown makes a chunk more, which is one more to wait for. */
export const loadCore = createLoad({ default: init, Session });
