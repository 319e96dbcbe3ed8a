import init, { askGuard, compact, Session, Stepper } from "../glue/full.js";

/** The glue of the full module. */
export const glue = { default: init, askGuard, compact, Session, Stepper };
