// The writes of a store in this page, one after the other. Of several that wait only the last is made: it has what the others have.

import type { AgentStore } from "../api/saving.js";
import { factsOf } from "./facts.js";
import { kit } from "./kit.js";
import type { SaveParts, StoredTexts } from "./record.js";
import { writeStore, type WriteFailure } from "./write.js";

/** A save that is to be written. */
export interface Write {
  readonly store: AgentStore;
  /** JSON text. */
  readonly save: string;
  /** It is what has changed since the text that is there: its record is all that is written. */
  readonly part?: boolean;
  /** It has come to its end, perhaps to this one. */
  ended(failure: WriteFailure): void;
  /** It is settled, or has hung for a while; `kept`: the save or its record is there. */
  done(kept: boolean): void;
}

export type Writer = ReturnType<typeof createWriter>;

const beforeState = '],"state":';

/** Of a save of the core no more is read than the record needs: its messages are lines before the state. One that the page has made is one line. */
function partsOf(json: string): SaveParts | undefined {
  const at = json.lastIndexOf('"messages":[\n');
  if (at < 0) return undefined;
  const lines = json.slice(at).split("\n");
  return [JSON.parse(`${json.slice(0, at - 1)}}`), lines.filter((line) => line[0] === "{"), lines.at(-1)!.slice(beforeState.length, -1)];
}

/** Writes what has changed since the text that is there. */
const writePart: typeof writeStore = ({ record }, at, json, done) => {
  const changes = JSON.parse(json);
  const noted = (): void => {
    at.beside = changes;
    done(undefined, true);
  };
  kit.settle(() => record!.save({ ...changes, of: [at.there!.mark], mark: "" }), noted, () => done(undefined, false));
};

/** The writer of a store to which nothing was written. `wrote` is called after each write. */
export function createWriter(text: StoredTexts, wrote: () => void) {
  let next: Write | undefined;
  let writing = 0;
  let hangs = false;
  const waiting: (() => void)[] = [];

  /** Something is being written, and does not hang. */
  const busy = (): boolean => writing > 0 && !hangs;
  const rest = (): void => {
    if (!busy()) { for (const action of waiting.splice(0)) action(); }
  };
  const start = (): void => {
    if (!next || (writing && !next.store.ordered)) return;
    const { store, save, part, ended, done } = next;
    next = undefined;
    writing++;
    const end: Parameters<typeof writeStore>[3] = (failure, kept) => {
      ended(failure);
      writing--;
      hangs = false;
      done(kept);
      wrote();
      start();
      rest();
    };
    if (part) writePart(store, text, save, end);
    else writeStore(store, text, save, end, partsOf(save), factsOf);
  };

  return {
    /** Writes after everything that was written before, by any thread of this page; a store that hangs is waited for so long. */
    write: (write: Write, waitMs: number): void => {
      let told = false;
      const done = (kept: boolean): void => {
        clearTimeout(timer);
        if (!told) write.done(kept);
        told = true;
      };
      const timer = setTimeout(() => {
        hangs = true;
        rest();
        done(false);
      }, Math.min(waitMs, 1e9));
      const before = next;
      next = { ...write, done: (kept) => (before?.done(kept), done(kept)) };
      start();
      // A store that hangs is waited for once.
      if (hangs) done(false);
    },
    busy,
    /** Whether the store has this text, and takes a record of what has changed since. */
    follows: ({ record }: AgentStore, json: string): boolean => !!record && !writing && text.there?.json === json,
    /** Does it once that is no longer so. */
    whenDone: (action: () => void): void => {
      waiting.push(action);
      rest();
    },
  };
}
