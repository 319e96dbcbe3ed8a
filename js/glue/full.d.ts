// The glue of the module with the dialects and the guard: all of the other's, and more.

export * from "./core.js";
export { default } from "./core.js";

/** The guard's rules: JSON text in and out, as `src/guard/ask.rs` says. Throws what is wrong with the question. */
export function askGuard(question: string, json: string): string;
