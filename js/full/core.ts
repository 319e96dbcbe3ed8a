import * as glue from "../glue/full.js";
import { createLoad } from "../loader.js";

/** The module with the dialects and the guard, one a page. */
export const loadFull = createLoad(glue);
