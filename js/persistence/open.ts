// The saves of a thread, until what works on them has come (saves.ts, a chunk of its own): what the store has is shown at once, calls wait,
// and what is said is written, if no other tab has the store.

import type { OpenSaves, Saves } from "../api/saves.js";
import { reasonOf, unsupported } from "../base/failure.js";
import { inPage } from "../base/place.js";
import { isPromise, settle } from "../base/promise.js";
import { whenCollected } from "../base/weak.js";
import { union } from "../snapshot/compose.js";
import { locksFor, takeLock, type Free } from "./lock.js";
import { readStore, writeStore, type Text } from "./record.js";

type OpenSavesNow = typeof import("./saves.js").openSaves;

/** The part that is done by then. */
export interface Early {
  /** The text in the store, as far as it is known. */
  readonly text: Text;
  /** The lock of the store, once it was asked for. */
  readonly lock: Promise<Free | undefined> | undefined;
  /** Returns what the store has answered, once it was asked. */
  readonly read: (() => unknown) | undefined;
  /** The save that is shown: JSON text. */
  readonly shown: string | undefined;
}

/** The helpers of this bundle that the chunk of saves receives. An import of them would make bundlers cut the bundle into pieces. */
const kit = { isPromise, settle, whenCollected, union, reasonOf, unsupported, locksFor, takeLock, readStore, writeStore } as const;
export type SavesKit = typeof kit;

/** The methods that can wait; until then nothing is refused. */
const names = ["use", "refusal", "changed", "alone", "rest", "ended", "save", "write", "renew", "dispose"] as const;

const nothing = (): void => {};

let openSaves: OpenSavesNow | undefined;

/** Loads the rest. */
export const loadSaves = async (): Promise<OpenSavesNow> => (openSaves ??= (await import("./saves.js")).openSaves);

/** Opens the saves of a thread in the store of its option `persist`. */
export const openStored: OpenSaves = (given, thread, beginning) => {
  if (openSaves) return openSaves(given, thread, beginning, kit);
  const store = given.persist!;
  const { link } = thread;
  const text: Text = {};
  let saves: Saves | undefined;
  let read: Early["read"];
  let lock: Early["lock"];
  let shown: string | undefined;
  // The store has answered, and this page has its lock.
  let answered = false;
  let owns = false;
  // Something has changed that is not in the store.
  let dirty = false;
  // The calls that wait, each once.
  const calls = new Map<string, () => void>();

  const current = (): string => thread.remote.saved(link.save());
  const write = (): void => {
    if (!dirty || !answered || !owns || saves || thread.disposed()) return;
    dirty = false;
    writeStore(store, text, JSON.parse(current()), nothing);
  };

  const come = async (): Promise<Saves> => {
    const open = await loadSaves();
    if (saves) return saves;
    saves = open(given, thread, beginning, kit, { text, lock, read, shown });
    saves.begin();
    for (const call of calls.values()) call();
    return saves;
  };
  // Whoever asks next tries again what has failed.
  const start = (): unknown => come().catch(nothing);

  /** Done at once, beside what is done later. */
  const now: Partial<Record<(typeof names)[number], () => void>> = {
    use: () => {
      const locks = locksFor(store.key);
      if (locks) lock ??= takeLock(locks, store.key);
      void Promise.resolve(locks ? lock : nothing).then((free) => {
        owns = !!free;
        // The agent's use is shown by now.
        write();
      });
      start();
    },
    changed: () => void (dirty = true),
    ended: write,
    renew: () => {
      shown = current();
      const save = JSON.parse(shown);
      read = () => save;
    },
    dispose: write,
  };
  const methods = names.map((name) => [name, (...args: never[]): unknown => {
    const call = (): unknown => (saves![name] as (...args: never[]) => unknown)(...args);
    if (saves) return call();
    calls.set(name, call);
    return now[name]?.();
  }]);

  return {
    ...(Object.fromEntries(methods) as Pick<Saves, (typeof names)[number]>),
    ready: async () => (await come()).ready(),
    begin: () => {
      link.awaitSave();
      const ask = (): unknown => {
        const answer = given.restore ?? readStore(store, text, thread.shown.first);
        read = () => answer;
        return answer;
      };
      const show = (save: unknown): void => {
        const changed = dirty;
        if (save && !saves && !shown) {
          const json = JSON.stringify(save);
          beginning.show(save, json);
          link.awaitSave();
          shown = json;
        }
        answered = true;
        dirty = changed;
        write();
      };
      // A save that is refused is read again later, and reported then.
      settle(ask, (found) => settle(() => show(found), nothing, nothing), nothing);
      if (inPage()) start();
    },
  };
};
