// Small questions about JSON.

import type { JsonObject } from "../../api/protocol.js";
import { isObject, parseJson } from "../../base/json.js";
import { applyOperations, type Operation } from "../../base/checked-patch.js";

/** A member of the object itself: servers choose keys. */
export function ownValue(object: JsonObject, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** A text is parsed, if it is JSON; anything else stays as it is. */
export function parsed(value: unknown): unknown {
  return typeof value === "string" ? parseJson(value, value) : value;
}

/** An object after a JSON Patch, and whether RFC 6902 would have refused that; `undefined`: the patch does not apply. */
export function patched(document: JsonObject, operations: unknown): { value: JsonObject; lenient: boolean } | undefined {
  try {
    const list = (Array.isArray(operations) ? operations : []).map((step) => (isObject(step) ? step : {}) as Operation);
    const { value, lenient } = applyOperations(document, list);
    return isObject(value) ? { value, lenient } : undefined;
  } catch {
    // The agent refuses it as well, and warns.
    return undefined;
  }
}

/** Finds the end of an object in a text that comes in pieces, so that it is parsed once. */
export interface ObjectScan {
  text: string;
  depth: number;
  quoted: boolean;
  escaped: boolean;
}

/** Adds a piece. Says whether an object may be complete now. */
export function scan(at: ObjectScan, piece: string): boolean {
  at.text += piece;
  let complete = false;
  for (let i = 0; i < piece.length; i++) {
    const unit = piece.charCodeAt(i);
    if (at.escaped) at.escaped = false;
    else if (at.quoted) {
      if (unit === 92) at.escaped = true;
      else if (unit === 34) at.quoted = false;
    } else if (unit === 34) at.quoted = true;
    else if (unit === 123 || unit === 91) at.depth++;
    else if (unit === 125 || unit === 93) complete = --at.depth === 0;
    else if (unit > 32) complete = false;
  }
  return complete;
}
