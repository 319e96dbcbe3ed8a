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
import type { Message } from "../api/types.js";
import { isPromise, settle } from "../base/promise.js";
import { uuid } from "../base/uuid.js";
import { withChanges, type SavedChanges } from "../snapshot/changes.js";
import { union, type Saved } from "../snapshot/save.js";

/** The record beside it: what has changed since any of some texts; a save has all the rest. */
interface Record extends SavedChanges {
  readonly mark: string;
  readonly of: readonly (string | null)[];
}

/** A save without its messages and state, and both: each JSON text. */
export type SaveParts = readonly [rest: Omit<Saved, "messages" | "state">, lines: readonly string[], state: string];

/** A text, as far as it is known. */
interface StoredText {
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
  } catch {
    // It is as one that is damaged.
  }
  return isPromise(text) || isPromise(record) ? Promise.all([text, Promise.resolve(record).catch(() => {})]).then((both) => read(...both)) : read(text, record);
}

/** A store of the platform takes the text as the core wrote it; one that somebody has put another `save` into does not. */
type TextSave = AgentStore["save"] & { readonly text?: (json: string) => void | Promise<void> };

/** The record of a save that is being written. Whichever of these texts is there when it is read, it has all that has changed since. */
function recordOf(mark: string, texts: readonly StoredText[], [rest, lines, state]: SaveParts): Record {
  const at = lines.findIndex((line, nth) => texts.some(({ parts }) => parts[1][nth] !== line));
  const from = at < 0 ? lines.length : at;
  return {
    ...rest,
    ...(texts.some(({ parts }) => parts[2] !== state) && { state: JSON.parse(state) }),
    messages: lines.slice(from).map((line): Message => JSON.parse(line)),
    ...{ from, mark, of: texts.map((text) => text.mark) },
  };
}

/** The reason why all or a part of a save was refused. */
export type WriteFailure = { readonly cause: unknown } | undefined;

/** Writes a save, JSON text, and its record before. `done` hears what all of it has failed with, and whether anything of it is there. */
export function writeStore(
  store: AgentStore,
  at: StoredTexts,
  json: string,
  done: (failure: WriteFailure, kept: boolean) => void,
  parts: SaveParts = partsOf(JSON.parse(json)),
  less?: (at: StoredTexts, parts: SaveParts) => SaveParts,
): void {
  const { record } = store;
  const save = store.save as TextSave;
  const mark = uuid();
  const { there, writing = (at.writing = new Set()) } = at;
  const text = { mark, parts, json };
  at.asked = undefined;
  const texts = [there ?? { mark: null, parts: [{}, [], ""] as never }, ...writing];
  // Both begin in this task: a page that is left has no other.
  let open = 2;
  let failure: WriteFailure;
  let noted: SaveParts | undefined;
  const end = (): void => void (--open || done(noted === parts ? undefined : failure, !failure || !!noted));
  // Of what the store has no room for less is noted; in the end not even what stood there before.
  const attempts = [() => parts, ...(less ? [() => less(at, parts), () => less({ ...at, beside: undefined }, parts)] : [])];
  const note = (): void => {
    const made = record && attempts.shift()?.();
    if (!made) return end();
    const changes = recordOf(mark, texts, made);
    const taken = (): void => {
      noted = made;
      if (at.there === there) at.beside = changes;
      end();
    };
    settle(() => record!.save(changes), taken, note);
  };
  note();
  writing.add(text);
  const wrote = (refused?: WriteFailure): void => {
    failure = refused;
    writing.delete(text);
    if (!refused) Object.assign(at, { there: text, beside: undefined });
    end();
  };
  // The last of two members of one name counts.
  const put = (): unknown => (save.text ? save.text(`${json.slice(0, -1)},"mark":"${mark}"}`) : store.save({ ...JSON.parse(json), ...(record && { mark }) }));
  settle(put, () => wrote(), (cause) => wrote({ cause }));
}
