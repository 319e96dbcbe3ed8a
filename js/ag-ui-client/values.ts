// Copies and ids.

export { uuid as randomUUID } from "../base/uuid.js";

/** A deep copy. A value with a part that cannot be copied, such as a function, is copied by JSON; one that has no JSON, flatly. */
export function structuredClone_<T>(value: T): T {
  try {
    return structuredClone(value);
  } catch {
    try {
      return JSON.parse(JSON.stringify(value));
    } catch {
      return (Array.isArray(value) ? [...value] : { ...value }) as T;
    }
  }
}

/** JSON text; `null` for what has none. */
export function toJson(value: unknown): string {
  return JSON.stringify(value) ?? "null";
}
