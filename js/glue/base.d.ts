// The glue of the base, which is that of the full module once more: a page may load both.

export * from "./full.js";
export { default } from "./full.js";
