// The saves of a thread, until what works on them has come (saves.ts, a chunk of its own): what the store has is shown at once, calls wait,
// and what is said is written, if no other tab has the store.

import type { OpenSaves, Saves } from "../api/saves.js";
import { reasonOf, unsupported } from "../base/failure.js";
import { inPage } from "../base/place.js";
import { settle } from "../base/promise.js";
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
  /** This is what the store had when this page got the lock, and nobody else has written since. */
  readonly owns: unknown;
}

/** The helpers of this bundle that the chunk of saves receives. An import of them would make bundlers cut the bundle into pieces. */
const kit = { settle, whenCollected, union, reasonOf, unsupported, locksFor, takeLock, readStore, writeStore } as const;
export type SavesKit = typeof kit;

/** The methods that can wait; until then nothing is refused. */
const names = ["use", "refusal", "changed", "alone", "rest", "ended", "save", "write", "renew", "dispose"] as const;

const nothing = (): void => {};

let openSaves: OpenSavesNow | undefined;

/** Loads the rest. */
export const loadSaves = async (): Promise<OpenSavesNow> => (openSaves ??= (await import("./saves.js")).openSaves);

/** Opens the saves of a thread in the store of its option `persist`. */
export const openStored: OpenSaves = (...thread) => (openSaves ? openSaves(...thread, kit) : openEarly(loadSaves, ...thread));

/** The same until `load` has come. */
export const openEarly = (load: () => Promise<OpenSavesNow>, ...[given, thread, beginning]: Parameters<OpenSaves>): Saves => {
  const store = given.persist!;
  const { link } = thread;
  const text: Text = {};
  let saves: Saves | undefined;
  let answer: unknown;
  let read: Early["read"];
  let lock: Early["lock"];
  let shown: string | undefined;
  let mine: Promise<unknown> | undefined;
  let owns: unknown;
  // Something has changed that is not in the store.
  let dirty = false;
  // The calls that wait, each once.
  const calls = new Map<string, () => void>();

  const current = (): string => thread.remote.saved(link.save());
  const write = (): void => {
    if (!dirty || !owns || saves || thread.disposed()) return;
    dirty = false;
    writeStore(store, text, current(), nothing);
  };

  const ask = (): unknown => given.restore ?? readStore(store, text, thread.shown.first);

  /** Whether this page alone may write, and what the store has is what is shown. */
  const isMine = async (): Promise<unknown> => {
    const locks = locksFor(store.key);
    if (locks) lock ??= takeLock(locks, store.key);
    const then = JSON.stringify(await answer);
    // Another tab may have written before this one had the lock.
    return !locks || ((await lock) && JSON.stringify(await ask()) === then);
  };

  const come = async (): Promise<Saves> => {
    const open = await load();
    if (saves) return saves;
    saves = open(given, thread, beginning, kit, { text, lock, read, shown, owns });
    saves.begin();
    for (const call of calls.values()) call();
    return saves;
  };
  // Whoever asks next tries again what has failed.
  const start = (): unknown => come().catch(nothing);

  /** Done at once, beside what is done later. */
  const now: Partial<Record<(typeof names)[number], () => void>> = {
    use: () => {
      start();
      mine ??= isMine().then((yes) => (owns = yes), nothing);
      // The agent's use is shown by then.
      void mine.then(write);
    },
    changed: () => void (dirty = true),
    save: write,
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
      const show = (save: unknown): void => {
        if (!save || saves || shown) return;
        const changed = dirty;
        const json = JSON.stringify(save);
        beginning.show(save, json);
        link.awaitSave();
        shown = json;
        dirty = changed;
      };
      // A save that is refused is read again later, and reported then.
      settle(
        () => {
          answer = ask();
          read = () => answer;
          return answer;
        },
        (save) => settle(() => show(save), nothing, nothing),
        nothing,
      );
      if (inPage()) start();
    },
  };
};
