// A chunk of its own: the full module with its bytes.

export { bytes } from "../glue/full-bytes.js";
export { glue } from "./full.js";
