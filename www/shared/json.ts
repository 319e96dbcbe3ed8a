/** A JSON value as a tree to show. */
export type Tree =
  | { readonly kind: "leaf"; readonly type: string; readonly text: string }
  | { readonly kind: "node"; readonly label: string; readonly entries: readonly (readonly [string, unknown])[]; readonly more: number };

/** More than so many children of one node are counted, not shown. */
const SHOWN = 100;

export function tree(value: unknown): Tree {
  if (typeof value !== "object" || value === null) {
    return { kind: "leaf", type: value === null ? "null" : typeof value, text: JSON.stringify(value) ?? "undefined" };
  }
  const entries = Object.entries(value);
  const [open, close] = Array.isArray(value) ? "[]" : "{}";
  if (entries.length === 0) return { kind: "leaf", type: "empty", text: `${open}${close}` };
  const size = Array.isArray(value) ? `${entries.length} ${entries.length === 1 ? "item" : "items"}` : "";
  return { kind: "node", label: size, entries: entries.slice(0, SHOWN), more: Math.max(0, entries.length - SHOWN) };
}

/** Whether there is nothing to show of a value. */
export const isEmpty = (value: unknown): boolean => value === undefined || value === null || (typeof value === "object" && Object.keys(value).length === 0);

/** A tool's answer: JSON where it is JSON. */
export function parsed(value: unknown): unknown {
  if (typeof value !== "string") return value;
  try {
    return JSON.parse(value) as unknown;
  } catch {
    return value;
  }
}
