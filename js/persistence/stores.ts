// Places for the save of an agent. On a server, which has neither of them, nothing is loaded or saved.

import type { AgentStore, StoreOptions } from "../api/saving.js";
import { unfit } from "../base/failure.js";
import { shareThread } from "../thread/registry.js";
import { openStored } from "./open.js";

/**
 * A store of your own. Give it a `key` if there may be several objects for one place, or several tabs.
 *
 * @example
 * const address = `/saves/${threadId}`;
 * const store = createStore({
 *   key: address,
 *   load: async () => (await fetch(address)).json(),
 *   save: async (saved) => void (await fetch(address, { method: "PUT", body: JSON.stringify(saved) })),
 *   clear: async () => void (await fetch(address, { method: "DELETE" })),
 * });
 */
export function createStore(given: StoreOptions): AgentStore {
  for (const name of ["load", "save", "clear"] as const) {
    if (typeof given?.[name] !== "function") throw unfit(`createStore: ${name}`, "a function", given?.[name]);
  }
  const { key, ordered, record } = given;
  return {
    ...{ key, ordered, record, quarantine: given.quarantine?.bind(given) },
    load: () => given.load(),
    save: (saved) => given.save(saved),
    clear: () => given.clear(),
    open: openStored,
    share: shareThread,
  };
}

/** A store of the platform: the text of a save goes there as the core wrote it (record.ts), and its record beside it. */
function textStore(
  key: string,
  entry: string,
  load: (entry: string) => ReturnType<StoreOptions["load"]>,
  put: (entry: string, json: string) => void | Promise<void>,
  remove: (...entries: string[]) => void | Promise<void>,
): AgentStore {
  const [beside, failed] = [`${entry}:record`, `${entry}:quarantine`];
  const item = (name: string) => ({ load: () => load(name), save: (value: object) => put(name, JSON.stringify(value)) });
  const clear = () => remove(entry, beside, failed);
  const store = createStore({ key, ordered: true, ...item(entry), clear, record: item(beside), quarantine: item(failed).save });
  Object.assign(store.save, { text: (json: string) => put(entry, json) });
  return store;
}

// Newer Nodes have a global of that name, which complains when it is touched.
const storage = (): Storage | undefined => (typeof document === "object" ? localStorage : undefined);

/**
 * Keeps an agent in `localStorage`, which holds some 5 MB for a whole origin.
 *
 * @example
 * const agent = createAgent({ url: "/agent", persist: localStorageStore("chat") });
 */
export function localStorageStore(key: string): AgentStore {
  return textStore(
    `localStorage ${key}`,
    key,
    (entry) => JSON.parse(storage()?.getItem(entry) ?? "null") ?? undefined,
    (entry, json) => storage()?.setItem(entry, json),
    (...entries) => entries.forEach((entry) => storage()?.removeItem(entry)),
  );
}

/**
 * Keeps an agent in IndexedDB: in the database `name`, under `key`. For long threads, and for workers. A record that is not
 * there yet when the page is left goes to `localStorage`, from where the next page takes it.
 *
 * @example
 * const agent = createAgent({ url: "/agent", threadId, persist: indexedDbStore("my-app", threadId) });
 */
export function indexedDbStore(name: string, key: string): AgentStore {
  const run = async <Value>(method: (store: IDBObjectStore) => IDBRequest<Value>, writes?: boolean) => {
    if (typeof indexedDB !== "object") return undefined;
    const begin = async (): Promise<IDBTransaction> => (await databaseOf(name)).transaction(table, writes ? "readwrite" : "readonly");
    // The one before may have failed, or been closed: by the browser, or because another version of it was wanted.
    const transaction = await begin().catch(() => (databases.delete(name), begin()));
    const request = method(transaction.objectStore(table));
    // Whether it has been written is known after the request's success.
    const ended = writes ? heard(transaction, "complete", "abort") : heard(request, "success", "error");
    // A page that is left does not come back to a transaction.
    if (writes) transaction.commit?.();
    await ended;
    return request.result;
  };

  const place = (entry: string): string => `indexedDB ${name} ${entry}`;
  const drop = (entry: string): void => {
    leaving.delete(place(entry));
    inStorage((items) => items.removeItem(place(entry)));
  };
  return textStore(
    place(key),
    key,
    async (entry) => {
      for (const type of ["pagehide", "pageshow"]) globalThis.addEventListener?.(type, takeAlong);
      const text = inStorage((items) => items.getItem(place(entry))) ?? (await run((store) => store.get(entry)));
      return JSON.parse(text ?? "null") ?? undefined;
    },
    // As text: it is smaller than a structured clone, and nothing of the snapshot can fail to be cloned.
    async (entry, json) => {
      // There is room for a record, and it has all that a save has that is not there yet.
      if (entry === `${key}:record`) leaving.set(place(entry), json);
      takeAlong();
      await run((store) => store.put(json, entry), true);
      if (leaving.get(place(entry)) === json) drop(entry);
    },
    async (...entries) => {
      entries.forEach(drop);
      await run((store) => entries.map((entry) => store.delete(entry)).pop()!, true);
    },
  );
}

/** The records, JSON texts, that are on their way to IndexedDB, by their places in `localStorage`. Browsers give up what has not begun as a page goes. */
const leaving = new Map<string, string>();

let isLeft = false;

/** Puts them there if the page is left: those that are made by that, too, whoever hears of it first. */
const takeAlong = (event?: Event): void => {
  if (event) isLeft = event.type === "pagehide";
  if (isLeft) leaving.forEach((json, place) => inStorage((items) => items.setItem(place, json)));
};

/** The result of what is done in `localStorage`: nothing where there is none, or it is full or blocked. */
const inStorage = <Value>(action: (items: Storage) => Value): Value | undefined => {
  try {
    return action(storage()!);
  } catch {
    return undefined;
  }
};

const table = "agents";

// One connection for all stores of a database. It stays open: to open it takes longer than a page has that is left.
const databases = new Map<string, Promise<IDBDatabase>>();

function databaseOf(name: string): Promise<IDBDatabase> {
  const open = async (): Promise<IDBDatabase> => {
    const request = indexedDB.open(name, 1);
    request.onupgradeneeded = () => request.result.createObjectStore(table);
    await heard(request, "success", "error");
    return Object.assign(request.result, { onversionchange: () => request.result.close() });
  };
  const opening = databases.get(name) ?? open();
  databases.set(name, opening);
  return opening;
}

const heard = (target: IDBRequest | IDBTransaction, done: string, failed: string): Promise<void> =>
  new Promise((resolve, reject) => {
    Object.assign(target, { [`on${done}`]: () => resolve(), [`on${failed}`]: () => reject(target.error) });
  });
