// The format of a store: the text, which is the last save, and beside it a small record of the facts that promises depend on (the
// calls that were executed, the queue, the run, the user's messages). The record is written with each save and stands in a place
// of its own, so that it still fits where the save does not. It is a difference: it belongs to one text, and has the changes
// since.
//
//   record.of = mark of the text   ─►  the text, with the changes since; the same for each text that was being written then (`among`)
//   record.mark = mark of the text ─►  the text has all of it
//   record.of = nothing            ─►  without a text: how an agent begins, with the changes since
//   neither                        ─►  another page has written: a call that was executed stays executed, and no more
//
// A run that has ended since the text was cut off there: its answer is not in the record.

//
// Reading is in the page's first bundle, so that a page shows what it has kept before anything else is there. Writing comes later
// (record.ts).

import type { AgentStore } from "../api/saving.js";
import type { Message } from "../api/types.js";
import { isPromise } from "../base/promise.js";
import { composeSave, union } from "../snapshot/compose.js";
import type { Saved } from "../snapshot/save.js";

/** A text as it is written. */
export interface Marked extends Saved {
  readonly mark?: string;
}

/** The record beside it. */
export interface Record extends Partial<Pick<Saved, (typeof facts)[number]>> {
  readonly mark: string;
  readonly of?: string | undefined;
  readonly among?: readonly string[];
  readonly messages: readonly Message[];
  readonly untold: readonly unknown[];
}

/** The members of a save that a record repeats. */
export const facts = ["threadId", "runId", "running", "interrupts", "handled", "unsent", "failed", "queue", "turn", "resumed"] as const;
/** How far the stream of a run was read: of no use for another run. */
const stream = ["lastEventId", "cursor", "behind", "usageTold", "checkpoint", "earlier"];

/** The text with what the record says of it. */
function join(found: unknown, record: Record | undefined): unknown {
  const { mark, ...text } = found as Marked;
  if (!record || record.mark === mark) return text;
  if (record.of !== mark && !record.among?.includes(mark!)) return { ...text, handled: union(text.handled, record.handled, (id) => id) };
  const same = record.runId === text.runId;
  return {
    ...Object.fromEntries(Object.entries(text).filter(([name]) => same || !stream.includes(name))),
    ...Object.fromEntries(facts.map((name) => [name, record[name]])),
    running: record.running || ((!same || text.running) && !record.interrupts?.length),
    messages: union(text.messages, record.messages, ({ id }) => id),
    untold: record.untold,
  };
}

/** How an agent begins that finds nothing. */
export type First = Pick<Saved, "messages" | "state">;

/** The answers of a store: its text and its record. */
export type StoreAnswer = readonly [text: unknown, record: unknown];

/** Asks the store for both. A record that cannot be read is none. */
export function askStore(store: AgentStore): StoreAnswer | Promise<StoreAnswer> {
  const beside = (): unknown => {
    try {
      return store.record?.load();
    } catch {
      return undefined;
    }
  };
  const [text, record] = [store.load(), beside()];
  if (!isPromise(text) && !isPromise(record)) return [text, record];
  return Promise.all([text, Promise.resolve(record).catch(() => undefined)]);
}

/** Reads the answers: the save, and the text and the record that it is made of, where there are both. */
export function readAnswer(
  store: AgentStore,
  [found, other]: StoreAnswer,
  first: First,
): { readonly save: unknown; readonly text?: Marked; readonly record?: Record | undefined } {
  // A record that is damaged is none.
  const record = Array.isArray((other as Record | undefined)?.handled) ? (other as Record) : undefined;
  // Not one save has been written so far.
  const none = !found && record && record.of === undefined;
  const text = none ? JSON.parse(composeSave(undefined, { ...first, threadId: record.threadId! })) : (found as Marked | undefined);
  if (!store.record || !Array.isArray(text?.messages)) return { save: text };
  return { save: join(text, record), text, record };
}
