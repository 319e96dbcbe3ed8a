// From what is thrown around the core to errors for the application.

import { AgentError } from "../api/error.js";
import { isPromise } from "./promise.js";

/** The message of a thrown value. */
export const reasonOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause));

/** A fault of ours, or of the platform. */
export const internal = (what: string, cause: unknown, code?: string): AgentError =>
  new AgentError({ kind: "internal", code, message: `${what}: ${reasonOf(cause)}`, retryable: true, cause });

/** The error for an operation that the agent does not support. */
export const unsupported = (code: string, message: string): AgentError => new AgentError({ kind: "unsupported", code, message });

/** The error for a call that the core refuses. */
export function misuse(cause: unknown): AgentError {
  const { message, code = "input" } = cause as Error & { code?: string };
  return new AgentError({ kind: "unsupported", code, message, cause });
}

/** Whether it is an event of the platform or of React: what a handler of clicks is called with. */
export const isEvent = (value: unknown): boolean => typeof (value as Event | null | undefined)?.preventDefault === "function";

/** The application's mistake, by the member that it is in. */
export function unfit(name: string, expected: string, found: unknown): Error {
  const kind = typeof found;
  const shape = kind === "object" && found && (isEvent(found) ? "an event" : isPromise(found) ? "a promise" : Array.isArray(found) ? "a list" : "an object");
  const value = shape || (kind === "string" ? JSON.stringify(found) : String(found) + (kind === "bigint" ? "n" : ""));
  return misuse(new TypeError(`${name}: expected ${expected}, got ${value}`));
}

/** Whether it is of that type, and a value of it: neither `null` nor NaN. A list is no object, and neither is an event. */
export const fits = (type: string, value: unknown): boolean =>
  typeof value === type && value !== null && value === value && !Array.isArray(value) && !isEvent(value);

/** Throws where the value is of another type. */
export function expect(name: string, type: "string" | "number" | "object" | "function", value: unknown): void {
  if (!fits(type, value)) throw unfit(name, `a${type === "object" ? "n" : ""} ${type}`, value);
}

/** Whether it is a list of values of that type. */
export const isList = (type: "string" | "object", value: unknown): boolean => Array.isArray(value) && value.every((item) => fits(type, item));

/** Throws where it is none. */
export function expectList(name: string, type: "string" | "object", value: unknown): void {
  if (!isList(type, value)) throw unfit(name, `a list of ${type}s`, value);
}

/** Throws where it is no list of objects with these texts. Returns it. */
export function expectTexts<Item>(name: string, list: readonly Item[], ...members: (keyof Item & string)[]): readonly Item[] {
  if (!Array.isArray(list)) throw unfit(name, "a list", list);
  for (const [at, item] of list.entries()) for (const member of members) expect(`${name}[${at}].${member}`, "string", item?.[member]);
  return list;
}

/** Throws where JSON would show nothing of the value. */
export function expectJson(name: string, value: unknown): void {
  if (value === undefined || typeof value === "function" || isPromise(value) || isEvent(value)) throw unfit(name, "JSON", value);
}

/** JSON text, or the application's mistake. */
export function toJson(value: unknown, shown?: (name: string, value: unknown) => unknown): string {
  try {
    return JSON.stringify(value, shown) ?? "null";
  } catch (cause) {
    throw misuse(cause);
  }
}
