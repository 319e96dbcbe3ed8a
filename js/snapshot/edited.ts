// The result of an edit of a value that may have changed since.

import type { JsonObject } from "../api/protocol.js";

/** An object of which JSON has all members. */
export function isPlain(value: unknown): value is JsonObject {
  return !!value && typeof (value as { toJSON?: unknown }).toJSON !== "function" && [Object.prototype, null].includes(Object.getPrototypeOf(value));
}

/** An edited value: what was left as it was is as it is now; what was changed is as the edit has it. */
export function edited(before: unknown, after: unknown, now: unknown, grows = false): unknown {
  if (after === before) return now;
  if (now === before) return after;
  const all = [before, after, now];
  if (grows && all.every((each) => typeof each === "string")) {
    const [old, made, grown] = all as string[];
    return grown!.startsWith(old!) ? made + grown!.slice(old!.length) : made;
  }
  const edit: Edit<unknown> = (...each) => edited(...each, grows);
  if (all.every(Array.isArray)) return editedList(all as never, nameOf, edit);
  return all.every(isPlain) ? Object.fromEntries(editedParts(all.map((each) => new Map(Object.entries(each))), edit)) : after;
}

/** An element of a list is known by its `id` or `key`, or by being equal. */
function nameOf(item: unknown): unknown {
  const { key, id = key } = Object(item) as JsonObject;
  return id ?? JSON.stringify(item);
}

/** A value before the edit, after it, and as it is now, each of which may be absent: returns the edited one. */
type Edit<Item> = (before: Item | undefined, after: Item, now: Item | undefined) => Item;
type Three<Value> = readonly Value[];

/** An edited list. Of several elements of one name, the first is the first. */
export function editedList<Item>(lists: Three<readonly Item[]>, keyOf: (item: Item) => unknown, edit: Edit<Item>): Item[] {
  const named = (list: readonly Item[]): Map<string, Item> => {
    const counts = new Map<unknown, number>();
    return new Map(list.map((item) => {
      const name = keyOf(item);
      counts.set(name, (counts.get(name) ?? 0) + 1);
      return [`${counts.get(name)} ${name}`, item];
    }));
  };
  return editedParts(lists.map(named), edit).map(([, item]) => item);
}

/** The edited parts of a value. One that has come since stands where it stood, after the last one before it that is left. */
function editedParts<Item>([before, after, now]: Three<ReadonlyMap<string, Item>>, edit: Edit<Item>): [name: string, item: Item][] {
  let last: [string, Item][] = [];
  const first = last;
  const newer = new Map<string, typeof last>();
  for (const part of now!) {
    const [name] = part;
    if (after!.has(name)) newer.set(name, last = []);
    else if (!before!.has(name)) last.push(part);
  }
  const parts = [...after!].flatMap(([name, item]): typeof last => {
    const [old, at] = [before!.get(name), now!.get(name)];
    // The other side has taken it away.
    return at === undefined && JSON.stringify(old) === JSON.stringify(item) ? [] : [[name, edit(old, item, at)], ...(newer.get(name) ?? [])];
  });
  return [...first, ...parts];
}
