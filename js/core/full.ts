import init, { askGuard, compact, Session, Stepper } from "../glue/full.js";
import { createLoad } from "./loader.js";

/** The full module, one a page. */
export const loadFull = createLoad({ default: init, askGuard, compact, Session, Stepper });
