// Writes a save and its record (record.ts).

import type { AgentStore } from "../api/saving.js";
import type { Message } from "../api/types.js";
import { kit } from "./kit.js";
import type { Record, SaveParts, StoredText, StoredTexts } from "./record.js";

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
  parts: SaveParts = kit.partsOf(JSON.parse(json)),
  less?: (at: StoredTexts, parts: SaveParts) => SaveParts,
): void {
  const { record } = store;
  const save = store.save as TextSave;
  const mark = kit.uuid();
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
    kit.settle(() => record!.save(changes), taken, note);
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
  kit.settle(put, () => wrote(), (cause) => wrote({ cause }));
}
