// The format of a store: the text, which is the last save as the core wrote it, and beside it a small record of the facts that promises
// depend on (the calls that were executed, the queue, the run, the user's messages). The record is written with each save and stands
// in a place of its own, so that it still fits where the save does not. It is a difference: it belongs to one text, and has the
// changes since.
//
//   record.of has the text's mark  ─►  the text, with the changes since: it is the text that was there, or one that was being written then
//   record.mark = mark of the text ─►  the text has all of it
//   record.of begins with nothing  ─►  without a text: how an agent begins, with the changes since
//   neither                        ─►  another page has written: a call that was executed stays executed, and no more
//
// A run that has ended since the text was cut off there: its answer is not in the record. Where little has changed, the record is all that is
// written, and has the rest of the thread as well (`from`).

import type { AgentStore } from "../api/saving.js";
import type { AssistantMessage, Message, ToolMessage } from "../api/types.js";
import { isPromise, settle } from "../base/promise.js";
import { uuid } from "../base/uuid.js";
import { withChanges, type SavedChanges } from "../snapshot/changes.js";
import { union } from "../snapshot/compose.js";
import type { Saved } from "../snapshot/save.js";

/** A text, as a store has it. */
interface Marked extends Saved {
  readonly mark?: string | null;
}

/** The record beside it: the members of a save, but for those. */
interface Record extends Partial<Omit<Saved, (typeof ofText)[number]>> {
  readonly mark: string;
  readonly of?: readonly (string | null)[];
  /** It has all that has changed since the text, of whose messages so many stay. */
  readonly from?: number;
  /** Such a record of the same text, which stood there before this one. */
  readonly part?: SavedChanges | false | undefined;
  /** The messages of users and tools that the text lacks. */
  readonly messages: readonly Message[];
}

/** The members of a save that no record has. */
const ofThread = ["v", "state", "usage"] as const;
/** With those about how far the stream of its run was read, which are of no use for another run. */
const ofText = [...ofThread, "lastEventId", "cursor", "first", "behind", "usageTold", "checkpoint", "earlier"] as const;

const pick = (names: readonly string[], from: object): object => Object.fromEntries(names.map((name) => [name, from[name as never]]));

/** The text with what the record says of it. */
function join({ mark = null, ...saved }: Marked, record: Record | false): unknown {
  if (!record) return saved;
  const { mark: made, of, part, ...since } = record;
  if (made === mark) return saved;
  const { messages, runId, running, interrupts, untold = [], handled = [], unsent = [] } = since;
  if (!of?.includes(mark)) return { ...saved, handled: union(saved.handled, handled, (id) => id) };
  if (since.from !== undefined) return withChanges(saved, since as SavedChanges);
  const text = part && of![0] === mark ? withChanges(saved, part) : saved;
  const same = runId === text.runId;
  const calls = new Set(text.messages.flatMap((message) => (message as AssistantMessage).toolCalls?.map(({ id }) => id) ?? []));
  const own = new Set([...handled, ...unsent]);
  const results = [...untold];
  const said = messages.filter((message) => {
    const { id, role, toolCallId: call } = message as ToolMessage;
    if (role !== "tool" || calls.has(call)) return true;
    // The stream brings the call again.
    if (own.has(call) || own.has(id)) results.push({ ...message, call });
    return false;
  });
  return {
    ...since,
    ...pick(same ? ofText : ofThread, text),
    running: running || ((!same || text.running) && !interrupts?.length),
    messages: union(text.messages, said, ({ id }) => id),
    untold: results,
  };
}

/** How an agent begins that finds nothing. */
export type First = Pick<Saved, "messages" | "state">;

/** A text, known by its mark and its messages, each JSON text. */
interface StoredText {
  readonly mark: string | null | undefined;
  readonly lines: readonly string[];
  /** The text without its mark, if this page has written it; and all that has changed since, if its record has that. */
  readonly json?: string;
  part?: SavedChanges | false | undefined;
}

/** The texts of a store, as far as this page knows. */
export interface StoredTexts {
  /** The one that is there. */
  there?: StoredText;
  /** The marks of those that are being written, which may come to be there. */
  writing?: Set<string>;
  /** The last one that the store has refused: as long as its record is the last one there, this page begins with it. */
  refused?: StoredText | undefined;
}

/** The messages as the core writes them into a save: each in a line. */
const linesOf = (messages: readonly Message[]): readonly string[] => messages.map((message) => JSON.stringify(message));

/** A save, of which the messages may be missing, and the messages. */
export type SaveParts = readonly [saved: Saved, lines: readonly string[]];

/** The same of a save that the page has made. */
const partsOf = (json: string): SaveParts => {
  const saved: Saved = JSON.parse(json);
  return [saved, linesOf(saved.messages)];
};

/** Reads the save of a store. */
export function readStore(store: AgentStore, at: StoredTexts, first: First): unknown {
  const { there } = at;
  const read = (found: unknown, beside: unknown): unknown => {
    // A record that is damaged is none.
    const record = Array.isArray((beside as Record | undefined)?.handled) && (beside as Record);
    // Without a text and what it has: not one save has been written so far.
    const text = (!found && record && record.of?.[0] == null ? { v: 1, ...first } : found) as Marked | undefined;
    if (!Array.isArray(text?.messages)) return text;
    // Something was written meanwhile.
    if (at.there === there) {
      const part = record && record.of?.[0] === text.mark && (record.from === undefined ? record.part : (record as SavedChanges));
      at.there = { mark: text.mark, lines: linesOf(text.messages), part };
    }
    return record && record.mark === at.refused?.mark ? JSON.parse(at.refused!.json!) : join(text, record);
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

/** Writes a save, JSON text, and its record before. `done` hears what the save has failed with, and whether anything of it is there. */
export function writeStore(
  store: AgentStore,
  at: StoredTexts,
  json: string,
  done: (failure: { readonly cause: unknown } | undefined, kept: boolean) => void,
  [saved, lines]: SaveParts = partsOf(json),
): void {
  const { record } = store;
  const save = store.save as TextSave;
  const mark = uuid();
  const { there, writing = (at.writing = new Set()) } = at;
  const known = new Set(there?.lines);
  const messages = lines.filter((line) => !known.has(line)).map((line) => JSON.parse(line)).filter(({ role }) => /user|tool/.test(role));
  const made: Record = { ...saved, ...pick(ofText, {}), mark, of: [there?.mark ?? null, ...writing], part: there?.part, messages };
  let kept = false;
  // Both begin in this task: a page that is left has no other.
  let open = 2;
  let failure: { readonly cause: unknown } | undefined;
  const end = (_?: unknown): void => void (--open || done(failure, kept));
  settle(() => record?.save(made), () => end(kept ||= !!record), end);
  writing.add(mark);
  const wrote = (refused?: { readonly cause: unknown }): void => {
    failure = refused;
    writing.delete(mark);
    const text = { mark, lines, json };
    at.refused = refused && text;
    if (!refused) {
      at.there = text;
      kept = true;
    }
    end();
  };
  // The last of two members of one name counts.
  const put = (): unknown => (save.text ? save.text(`${json.slice(0, -1)},"mark":"${mark}"}`) : store.save({ ...JSON.parse(json), ...(record && { mark }) }));
  settle(put, () => wrote(), (cause) => wrote({ cause }));
}
