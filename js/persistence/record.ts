// Writes a store: the text, and its record before (read.ts).

import type { AgentStore } from "../api/saving.js";
import type { AssistantMessage, Message, ToolMessage } from "../api/types.js";
import { isPromise, settle } from "../base/promise.js";
import { uuid } from "../base/uuid.js";
import type { Saved } from "../snapshot/save.js";
import { askStore, facts, readAnswer, type StoreAnswer, type First, type Marked, type Record } from "./read.js";

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

/** Reads the store, or what it has answered. */
export function readStore(store: AgentStore, at: Text, first: First, answer?: StoreAnswer | Promise<StoreAnswer>): unknown {
  const number = ++begun;
  const read = (found: StoreAnswer): unknown => {
    const { save, text, record } = readAnswer(store, found, first);
    if (text) note(at, number, text);
    return record && record.mark === at.refused?.mark ? at.refused.saved : save;
  };
  const asked = answer ?? askStore(store);
  return isPromise(asked) ? asked.then(read) : read(asked);
}

/** Writes a save, and its record before. `done` hears what the save has failed with, and whether anything of it is there. */
export function writeStore(store: AgentStore, at: Text, saved: Saved, done: (failure: { readonly cause: unknown } | undefined, kept: boolean) => void): void {
  const { record } = store;
  const mark = uuid();
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
  settle(() => store.save(text), () => wrote(), (cause) => wrote({ cause }));
}
