// The rows of the timeline, of which a bounded number is kept.

import { classify, deltaOf, maxJoined, maxText, nameOfBurst, type Changes, type Entry, type Item } from "./entry.js";
import { weigh } from "./text.js";

/** The limits of a log. */
export interface LogLimits {
  /** Events. The oldest rows go first. Default: 100,000. */
  readonly maxEvents?: number | undefined;
  /** Characters of events, about. Default: 64 million. */
  readonly maxCharacters?: number | undefined;
}

/** The rows, oldest first. */
export interface Log {
  readonly entries: readonly Entry[];
  /** Events of the rows that are kept. */
  readonly events: number;
  /** Rows that were dropped. */
  readonly dropped: number;
  /** When the first row of all came. */
  readonly startedAt: number | undefined;
  add(item: Item, at: number): Entry;
  change(entry: Entry, changes: Changes): void;
  clear(): void;
  /** Calls the listener after each change, with the row that was added or has grown; without one, rows were dropped. */
  subscribe(listener: (entry: Entry | undefined) => void): () => void;
}

/** An empty log. */
export function createLog({ maxEvents = 100_000, maxCharacters = 64_000_000 }: LogLimits = {}): Log {
  const listeners = new Set<(entry: Entry | undefined) => void>();
  let entries: Entry[] = [];
  let [ids, items, events, characters, dropped] = [0, 0, 0, 0, 0];
  // The rows that may still grow: those since the last item that was no delta. Streams side by side come in turns.
  const burst = new Map<string, Entry>();
  let startedAt: number | undefined;

  const notify = (entry: Entry | undefined): void => {
    for (const listener of listeners) listener(entry);
  };
  const weight = (item: Item): number => {
    const text = deltaOf(item);
    return text ? text.length + 100 : weigh(item) + 100;
  };
  /** Drops a tenth at a time, because each time moves all the others. */
  const bound = (): void => {
    if (events <= maxEvents && characters <= maxCharacters) return;
    let gone = 0;
    for (const { items: removed, size } of entries) {
      // The newest row stays, whatever it weighs.
      if (gone >= entries.length - 1 || (events <= maxEvents * 0.9 && characters <= maxCharacters * 0.9)) break;
      gone++;
      events -= removed.length;
      characters -= size;
    }
    if (!gone) return;
    burst.clear();
    entries = entries.slice(gone);
    dropped += gone;
    notify(undefined);
  };

  return {
    get entries() {
      return entries;
    },
    get events() {
      return events;
    },
    get dropped() {
      return dropped;
    },
    get startedAt() {
      return startedAt;
    },
    add: (item, at) => {
      startedAt ??= at;
      const size = weight(item);
      const text = deltaOf(item);
      const place = ++items;
      const name = nameOfBurst(item);
      if (name === undefined) burst.clear();
      let entry = name === undefined ? undefined : burst.get(name);
      if (entry && entry.items.length < maxJoined) {
        entry.items.push(item);
        entry.times.push(at);
        entry.places.push(place);
        if (entry.text.length < maxText) entry.text += text.slice(0, maxText);
        entry.length += text.length;
        entry.size += size;
      } else {
        entry = { id: ++ids, ...classify(item), at, items: [item], times: [at], places: [place], text: text.slice(0, maxText), length: text.length, size };
        entries.push(entry);
      }
      if (name !== undefined) {
        burst.set(name, entry);
        burst.set(entry.type, entry);
      }
      events++;
      characters += size;
      notify(entry);
      bound();
      return entry;
    },
    change: (entry, changes) => {
      entry.changes = changes;
      notify(entry);
    },
    clear: () => {
      entries = [];
      burst.clear();
      [events, characters, dropped] = [0, 0, 0];
      startedAt = undefined;
      notify(undefined);
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
