import type { FullCore } from "./loader.js";

/** The full module as one file, once an agent of `ag-ui-wasm/slim` has loaded it. */
export const oneFile: { module?: FullCore } = {};
