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
  const place = `ag-ui-wasm:${key}`;
  // Nobody else needs to find what is said in this tab.
  const own = key === undefined || given.inbox ? undefined : {
    load: () => JSON.parse(storage("sessionStorage")?.getItem(place) ?? "{}"),
    save: (letters: object) => storage("sessionStorage")?.setItem(place, JSON.stringify(letters)),
  };
  return {
    ...{ key, ordered, record, inbox: given.inbox ?? own, quarantine: given.quarantine?.bind(given) },
    load: () => given.load(),
    save: (saved) => given.save(saved),
    clear: () => {
      try {
        own?.save({});
      } catch {
        // It is blocked, and has nothing.
      }
      return given.clear();
    },
    open: openStored,
    share: shareThread,
  };
}

/**
 * A store of the platform: the text of a save goes there as the core wrote it (record.ts); beside it are its record and its inbox.
 */
function textStore(
  key: string,
  entry: string,
  load: (entry: string) => ReturnType<StoreOptions["load"]>,
  put: (entry: string, json: string) => void | Promise<void>,
  remove: (...entries: string[]) => void | Promise<void>,
): AgentStore {
  const [beside, said, failed] = [`${entry}:record`, `${entry}:inbox`, `${entry}:quarantine`];
  const item = (name: string) => ({ load: () => load(name), save: (value: object) => put(name, JSON.stringify(value)) });
  const clear = () => remove(entry, beside, said, failed);
  const store = createStore({ key, ordered: true, ...item(entry), clear, quarantine: item(failed).save, record: item(beside), inbox: item(said) });
  Object.assign(store.save, { text: (json: string) => put(entry, json) });
  return store;
}

// Newer Nodes have a global of that name, which complains when it is touched.
const storage = (name: "localStorage" | "sessionStorage" = "localStorage"): Storage | undefined => typeof document === "object" ? globalThis[name] : undefined;

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
 * Keeps an agent in IndexedDB: in the database `name`, under `key`. For long threads, and for workers. What has changed since the last save is in
 * `localStorage`, where there is one: a browser gives up writes to IndexedDB that have not begun when the page is left.
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

  const place = `indexedDB ${name} ${key}`;
  const texts = textStore(
    place,
    key,
    async (entry) => JSON.parse((await run((store) => store.get(entry))) ?? "null") ?? undefined,
    // As text: it is smaller than a structured clone, and nothing of the snapshot can fail to be cloned.
    async (entry, json) => void (await run((store) => store.put(json, entry), true)),
    async (...entries) => void (await run((store) => entries.map((entry) => store.delete(entry)).pop()!, true)),
  );
  try {
    storage()!.getItem(place);
  } catch {
    // There is none, or it is blocked: nothing takes what is said at once.
    return { ...texts, inbox: undefined };
  }
  const { record, inbox, clear } = localStorageStore(place);
  return { ...texts, record, inbox, clear: () => (clear(), texts.clear()) };
}

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
