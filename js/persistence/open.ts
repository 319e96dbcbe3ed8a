// The saves of a thread, until what works on them has come (saves.ts, a chunk of its own): what the store has is shown at once, calls wait,
// and what is said is in the inbox of the store.

import type { OpenSaves, Saves, SavesClient, SavesOptions } from "../api/saves.js";
import { unsupported } from "../base/failure.js";
import { inPage } from "../base/place.js";
import { settle } from "../base/promise.js";
import { uuid } from "../base/uuid.js";
import { whenCollected } from "../base/weak.js";
import { withChanges } from "../snapshot/changes.js";
import { cancelled } from "../snapshot/run.js";
import { edited } from "../snapshot/edited.js";
import { changedQueue, union } from "../snapshot/save.js";
import { takeLock } from "./lock.js";
import { partsOf, readStore, type StoredTexts } from "./record.js";

type OpenSavesNow = ReturnType<typeof import("./saves.js").start>;

/** The part that is done by then. */
export interface Early {
  /** The texts of the store, as far as they are known. */
  readonly text: StoredTexts;
  /** The answer of the store, once it was asked. */
  answer?: unknown;
  /** The save that is shown: JSON text. */
  shown?: string;
  /** The thread that was there as this one began anew: JSON text, `{}` if it was not read. */
  left?: string;
  /** The name of this page in the store's inbox, once it has said something. */
  inbox?: string | undefined;
  /** The lock of the store, once it was asked for: others know then that this page is there. */
  lock?: ReturnType<typeof takeLock>;
  /** The rest, once it has come. */
  saves?: Saves;
}

type SavesMethods = { readonly [name in keyof Saves]: (...given: unknown[]) => unknown };

/** The helpers of this bundle that the chunk of saves receives. An import of them would make bundlers cut the bundle into pieces. */
const kit = {
  cancelled,
  changedQueue,
  edited,
  inPage,
  partsOf,
  post,
  readStore,
  settle,
  takeLock,
  union,
  unsupported,
  uuid,
  whenCollected,
  withChanges,
} as const;
export type SavesKit = typeof kit;

const nothing = (): void => {};

let openSaves: OpenSavesNow | undefined;

/** Loads the rest. */
export const loadSaves = async (): Promise<OpenSavesNow> => (openSaves ??= (await import("./saves.js")).start(kit));

/** Opens the saves of a thread in the store of its option `persist`. */
export const openStored: OpenSaves = (...thread) => (openSaves ? openSaves(...thread, earlyOf(...thread)) : openEarly(loadSaves, ...thread));

const earlyOf = (...[, { shown: { first } }]: Parameters<OpenSaves>): Early => ({ text: { first } });

/** Writes the letter of this page into the inbox of its store (inbox.ts): what waits in the page, and what was decided and changed there. */
function post(early: Early, { persist, threadId }: SavesOptions, thread: SavesClient): void {
  // Where no code has come it is said, and waits for somebody to try again.
  if (thread.disposed() || thread.read().error?.code === "load") return;
  const [, list, queue, acts] = thread.link.shared.pending.parted();
  const changes = list.filter(({ waiting }) => waiting).map(({ runId, waiting }) => ({ runId, waiting }));
  if (!early.inbox && ![queue, acts, changes].some(({ length }) => length)) return;
  early.inbox ??= uuid();
  try {
    const inbox = persist!.inbox!;
    void inbox.save({ ...Object(inbox.load()), [early.inbox]: [threadId, queue, acts, changes] });
  } catch {
    // It has none, or there is no room.
  }
}

/** The methods that do something at once, as long as there are no `early.saves`. */
const createNow = (early: Early, ...[options, thread, beginning]: Parameters<OpenSaves>): Partial<Saves> => {
  const say = (): void => {
    post(early, options, thread);
    if (early.inbox) early.lock ??= takeLock(options.persist!.key);
  };
  const show = (save: unknown): void => {
    if (!save || early.saves || early.shown) return;
    const json = JSON.stringify(save);
    const shown = (): void => {
      thread.link.awaitSave();
      early.shown = json;
    };
    // One that is of no use is read again later, and reported then.
    settle(() => beginning.show(save, json), shown, nothing);
  };

  return {
    begin: () => {
      thread.link.awaitSave();
      settle(() => (early.answer = options.restore ?? readStore(options.persist!, early.text)), show, nothing);
    },
    changed: say,
    save: say,
    renew: () => {
      early.left ??= early.shown ?? "{}";
      early.shown = thread.link.save();
    },
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
