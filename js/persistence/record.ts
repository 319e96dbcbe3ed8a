// The format of a store: the text, which is the last save as the core wrote it, and beside it the record of what has changed since that was
// written. The record is written with each save, in a place of its own: it is there although the text does not fit, or the page goes while it is written.
//
//   record.of has the text's mark  ─►  the text, with the changes since: it is the text that was there, or one that was being written then
//   record.mark = mark of the text ─►  the text has all of it
//   record.of begins with nothing  ─►  without a text: all is in the record
//   neither                        ─►  another page has written: a call that was executed stays executed, and no more
//
// Where the store has no room for the changes, the record has the facts that promises depend on (facts.ts). Where little has changed, it is all that is
// written (writer.ts).

import type { AgentStore } from "../api/saving.js";
import { isPromise } from "../base/promise.js";
import { withChanges, type SavedChanges } from "../snapshot/changes.js";
import { union, type Saved } from "../snapshot/save.js";

/** The record beside it: what has changed since any of some texts; a save has all the rest. */
export interface Record extends SavedChanges {
  readonly mark: string;
  readonly of: readonly (string | null)[];
}

/** A save without its messages and state, and both: each JSON text. */
export type SaveParts = readonly [rest: Omit<Saved, "messages" | "state">, lines: readonly string[], state: string];

/** A text, as far as it is known. */
export interface StoredText {
  readonly mark: string | null;
  readonly parts: SaveParts;
  /** Without its mark, if this page has written it. */
  readonly json?: string;
}

/** The texts of a store, as far as this page knows. */
export interface StoredTexts {
  /** The one that is there. */
  there?: StoredText;
  /** The changes since, which stand beside that one. */
  beside?: SavedChanges | undefined;
  /** The ones that are being written, which may come to be there. */
  writing?: Set<StoredText>;
  /** The last question, unless something was written since. */
  asked?: object | undefined;
  /** The beginning of a thread that finds nothing. */
  readonly first: Pick<Saved, "messages" | "state">;
}

export const partsOf = ({ messages, state, ...rest }: Saved): SaveParts => [rest, messages.map((message) => JSON.stringify(message)), JSON.stringify(state)];

/** Reads the save of a store. */
export function readStore(store: AgentStore, at: StoredTexts): unknown {
  const asked = at.asked = {};
  const read = (found: unknown, beside: unknown): unknown => {
    const { mark: written, of, ...changes } = Object(beside) as Record;
    // A record that is damaged is none.
    const record = [changes.handled, of, changes.messages].every(Array.isArray) && changes.from >= 0 ? (beside as Record) : undefined;
    // Not one text has been written so far.
    const text = (!found && record?.of[0] === null ? { v: 1, ...at.first, mark: null } : found) as (Saved & { readonly mark?: string | null }) | undefined;
    if (!Array.isArray(text?.messages)) return text;
    // One that was written by somebody else is known by its length.
    const { mark = `${JSON.stringify(text).length}`, ...saved } = text;
    // Nothing was written meanwhile, or asked anew.
    if (at.asked === asked) Object.assign(at, { there: found && { mark, parts: partsOf(saved) }, beside: record?.of[0] === mark ? record : undefined });
    if (!record || written === mark) return saved;
    return of.includes(mark) ? { ...withChanges(saved, changes), v: saved.v } : { ...saved, handled: union(saved.handled, changes.handled, (id) => id) };
  };
  const text = store.load();
  let record: unknown;
  try {
    record = store.record?.load();
  } catch (cause) {
    // A text that is no JSON is no record. One that cannot be read at the moment may say what was done, which is not to be done again.
    if (!(cause instanceof SyntaxError)) throw cause;
  }
  return isPromise(text) || isPromise(record) ? Promise.all([text, record]).then(([one, other]) => read(one, other)) : read(text, record);
}
