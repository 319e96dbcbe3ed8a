// The inbox of a store: a letter of each page that has said something without owning it, or before it has answered (`post` in open.ts writes it). The page
// that owns the store takes the letters of those that have gone.

import type { SavesClient, SavesOptions } from "../api/saves.js";
import type { QueueChange, Queued, SavedAct } from "../snapshot/save.js";
import { kit } from "./kit.js";
import { hasSome, mergeSaves } from "./merge.js";
import type { Early } from "./open.js";

/** The submits that wait in a page and what was decided there, as a save has them, and the changes of submits that have waited before. */
type Letter = readonly [threadId: string | null, queue: readonly Queued[], acts: readonly SavedAct[], changes?: readonly QueueChange[]];

export class Inbox {
  /** The names of the letters that the next save has. */
  private taken: readonly string[] = [];

  constructor(private readonly early: Early, private readonly given: SavesOptions, private readonly thread: SavesClient) {}

  /** Whether there are letters of other pages. */
  hasOthers(): boolean {
    return this.#others().length > 0;
  }

  /** Writes the letter of this page, if it has something to say, or had. */
  post(): void {
    kit.post(this.early, this.given, this.thread);
  }

  /** The same once it has written one. */
  update(): void {
    if (this.early.inbox) this.post();
  }

  /**
   * Puts the letters into a save, JSON text, or into the thread without one. Those of others stay where some of them may be there (`company`); this page says itself
   * what it has written, unless another one has taken that: nobody expected this one to come back, which is what `back` is for.
   */
  take(last: string | undefined, company: boolean, back: () => void): string | undefined {
    const { pending } = this.thread.link.shared;
    const own = this.early.inbox;
    const merge = (queue: readonly object[], acts: readonly object[], changes: readonly QueueChange[] = []): void => {
      const { threadId, messages, state } = pending.confirmed();
      last = mergeSaves(last ?? JSON.stringify({ v: 1, threadId, messages, state }), JSON.stringify({ queue, acts }), undefined, changes);
    };
    for (const [name, [, ...letter]] of company ? [] : this.#others()) {
      this.taken = [...this.taken, name];
      merge(...letter);
    }
    if (own === undefined) return last;
    const [, , queue, acts] = pending.parted();
    this.taken = [...this.taken, own];
    if (hasSome(last, queue as readonly Queued[])) {
      back();
      merge(queue, acts);
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

  /** The letters of this thread. Agents with other options have the store in turn. */
  #others(): readonly (readonly [string, Letter])[] {
    const { threadId = null } = this.given;
    return Object.entries(this.#read()).filter(([name, [thread]]) => name !== this.early.inbox && thread === threadId);
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
      // Taking a letter once more is harmless.
    }
  }
}
