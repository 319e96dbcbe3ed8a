// Storages of a page, in memory.

/** A `localStorage`, or another one. Returns what it has. */
export function fakeStorage(name = "localStorage") {
  const items = new Map();
  globalThis[name] = {
    getItem: (key) => items.get(key) ?? null,
    setItem: (key, value) => items.set(key, value),
    removeItem: (key) => items.delete(key),
  };
  return items;
}

/** The little of IndexedDB that a store with one table uses. What is written to it takes effect after `written`. */
export function fakeIndexedDb(written = (effect) => effect()) {
  const databases = new Map();
  const later = (result) => {
    const request = { result };
    queueMicrotask(() => request.onsuccess?.());
    return request;
  };
  return {
    open: (name) => {
      const tables = databases.get(name) ?? new Map();
      let isClosed = false;
      const transaction = (table) => {
        if (isClosed) throw Object.assign(new Error("The connection is closing"), { name: "InvalidStateError" });
        const items = tables.get(table);
        const made = {
          objectStore: () => ({
            get: (key) => later(items.get(key)),
            put: (value, key) => end(() => items.set(key, value)),
            delete: (key) => end(() => items.delete(key)),
          }),
        };
        const end = (effect) => {
          written(() => {
            effect();
            setImmediate(() => made.oncomplete());
          });
          return {};
        };
        return made;
      };
      const close = () => {
        isClosed = true;
      };
      const request = { result: { createObjectStore: (table) => tables.set(table, new Map()), transaction, close } };
      queueMicrotask(() => {
        if (!databases.has(name)) request.onupgradeneeded();
        databases.set(name, tables);
        request.onsuccess();
      });
      return request;
    },
  };
}
