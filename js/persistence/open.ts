// The saves of a thread, until what works on them has come (saves.ts, a chunk of its own): what the store has is shown at once, calls wait,
// and what is said is written, if no other tab has the store.

import type { Beginning, OpenSaves, Saves, SavesClient, SavesOptions } from "../api/saves.js";
import type { AgentStore } from "../api/saving.js";
import { unsupported } from "../base/failure.js";
import { inPage } from "../base/place.js";
import { settle } from "../base/promise.js";
import { whenCollected } from "../base/weak.js";
import { union } from "../snapshot/compose.js";
import { takeLock, type Free } from "./lock.js";
import { readStore, writeStore, type Text } from "./record.js";

type OpenSavesNow = typeof import("./saves.js").openSaves;

/** The part that is done by then. */
export interface Early {
  /** The text in the store, as far as it is known. */
  readonly text: Text;
  /** The lock of the store, once it was asked for. */
  lock?: Promise<Free | undefined> | undefined;
  /** Returns what the store has answered, once it was asked. */
  read?: () => unknown;
  /** The save that is shown: JSON text. */
  shown?: string;
  /** This is what the store had when this page got the lock, and nobody else has written since. */
  owns?: unknown;
  /** The rest, once it has come. */
  saves?: Saves;
}

/** The helpers of this bundle that the chunk of saves receives. An import of them would make bundlers cut the bundle into pieces. */
const kit = { settle, whenCollected, union, unsupported, takeLock, readStore, writeStore } as const;
export type SavesKit = typeof kit;

/** The methods that can wait; until then nothing is refused. */
const names = ["use", "refusal", "changed", "alone", "rest", "ended", "save", "write", "renew", "dispose"] as const;

/** The methods that do something at once as well. */
type Now = Pick<Saves, "begin"> & { readonly [name in (typeof names)[number]]?: () => void };

const nothing = (): void => {};

let openSaves: OpenSavesNow | undefined;

/** Loads the rest. */
export const loadSaves = async (): Promise<OpenSavesNow> => (openSaves ??= (await import("./saves.js")).openSaves);

/** Opens the saves of a thread in the store of its option `persist`. */
export const openStored: OpenSaves = (...thread) => (openSaves ? openSaves(...thread, kit) : openEarly(loadSaves, ...thread));

/** Whether this page alone may write, and what the store has is what it has answered. */
const isMine = async (early: Early, { key }: AgentStore, ask: () => unknown): Promise<unknown> => {
  early.lock ??= takeLock(key);
  const then = JSON.stringify(await early.read?.());
  // Another tab may have written before this one had the lock.
  return !early.lock || ((await early.lock) && JSON.stringify(await ask()) === then);
};

/** The part that is done at once: what the store has is shown, and what is said is written, as long as there are no `early.saves`. */
const createEarly = (early: Early, { persist, restore }: SavesOptions, thread: SavesClient, beginning: Beginning): Now => {
  const { link } = thread;
  const store = persist!;
  let mine: Promise<unknown> | undefined;
  // Something has changed that is not in the store.
  let dirty = false;

  const current = (): string => thread.remote.saved(link.save());
  const write = (): void => {
    if (!dirty || !early.owns || early.saves || thread.disposed()) return;
    dirty = false;
    writeStore(store, early.text, current(), nothing);
  };
  const ask = (): unknown => restore ?? readStore(store, early.text, thread.shown.first);
  const show = (save: unknown): void => {
    if (!save || early.saves || early.shown) return;
    const changed = dirty;
    const json = JSON.stringify(save);
    beginning.show(save, json);
    link.awaitSave();
    early.shown = json;
    dirty = changed;
  };

  return {
    begin: () => {
      link.awaitSave();
      const found = (): unknown => {
        const answer = ask();
        early.read = () => answer;
        return answer;
      };
      // A save that is refused is read again later, and reported then.
      settle(found, (save) => settle(() => show(save), nothing, nothing), nothing);
    },
    use: () => {
      mine ??= isMine(early, store, ask).then((yes) => (early.owns = yes), nothing);
      // The agent's use is shown by then.
      void mine.then(write);
    },
    changed: () => void (dirty = true),
    save: write,
    renew: () => {
      early.shown = current();
      const save = JSON.parse(early.shown);
      early.read = () => save;
    },
    dispose: write,
  };
};

/** The same until `load` has come. */
export const openEarly = (load: () => Promise<OpenSavesNow>, ...[given, thread, beginning]: Parameters<OpenSaves>): Saves => {
  const early: Early = { text: {} };
  const now = createEarly(early, given, thread, beginning);
  // The calls that wait, each once.
  const calls = new Map<string, () => void>();

  const come = async (): Promise<Saves> => {
    const open = await load();
    if (early.saves) return early.saves;
    const saves = early.saves = open(given, thread, beginning, kit, early);
    saves.begin();
    for (const call of calls.values()) call();
    return saves;
  };
  // A load that has failed is tried again by the next call.
  const start = (): unknown => come().catch(nothing);

  const methods = names.map((name) => [name, (...args: never[]): unknown => {
    const call = (): unknown => (early.saves![name] as (...args: never[]) => unknown)(...args);
    if (early.saves) return call();
    calls.set(name, call);
    if (name === "use") start();
    return now[name]?.();
  }]);

  return {
    ...(Object.fromEntries(methods) as Pick<Saves, (typeof names)[number]>),
    ready: async () => (await come()).ready(),
    begin: () => {
      now.begin();
      if (inPage()) start();
    },
  };
};
