// Reads members of a server's data.

import { isObject } from "../../base/json.js";

export function string(value: unknown): string {
  return typeof value === "string" ? value : "";
}

export function list<Item>(value: readonly Item[] | undefined): readonly Item[] {
  return Array.isArray(value) ? value : [];
}

export function toObject(value: unknown): Record<string, unknown> {
  return isObject(value) ? value : {};
}
