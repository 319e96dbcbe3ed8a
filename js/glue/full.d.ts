// The glue of the module with the dialects and the guard: all of the other's, and more.

export * from "./core.js";
export { default } from "./core.js";

/** A stream of events, taken one at a time: see `src/stepper/mod.rs`. JSON texts in and out. */
export class Stepper {
  /** Throws where `messages` is no array. */
  constructor(settings: string, messages: string, state: string);
  /** The events that `next` returns: their types with commas between them, or `*`. */
  want(types: string): void;
  open(content_type: string): void;
  feed(bytes: Uint8Array): void;
  finish(): void;
  push(json: string): void;
  /** The next event that was asked for; empty, where it is the one that was pushed. It counts once it is settled. */
  next(): string | undefined;
  settle(counts: boolean): void;
  /** The ids of calls that the run has started and not answered. */
  unanswered(): string;
  /** False, and nothing happens, where it is no array. */
  setMessages(json: string): boolean;
  setState(json: string): boolean;
  takePatch(): string | undefined;
  takeWarnings(): string | undefined;
  /** Why nothing more is taken, once all that came before is settled. */
  failure(): string | undefined;
  events(): number;
  free(): void;
}

/** Events, one JSON text a line, as fewer events that say the same. */
export function compact(lines: string): string;

/** The guard's rules: JSON text in and out, as `src/guard/ask.rs` says. Throws what is wrong with the question. */
export function askGuard(question: string, json: string): string;
