import * as glue from "../glue/full.js";
import { createLoad } from "./loader.js";

/** The full module, one a page. */
export const loadFull = createLoad(glue);
