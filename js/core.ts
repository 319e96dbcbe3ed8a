import * as glue from "./glue/core.js";
import { createLoad } from "./loader.js";

/** The module for AG-UI itself, one a page. */
export const loadCore = createLoad(glue);
