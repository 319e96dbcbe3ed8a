// The result of an edit of a value that may have changed since.

import type { JsonObject } from "../api/protocol.js";

/** An object of which JSON has all members. */
export function isPlain(value: unknown): value is JsonObject {
  if (typeof value !== "object" || !value || typeof (value as { toJSON?: unknown }).toJSON === "function") return false;
  return [Object.prototype, null].includes(Object.getPrototypeOf(value));
}

/** An edited value: what was left as it was is as it is now; what was changed is as the edit has it. */
export function edited(before: unknown, after: unknown, now: unknown, grows = false): unknown {
  if (after === before) return now;
  if (now === before) return after;
  if (grows && typeof before === "string" && typeof after === "string" && typeof now === "string") {
    return now.startsWith(before) ? after + now.slice(before.length) : after;
  }
  if (!isPlain(before) || !isPlain(after) || !isPlain(now)) return after;
  const members = new Map(Object.entries(now));
  for (const key of Object.keys(before)) if (!Object.hasOwn(after, key)) members.delete(key);
  for (const [key, value] of Object.entries(after)) {
    const had = Object.hasOwn(before, key);
    // The other side has taken it away.
    if (had && value === before[key] && !members.has(key)) continue;
    members.set(key, had && members.has(key) ? edited(before[key], value, members.get(key), grows) : value);
  }
  return Object.fromEntries(members);
}
