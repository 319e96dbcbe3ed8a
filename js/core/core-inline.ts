// A chunk of its own: the small module with its bytes.

export { bytes } from "../glue/bytes.js";
export { glue } from "./core.js";
