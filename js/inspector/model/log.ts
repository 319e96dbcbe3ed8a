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

/** An item, with what its row keeps of it. */
interface Addition {
  readonly item: Item;
  readonly at: number;
  readonly place: number;
  readonly text: string;
  readonly size: number;
}

/** The rows. There are none yet. */
export class Log {
  /** The oldest first. */
  entries: Entry[] = [];
  /** Events of the rows that are kept. */
  events = 0;
  /** Rows that were dropped. */
  dropped = 0;
  /** When the first row of all came. */
  startedAt: number | undefined;
  readonly #maxEvents: number;
  readonly #maxCharacters: number;
  readonly #listeners = new Set<(entry: Entry | undefined) => void>();
  // The rows that may still grow: those since the last item that was no delta. Streams side by side come in turns.
  readonly #burst = new Map<string, Entry>();
  #characters = 0;
  #ids = 0;
  #items = 0;

  constructor({ maxEvents = 100_000, maxCharacters = 64_000_000 }: LogLimits = {}) {
    this.#maxEvents = maxEvents;
    this.#maxCharacters = maxCharacters;
  }

  add(item: Item, at: number): Entry {
    this.startedAt ??= at;
    const text = deltaOf(item);
    const size = (text.length || weigh(item)) + 100;
    const entry = this.#rowOf({ item, at, place: ++this.#items, text, size });
    this.events++;
    this.#characters += size;
    this.#notify(entry);
    this.#bound();
    return entry;
  }

  change(entry: Entry, changes: Changes): void {
    entry.changes = changes;
    this.#notify(entry);
  }

  clear(): void {
    this.entries = [];
    this.#burst.clear();
    this.events = this.#characters = this.dropped = 0;
    this.startedAt = undefined;
    this.#notify(undefined);
  }

  /** Calls the listener after each change, with the row that was added or has grown; without one, rows were dropped. */
  subscribe(listener: (entry: Entry | undefined) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Appends to the row of the item's burst, or begins a row. */
  #rowOf(addition: Addition): Entry {
    const name = nameOfBurst(addition.item);
    if (name === undefined) this.#burst.clear();
    let entry = name === undefined ? undefined : this.#burst.get(name);
    if (entry && entry.items.length < maxJoined) append(entry, addition);
    else this.entries.push(entry = begin(++this.#ids, addition));
    if (name !== undefined) {
      this.#burst.set(name, entry);
      this.#burst.set(entry.type, entry);
    }
    return entry;
  }

  /** Drops a tenth at a time, because each time moves all the others. */
  #bound(): void {
    const [maxEvents, maxCharacters] = [this.#maxEvents, this.#maxCharacters];
    if (this.events <= maxEvents && this.#characters <= maxCharacters) return;
    let count = 0;
    for (const { items, size } of this.entries) {
      // The newest row stays, whatever it weighs.
      if (count >= this.entries.length - 1 || (this.events <= maxEvents * 0.9 && this.#characters <= maxCharacters * 0.9)) break;
      count++;
      this.events -= items.length;
      this.#characters -= size;
    }
    if (!count) return;
    this.#burst.clear();
    this.entries = this.entries.slice(count);
    this.dropped += count;
    this.#notify(undefined);
  }

  #notify(entry: Entry | undefined): void {
    for (const listener of this.#listeners) listener(entry);
  }
}

function begin(id: number, { item, at, place, text, size }: Addition): Entry {
  return { id, ...classify(item), at, items: [item], times: [at], places: [place], text: text.slice(0, maxText), length: text.length, size };
}

function append(entry: Entry, { item, at, place, text, size }: Addition): void {
  entry.items.push(item);
  entry.times.push(at);
  entry.places.push(place);
  if (entry.text.length < maxText) entry.text += text.slice(0, maxText);
  entry.length += text.length;
  entry.size += size;
}
