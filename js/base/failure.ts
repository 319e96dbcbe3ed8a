// From what is thrown around the core to errors for the application.

import { AgentError } from "../api/error.js";

/** Whether the core is lost: it trapped, or ran out of stack. */
export function isTrap(error: unknown): boolean {
  return error instanceof Error && /^(RuntimeError|RangeError|InternalError)$/.test(error.name);
}

/** A fault of ours, or of the platform. */
export function internal(what: string, cause: unknown): AgentError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new AgentError({ kind: "internal", message: `${what}: ${reason}`, retryable: true, cause });
}

/** What the core refuses. */
export function misuse(cause: unknown): AgentError {
  const { message, code = "input" } = cause as Error & { code?: string };
  return new AgentError({ kind: "unsupported", code, message, cause });
}

/** JSON text, or the application's mistake. */
export function toJson(value: unknown): string {
  try {
    return JSON.stringify(value) ?? "null";
  } catch (cause) {
    throw misuse(cause);
  }
}
