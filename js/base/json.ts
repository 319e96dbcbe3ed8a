import type { JsonObject } from "../api/protocol.js";

/** Whether it is an object, and no list. */
export const isObject = (value: unknown): value is JsonObject => typeof value === "object" && value !== null && !Array.isArray(value);

/** The members that are set. */
export function defined<Members extends object>(members: Members): { [Name in keyof Members]?: NonNullable<Members[Name]> } {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as ReturnType<typeof defined<Members>>;
}

/** Parses a text. `otherwise`: the result for one that is not JSON. */
export function parseJson(text: unknown, otherwise?: unknown): unknown {
  try {
    return JSON.parse(text as string);
  } catch {
    return otherwise;
  }
}
