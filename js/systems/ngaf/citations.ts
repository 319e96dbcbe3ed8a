// The citations bridge: `state.citations`, by the id of a message, as citations of that message.

import type { JsonObject } from "../../api/protocol.js";
import { defined, isObject } from "../../base/json.js";
import { ownValue } from "./json.js";
import type { Citation } from "./types.js";

/**
 * The citations that a state has for a message; `undefined` if it has none. An entry is an address, or an object whose
 * members go by several names.
 *
 * @example
 * const citations = citationsOf(agent.getSnapshot().state, message.id) ?? [];
 */
export function citationsOf(state: unknown, messageId: string, version: 1 | 2 = 2): readonly Citation[] | undefined {
  const all = isObject(state) ? ownValue(state, "citations") : undefined;
  const list = isObject(all) ? ownValue(all, messageId) : undefined;
  if (!Array.isArray(list) || !list.length) return undefined;
  return list.map((entry, at) => toCitation(entry, at + 1, version));
}

function toCitation(entry: unknown, place: number, version: 1 | 2): Citation {
  if (typeof entry === "string") return { id: `c${place}`, index: place, url: entry };
  const from: JsonObject = isObject(entry) ? entry : {};
  /** The first of these members that is a text. */
  const text = (...names: string[]): string | undefined => {
    for (const name of names) {
      const value = ownValue(from, name);
      if (typeof value === "string") return value;
    }
    return undefined;
  };
  const [index, extra, published] = [ownValue(from, "index"), ownValue(from, "extra"), ownValue(from, "publishedAt")];
  const dated = typeof published === "string" || typeof published === "number" || published instanceof Date;
  const found = {
    id: text("id", "refId") ?? `c${place}`,
    index: typeof index === "number" ? index : place,
    title: text("title", "name"),
    url: text("url", "href", "source"),
    snippet: text("snippet", "content", "excerpt"),
    extra: isObject(extra) ? extra : undefined,
    ...(version === 2 && {
      sourceType: text("sourceType"),
      iconUrl: text("iconUrl"),
      publishedAt: dated ? (published as string | number | Date) : undefined,
    }),
  };
  return defined(found) as unknown as Citation;
}
