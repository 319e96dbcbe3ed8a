// The rows that are shown: those of the kinds that are wanted and with the text that is searched.

import type { Entry, Kind } from "./entry.js";
import { summary } from "./entry.js";
import type { Log } from "./log.js";

/** The filter for rows. */
export interface Wanted {
  /** Kinds that are not shown. */
  readonly hidden: ReadonlySet<Kind>;
  /** In any case; empty: all rows. */
  readonly search: string;
}

/** Characters of a row's events that are searched. */
const maxSearched = 20_000;

/** A filter that shows all. A new wish is met step by step, so that a hundred thousand rows do not hold up the page. */
export function createFilter(log: Log) {
  let wanted: Wanted = { hidden: new Set(), search: "" };
  let rows: Entry[] = [];
  // The id of the newest row that was looked at.
  let seen = 0;

  const fits = (entry: Entry): boolean => !wanted.hidden.has(entry.kind) && (!wanted.search || contains(entry, wanted.search));

  /** Looks at so many more rows. */
  const step = (most: number): void => {
    const { entries } = log;
    let at = after(entries, seen);
    for (const end = Math.min(entries.length, at + most); at < end; at++) {
      const entry = entries[at]!;
      if (fits(entry)) rows.push(entry);
      seen = entry.id;
    }
  };

  const off = log.subscribe((entry) => {
    if (!entry) {
      const first = log.entries[0]?.id ?? Infinity;
      rows = rows.slice(after(rows, first - 1));
      return;
    }
    // It has grown: text that was searched in vain may have come.
    if (entry.id > seen || !wanted.search) return;
    const place = after(rows, entry.id - 1);
    if (rows[place] !== entry && fits(entry)) rows.splice(place, 0, entry);
  });

  return {
    get rows(): readonly Entry[] {
      return rows;
    },
    /** Whether rows are yet to be looked at, by `step`. */
    get searching(): boolean {
      const { entries } = log;
      return entries.length > 0 && entries[entries.length - 1]!.id > seen;
    },
    set: (next: Wanted): void => {
      wanted = { ...next, search: next.search.toLowerCase() };
      rows = [];
      seen = 0;
    },
    step,
    close: off,
  };
}

/** Where the first row after that id is. Ids grow. */
function after(entries: readonly Entry[], id: number): number {
  let [low, high] = [0, entries.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (entries[middle]!.id <= id) low = middle + 1;
    else high = middle;
  }
  return low;
}

function contains(entry: Entry, search: string): boolean {
  if (entry.type.toLowerCase().includes(search) || summary(entry).toLowerCase().includes(search)) return true;
  return textOf(entry).toLowerCase().includes(search);
}

/** The strings of a row's events: all the deltas as one text, and every other member. */
function textOf({ items }: Entry): string {
  const [first] = items;
  let remaining = maxSearched;
  const found: string[] = [];
  const take = (text: string): void => {
    found.push(text.slice(0, remaining));
    remaining -= text.length;
  };
  if (items.length > 1) { for (const item of items) if (remaining > 0) take(String((item as { event: { delta?: unknown } }).event.delta ?? "")); }
  const deltas = found.splice(0).join("");
  const todo: unknown[] = [first];
  while (todo.length && remaining > 0) {
    const part = todo.pop();
    if (typeof part === "string" || typeof part === "number") take(String(part));
    else if (typeof part === "object" && part !== null) {
      for (const key of Object.keys(part).slice(0, 1000)) todo.push((part as Record<string, unknown>)[key], key);
    }
  }
  return `${deltas}\n${found.join("\n")}`;
}
