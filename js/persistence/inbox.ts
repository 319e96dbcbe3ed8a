// The inbox of a store: a letter of each page that has said something without owning it, or before it has answered. The page that owns the store takes
// the letters of those that have gone. The first letter of a page may be written before this code has come (open.ts).

import type { SavesClient, SavesOptions } from "../api/saves.js";
import type { Queued, SavedAct } from "../snapshot/save.js";
import { hasSome, mergeSaves } from "./merge.js";
import type { Early } from "./open.js";

/** The submits that wait in a page, and what was decided there, as a save has them. */
type Letter = readonly [threadId: string | null, queue: readonly Queued[], acts: readonly SavedAct[]];

export class Inbox {
  /** The names of the letters that the next save has. */
  private taken: readonly string[] = [];

  constructor(private readonly early: Early, private readonly given: SavesOptions, private readonly thread: SavesClient) {}

  /** The letters of this thread. Agents with other options have the store in turn. */
  letters(): readonly (readonly [string, Letter])[] {
    return Object.entries(this.#read()).filter(([, [threadId]]) => threadId === (this.given.threadId ?? null));
  }

  /** Writes what is pending here, where there is something, or was. */
  post(): void {
    const { early, thread, given: { threadId } } = this;
    const [, , queue, acts] = thread.link.shared.pending.parted();
    if (!early.inbox && !queue.length && !acts.length) return;
    early.inbox ??= queue[0]?.runId ?? acts.join();
    this.#write({ ...this.#read(), [early.inbox]: [threadId, queue, acts] });
  }

  /** The same once this page has written one. */
  update(): void {
    // Where no code has come it is said, and waits for somebody to try again.
    if (this.early.inbox && this.thread.read().error?.code !== "load") this.post();
  }

  /**
   * Puts the letters into a save, JSON text, or into the thread without one. Those of others stay where some of them may be there (`company`); this page says itself
   * what it has written, unless another one has taken that: nobody expected this one to come back, which is what `back` is for.
   */
  take(last: string | undefined, company: boolean, back: () => void): string | undefined {
    for (const [name, [, queue, acts]] of this.letters()) {
      const isOwn = name === this.early.inbox;
      if (!isOwn && company) continue;
      this.taken = [...this.taken, name];
      if (isOwn && !hasSome(last, queue)) continue;
      if (isOwn) back();
      const { threadId, messages, state } = this.thread.link.shared.pending.confirmed();
      last = mergeSaves(last ?? JSON.stringify({ v: 1, threadId, messages, state }), JSON.stringify({ queue, acts }));
    }
    return last;
  }

  /** The next save has letters. */
  get isTaken(): boolean {
    return this.taken.length > 0;
  }

  /** Returns what is to be done once the next save is in the store. */
  next(): () => void {
    const { taken } = this;
    return () => {
      if (!taken.length) return;
      this.#write(Object.fromEntries(Object.entries(this.#read()).filter(([name]) => !taken.includes(name))));
      this.taken = this.taken.filter((name) => !taken.includes(name));
      if (taken.includes(this.early.inbox!)) this.early.inbox = undefined;
    };
  }

  #read(): { readonly [name: string]: Letter } {
    try {
      return Object(this.given.persist!.inbox?.load());
    } catch {
      return {};
    }
  }

  #write(letters: object): void {
    try {
      void this.given.persist!.inbox?.save(letters);
    } catch {
      // There may be no room for it.
    }
  }
}
