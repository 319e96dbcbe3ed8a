// The content of the store, as far as its agent knows, and the way of the agent's saves into it: with changes that came too
// late to be shown, and never over a save that has not been read.

import { mergeSaves } from "./merge.js";
import type { SavesKit } from "./open.js";
import type { Claim } from "./owner.js";

export interface Stored {
  /** Something has changed that is not in the store. */
  readonly dirty: boolean;
  touch(): void;
  /** The store has not answered: nothing is written until it does. */
  readonly late: boolean;
  /** It has not answered, or cannot be read. */
  readonly unread: boolean;
  /** Somebody has written to the store, in this page, since it was read or written here. */
  changed(): boolean;
  /** The store is asked for what it has. */
  asked(): void;
  /** So far it has not answered. */
  waits(): void;
  /** It cannot be read. */
  refused(): void;
  /** The content of the store is known. */
  answered(): void;
  /** This came from it too late to begin with: it is in the next save, beside what the agent has. */
  missed(save: string): void;
  /** That is of no use. */
  forget(): void;
  /** Writes the save if the agent may; `kept`: the store has it, or its record. A store that could not be read is read once more before: `found` is given what it has. */
  write(json: string, done: (kept: boolean) => void, found: (value: unknown) => void): void;
  /** Writes the last save of an agent that has ended. */
  writeLast(json: string): void;
}

/** A store that nobody has asked. `warn` hears what keeps a save from being written. */
export function createStored(kit: SavesKit, claim: Claim, waitMs: number, warn: (message: string) => void): Stored {
  let unknown: "late" | "refused" | undefined;
  let older: string | undefined;
  let dirty = false;
  let seen = 0;
  let reported: string | undefined;

  const whole = (json: string): string => (older === undefined ? json : mergeSaves(kit, older, json));

  const failed = (cause: unknown): void => {
    const message = `The agent could not be saved: ${kit.reasonOf(cause)}`;
    // A store that is full is so all the time.
    if (message !== reported) warn(reported = message);
  };

  const put = (json: string, done: (kept: boolean) => void): void => {
    let fails = false;
    const ended = (kept: boolean): void => {
      if (!fails) reported = undefined;
      done(kept);
    };
    claim.write({ save: whole(json), failed: (cause) => ((fails = true), failed(cause)), done: ended }, waitMs);
    dirty = false;
    seen = claim.version();
  };

  return {
    get dirty() {
      return dirty;
    },
    touch: () => void (dirty = true),
    get late() {
      return unknown === "late";
    },
    get unread() {
      return unknown !== undefined;
    },
    changed: () => claim.version() !== seen,
    asked: () => void (seen = claim.version()),
    waits: () => void (unknown = "late"),
    refused: () => void (unknown = "refused"),
    answered: () => void (unknown = undefined),
    missed: (save) => void (older = save),
    forget: () => void (older = undefined),
    write: (json, done, found) => {
      if (claim.owns() && !unknown) return put(json, done);
      dirty = true;
      if (!claim.owns() || unknown === "late") return done(false);
      // A good save may be there.
      const answered = (value: unknown): void => {
        unknown = undefined;
        found(value);
        put(json, done);
      };
      kit.settle(() => claim.read(), answered, failed);
      if (unknown) done(false);
    },
    writeLast: (json) => claim.write({ save: whole(json), failed, done: () => {} }, waitMs),
  };
}
