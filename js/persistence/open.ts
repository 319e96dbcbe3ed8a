// The saves of a thread, until what works on them has come (saves.ts, a chunk of its own): what the store has is shown at once, calls wait,
// and what is said is written, if no other tab has the store.

import type { OpenSaves, Saves } from "../api/saves.js";
import { unsupported } from "../base/failure.js";
import { inPage } from "../base/place.js";
import { settle } from "../base/promise.js";
import { uuid } from "../base/uuid.js";
import { whenCollected } from "../base/weak.js";
import { withChanges } from "../snapshot/changes.js";
import { cancelled } from "../snapshot/run.js";
import { edited } from "../snapshot/edited.js";
import { union } from "../snapshot/save.js";
import { takeLock } from "./lock.js";
import { partsOf, readStore, writeStore, type StoredTexts } from "./record.js";

type OpenSavesNow = ReturnType<typeof import("./saves.js").start>;

/** The part that is done by then. */
export interface Early {
  /** The texts of the store, as far as they are known. */
  readonly text: StoredTexts;
  /** The lock of the store, once it was asked for. */
  lock?: ReturnType<typeof takeLock>;
  /** The answer of the store, once it was asked. */
  answer?: unknown;
  /** The save that is shown: JSON text. */
  shown?: string;
  /** The thread that was there as this one began anew: JSON text, `{}` if it was not read. */
  left?: string;
  /** This is what the store had when this page got the lock, and nobody else has written since. */
  owns?: unknown;
  /** The name of this page in the store's inbox, once it has said something. */
  inbox?: string | undefined;
  /** The rest, once it has come. */
  saves?: Saves;
}

type SavesMethods = { readonly [name in keyof Saves]: (...given: unknown[]) => unknown };

/** The helpers of this bundle that the chunk of saves receives. An import of them would make bundlers cut the bundle into pieces. */
const kit = { cancelled, settle, whenCollected, union, edited, unsupported, takeLock, partsOf, readStore, withChanges, writeStore } as const;
export type SavesKit = typeof kit;

const nothing = (): void => {};

let openSaves: OpenSavesNow | undefined;

/** Loads the rest. */
export const loadSaves = async (): Promise<OpenSavesNow> => (openSaves ??= (await import("./saves.js")).start(kit));

/** Opens the saves of a thread in the store of its option `persist`. */
export const openStored: OpenSaves = (...thread) => (openSaves ? openSaves(...thread, earlyOf(...thread)) : openEarly(loadSaves, ...thread));

const earlyOf = (...[, { shown: { first } }]: Parameters<OpenSaves>): Early => ({ text: { first } });

/** The methods that do something at once, as long as there are no `early.saves`: what the store has is shown, and what is said is written. */
const createNow = (early: Early, ...[{ persist, threadId, restore }, thread, beginning]: Parameters<OpenSaves>): Partial<Saves> => {
  let claimed: Promise<void> | undefined;
  // Something has changed that is not in the store.
  let dirty = false;

  const changed = (): void => {
    dirty = true;
    try {
      // This page may not own its store.
      if (!thread.disposed() && thread.read().error?.code !== "load" && early.inbox)
        persist!.inbox!.save({ ...(persist!.inbox!.load() as object), [early.inbox]: [threadId, ...thread.link.shared.pending.parted().slice(2)] });
    } catch {
      // It has none, or there is no room.
    }
  };
  const write = (): void => {
    if (!dirty || !early.owns || early.saves || thread.disposed()) return;
    dirty = false;
    writeStore(persist!, early.text, thread.link.save(), nothing);
  };
  const ask = (): unknown => restore ?? readStore(persist!, early.text);
  const show = (save: unknown): void => {
    if (!save || early.saves || early.shown) return;
    const then = dirty;
    const json = JSON.stringify(save);
    const shown = (): void => {
      thread.link.awaitSave();
      early.shown = json;
      dirty = then;
    };
    // One that is of no use is read again later, and reported then.
    settle(() => beginning.show(save, json), shown, nothing);
  };

  /** Finds out whether this page alone may write, and what the store has is what it has answered. */
  const claim = async (): Promise<void> => {
    early.lock = takeLock(persist!.key);
    const then = JSON.stringify(await early.answer);
    // Another tab may have written before this one had the lock.
    early.owns = !early.lock || ((await early.lock) && JSON.stringify(await ask()) === then);
  };

  return {
    begin: () => {
      thread.link.awaitSave();
      settle(() => (early.answer = ask()), show, nothing);
    },
    // It is shown by then.
    use: () => void (claimed ??= claim().catch(nothing)).then(write),
    changed,
    save: () => {
      early.inbox ??= uuid();
      changed();
      write();
    },
    renew: () => {
      early.left ??= early.shown ?? "{}";
      early.shown = thread.link.save();
    },
    dispose: write,
  };
};

/** The same until `load` has come. */
export const openEarly = (load: () => Promise<OpenSavesNow>, ...thread: Parameters<OpenSaves>): Saves => {
  const early = earlyOf(...thread);
  const now = createNow(early, ...thread) as Partial<SavesMethods>;
  // The calls that wait, each once.
  const calls = new Map<string, () => void>();

  const come = async (): Promise<void> => {
    const open = await load();
    if (early.saves) return;
    early.saves = open(...thread, early);
    for (const call of calls.values()) call();
  };

  const method = (name: keyof Saves) => (...given: unknown[]): unknown => {
    const call = (): unknown => (early.saves as unknown as SavesMethods)[name](...given);
    if (name === "ready") return come().then(call);
    if (early.saves) return call();
    // That a thread has begun anew is known by what it has left.
    if (name !== "renew") calls.set(name, call);
    // A load that has failed is tried again by the next call.
    if (name === "begin" ? inPage() : name === "use") come().catch(nothing);
    return now[name]?.();
  };
  return new Proxy({} as Saves, { get: (_, name) => method(name as keyof Saves) });
};
