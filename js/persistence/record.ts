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

import type { AgentStore } from "../api/saving.js";
import type { AssistantMessage, Message, ToolMessage } from "../api/types.js";
import { isPromise, settle } from "../base/promise.js";
import { uuid } from "../base/uuid.js";
import { composeSave, union } from "../snapshot/compose.js";
import type { Saved } from "../snapshot/save.js";

/** A text as it is written. */
interface Marked extends Saved {
  readonly mark?: string;
}

/** The record beside it. */
interface Record extends Partial<Pick<Saved, (typeof facts)[number]>> {
  readonly mark: string;
  readonly of?: string | undefined;
  readonly among?: readonly string[];
  readonly messages: readonly Message[];
  readonly untold: readonly unknown[];
}

/** The members of a save that a record repeats. */
const facts = ["threadId", "runId", "running", "interrupts", "handled", "unsent", "failed", "queue", "turn", "resumed"] as const;
/** How far the stream of a run was read: of no use for another run. */
const stream = ["lastEventId", "cursor", "behind", "usageTold", "checkpoint", "earlier"];

/** The text with what the record says of it. */
function join(found: unknown, record: Record | undefined): unknown {
  const { mark, ...text } = found as Marked;
  if (!record || record.mark === mark) return text;
  if (record.of !== mark && !record.among?.includes(mark!)) return { ...text, handled: union(text.handled, record.handled, (id) => id) };
  const same = record.runId === text.runId;
  return {
    ...text,
    ...(!same && Object.fromEntries(stream.map((name) => [name, undefined]))),
    ...Object.fromEntries(facts.map((name) => [name, record[name]])),
    running: record.running || ((!same || text.running) && !record.interrupts?.length),
    messages: union(text.messages, record.messages, ({ id }) => id),
    untold: record.untold,
  };
}

/** How an agent begins that finds nothing. */
export type First = Pick<Saved, "messages" | "state">;

/** The text that is in a store, as far as this page knows. */
export interface Text {
  mark?: string | undefined;
  /** The ids of its messages and calls. */
  known?: ReadonlySet<string>;
  /** The marks of those that are being written, which may come to be there. */
  writing?: Set<string>;
  /** The save that the store has last refused: as long as its record is the last one there, this page begins with it. */
  refused?: { readonly mark: string; readonly saved: Saved } | undefined;
  /** The number of the read or write that this is known from. */
  noted?: number;
}

const callsOf = (message: Message): string[] => ((message as AssistantMessage).toolCalls ?? []).map(({ id }) => id);

/** Notes what is in the store, unless that is known from a later read or write. */
const note = (at: Text, number: number, { mark, messages }: Marked): void => {
  if (number < at.noted!) return;
  at.noted = number;
  at.mark = mark;
  at.known = new Set(messages.flatMap((message) => [message.id, ...callsOf(message)]));
};

// Numbers the reads and writes of this page, in the order in which they begin.
let begun = 0;

/** The changes since the text was written. */
function recordOf(saved: Saved, mark: string, { mark: of, known = new Set(), writing = new Set() }: Text): Record {
  const messages: Message[] = [];
  const untold: unknown[] = [...(saved.untold ?? [])];
  const ours = new Set([...saved.handled, ...saved.unsent]);
  for (const message of saved.messages) {
    const { id, role, toolCallId, content, error } = message as ToolMessage;
    if (known.has(id)) continue;
    if ((role as string) === "user" || (role === "tool" && known.has(toolCallId))) messages.push(message);
    // The stream brings its call again.
    else if (role === "tool" && (ours.has(toolCallId) || ours.has(id))) untold.push({ call: toolCallId, content, error });
  }
  return { ...Object.fromEntries(facts.map((name) => [name, saved[name]])), mark, of, ...(writing.size && { among: [...writing] }), messages, untold };
}

/** Reads the save of a store. */
export function readStore(store: AgentStore, at: Text, first: First): unknown {
  const number = ++begun;
  const read = (found: unknown, beside?: unknown): unknown => {
    // A record that is damaged is none.
    const record = Array.isArray((beside as Record | undefined)?.handled) ? (beside as Record) : undefined;
    // Not one save has been written so far.
    const none = !found && record && record.of === undefined;
    const text = none ? JSON.parse(composeSave(undefined, { ...first, threadId: record.threadId! })) : (found as Marked | undefined);
    if (!store.record || !Array.isArray(text?.messages)) return text;
    note(at, number, text);
    return record && record.mark === at.refused?.mark ? at.refused.saved : join(text, record);
  };
  const beside = (): unknown => {
    try {
      return store.record?.load();
    } catch {
      return undefined;
    }
  };
  const [text, record] = [store.load(), beside()];
  if (!isPromise(text) && !isPromise(record)) return read(text, record);
  return Promise.all([text, Promise.resolve(record).catch(() => {})]).then((both) => read(...both));
}

/** A store of the platform takes the text as the core wrote it; one that somebody has put another `save` into does not. */
type TextSave = AgentStore["save"] & { readonly text?: (json: string) => void | Promise<void> };

/** Writes a save, JSON text, and its record before. `done` hears what the save has failed with, and whether anything of it is there. */
export function writeStore(store: AgentStore, at: Text, json: string, done: (failure: { readonly cause: unknown } | undefined, kept: boolean) => void): void {
  const { record } = store;
  const mark = uuid();
  const saved: Saved = JSON.parse(json);
  const text: Marked = record ? { ...saved, mark } : saved;
  let kept = false;
  // Both begin in this task: a page that is left has no other.
  let open = record ? 2 : 1;
  let failure: { readonly cause: unknown } | undefined;
  const end = (): void => void (--open || done(failure, kept || !failure));
  if (record) settle(() => record.save(recordOf(saved, mark, at)), () => ((kept = true), end()), end);
  (at.writing ??= new Set()).add(mark);
  const wrote = (refused?: { readonly cause: unknown }): void => {
    failure = refused;
    at.writing!.delete(mark);
    at.refused = refused && record && { mark, saved };
    // Whatever was asked for until now may have been read before.
    if (!refused && record) note(at, ++begun, text);
    end();
  };
  const save = store.save as TextSave;
  // The last of two members of one name counts.
  const put = (): unknown => (save.text ? save.text(`${json.slice(0, -1)},"mark":"${mark}"}`) : store.save(text));
  settle(put, () => wrote(), (cause) => wrote({ cause }));
}
