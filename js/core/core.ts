import init, { CoreSession } from "../glue/core.js";

/** The glue of the small module. By name: for an `import *` as a value Rolldown makes a chunk more, which is one more to wait for. */
export const glue = { default: init, CoreSession };
