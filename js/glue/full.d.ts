// The glue of the module with the dialects and the guard: all of the other's, and more.

export * from "./core.js";
export { default } from "./core.js";
