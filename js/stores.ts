// Places for the save of an agent. On a server, which has neither of them, nothing is loaded or saved.

import type { AgentStore, SavedAgent } from "./persist.js";

/**
 * Keeps an agent in `localStorage`, which holds some 5 MB for a whole origin.
 *
 * @example
 * const agent = createAgent({ url: "/agent", persist: localStorageStore("chat") });
 */
export function localStorageStore(key: string): AgentStore {
  // Newer Nodes have a global of that name, which complains when it is touched.
  const storage = (): Storage | undefined => (typeof document === "object" ? localStorage : undefined);
  return {
    load: () => JSON.parse(storage()?.getItem(key) ?? "null") ?? undefined,
    save: (saved) => storage()?.setItem(key, JSON.stringify(saved)),
    clear: () => storage()?.removeItem(key),
  };
}

/**
 * Keeps an agent in IndexedDB: in the database `name`, under `key`. For long threads, and for workers.
 *
 * @example
 * const agent = createAgent({ url: "/agent", threadId, persist: indexedDbStore("my-app", threadId) });
 */
export function indexedDbStore(name: string, key: string): AgentStore {
  const table = "agents";

  const open = (): Promise<IDBDatabase> => {
    const request = indexedDB.open(name, 1);
    request.onupgradeneeded = () => request.result.createObjectStore(table);
    return result(request);
  };

  const run = async <Value>(mode: IDBTransactionMode, method: (store: IDBObjectStore) => IDBRequest<Value>) => {
    if (typeof indexedDB !== "object") return undefined;
    const database = await open();
    try {
      const transaction = database.transaction(table, mode);
      const value = await result(method(transaction.objectStore(table)));
      if (mode === "readwrite") await end(transaction);
      return value;
    } finally {
      database.close();
    }
  };

  return {
    // As text: it is smaller than a structured clone, and nothing of the snapshot can fail to be cloned.
    load: async () => {
      const text = await run<string | undefined>("readonly", (store) => store.get(key));
      return text === undefined ? undefined : (JSON.parse(text) as SavedAgent);
    },
    save: async (saved) => void (await run("readwrite", (store) => store.put(JSON.stringify(saved), key))),
    clear: async () => void (await run("readwrite", (store) => store.delete(key))),
  };
}

function result<Value>(request: IDBRequest<Value>): Promise<Value> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

/** Whether it has been written is known behind the request's success. */
function end(transaction: IDBTransaction): Promise<void> {
  return new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve();
    transaction.onabort = () => reject(transaction.error);
  });
}
