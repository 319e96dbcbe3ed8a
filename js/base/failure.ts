// From what is thrown around the core to errors for the application.

import { AgentError } from "../api/error.js";

/** Whether the core is lost: it trapped, or ran out of stack. */
export function isTrap(error: unknown): boolean {
  return error instanceof Error && /^(RuntimeError|RangeError|InternalError)$/.test(error.name);
}

/** What was thrown, in words. */
export const reasonOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause));

/** A fault of ours, or of the platform. */
export const internal = (what: string, cause: unknown): AgentError =>
  new AgentError({ kind: "internal", message: `${what}: ${reasonOf(cause)}`, retryable: true, cause });

/** What cannot be done. */
export const unsupported = (code: string, message: string): AgentError => new AgentError({ kind: "unsupported", code, message });

/** What the core refuses. */
export function misuse(cause: unknown): AgentError {
  const { message, code = "input" } = cause as Error & { code?: string };
  return new AgentError({ kind: "unsupported", code, message, cause });
}

/** Whether it is an event of the platform or of React: what a handler of clicks is called with. */
export const isEvent = (value: unknown): boolean => typeof (value as Event | null | undefined)?.preventDefault === "function";

/** The application's mistake, by the member that it is in. */
export function unfit(name: string, expected: string, found: unknown): Error {
  const kind = typeof found;
  const shape = isEvent(found) ? "an event" : Array.isArray(found) ? "a list" : found && kind === "object" ? "an object" : kind === "function" && "a function";
  const value = shape || (kind === "string" ? JSON.stringify(found) : kind === "bigint" ? `${found}n` : String(found));
  return misuse(new TypeError(`${name}: expected ${expected}, got ${value}`));
}

const isObject = (value: unknown): boolean => typeof value === "object" && value !== null;

const kinds = {
  "a string": (value: unknown) => typeof value === "string",
  "a number": (value: unknown) => typeof value === "number" && !Number.isNaN(value),
  "a function": (value: unknown) => typeof value === "function",
  "an object": isObject,
  "a list of strings": (value: unknown) => Array.isArray(value) && value.every(kinds["a string"]),
  "a list of objects": (value: unknown) => Array.isArray(value) && value.every(isObject),
};

/** Throws where the value is of another kind. What is null is as not given. */
export function expect(name: string, kind: keyof typeof kinds, value: unknown): void {
  if (value !== undefined && value !== null && !kinds[kind](value)) throw unfit(name, kind, value);
}

/** JSON text, or the application's mistake. */
export function toJson(value: unknown): string {
  try {
    return JSON.stringify(value) ?? "null";
  } catch (cause) {
    throw misuse(cause);
  }
}
