import * as glue from "../glue/core.js";
import { createLoad } from "./loader.js";

/** The small module, one a page. */
export const loadCore = createLoad(glue);
