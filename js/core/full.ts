import init, { askGuard, compact, CoreSession, Stepper } from "../glue/full.js";

/** The glue of the full module, as the file of `ag-ui-wasm/slim`. */
export const glue = { default: init, askGuard, compact, CoreSession, Stepper };
