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

/** The application's mistake, by the member that it is in. */
export function unfit(name: string, expected: string, found: unknown): Error {
  const shape = Array.isArray(found) ? "a list" : found && typeof found === "object" && "an object";
  const value = shape || (typeof found === "string" ? JSON.stringify(found) : String(found));
  return misuse(new TypeError(`${name}: expected ${expected}, got ${value}`));
}

/** JSON text, or the application's mistake. */
export function toJson(value: unknown): string {
  try {
    return JSON.stringify(value) ?? "null";
  } catch (cause) {
    throw misuse(cause);
  }
}
