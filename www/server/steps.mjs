/**
 * The steps of a scenario. A scenario is a generator; an object with a `step` is one of the steps below, everything else
 * is an event of its system and goes out as one frame. Scenarios never see a clock or a socket, so one reads as a script.
 */

/** Lets time pass: `ms` at normal speed, none at `?speed=0`. */
export const wait = (ms) => ({ step: "wait", ms });

/** A place where a run with `?hold=…` stops until a test releases it. Without `hold` it is nothing. */
export const mark = (name) => ({ step: "mark", name });

/** Stops until something comes from elsewhere, as a person's answer in a request of its own. */
export const until = (promise) => ({ step: "until", promise });

/** Bytes as they are, past the framing. */
export const raw = (bytes) => ({ step: "raw", bytes: typeof bytes === "string" ? new TextEncoder().encode(bytes) : Uint8Array.from(bytes) });

/** Breaks the connection in the middle of the answer. */
export const cut = () => ({ step: "cut" });

/** Ends the answer cleanly, though nothing has said that the run is over. */
export const end = () => ({ step: "end" });

/** `text` in pieces as a model would send it: a short word with its leading space, or a part of a long one. */
export const tokens = (text) => text.match(/\s?[\p{L}\p{N}\p{M}]{1,5}|\s?[^\p{L}\p{N}\p{M}\s]{1,2}|\s+/gu) ?? [];

/** `text` in pieces of `size` characters, wherever they fall. */
export const pieces = (text, size) => text.match(new RegExp(`[^]{1,${size}}`, "gu")) ?? [];
