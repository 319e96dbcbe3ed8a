// A page that is left before IndexedDB has what was written to it.

import assert from "node:assert/strict";
import { afterEach, it } from "node:test";
import { load } from "../lib.mjs";
import { fakeIndexedDb, fakeStorage } from "./fake-storages.mjs";

const { indexedDbStore } = await load("persistence/stores");
const turn = () => new Promise(setImmediate);

afterEach(() => {
  for (const name of ["document", "localStorage", "indexedDB", "addEventListener"]) delete globalThis[name];
});

it("has the record in localStorage, until it is in IndexedDB or cleared", async () => {
  globalThis.document = {};
  const items = fakeStorage();
  const window = new EventTarget();
  globalThis.addEventListener = (...given) => window.addEventListener(...given);
  const leave = () => window.dispatchEvent(new Event("pagehide"));
  const comeBack = () => window.dispatchEvent(new Event("pageshow"));
  let slow = [];
  globalThis.indexedDB = fakeIndexedDb((effect) => (slow ? slow.push(effect) : effect()));
  const arrive = () => slow.splice(0).forEach((effect) => effect());
  const { record } = indexedDbStore("taken along", "chat");
  // The event can only be heard by one who listened before.
  await record.load();
  const first = record.save({ n: 1 });
  const second = record.save({ n: 2 });
  await turn();
  // Nothing is written to it but when the page is left.
  assert.equal(items.size, 0);
  leave();
  assert.deepEqual([...items.values()].map((text) => JSON.parse(text)), [{ n: 2 }]);
  // The page may save once more as it is left.
  const third = record.save({ n: 3 });
  // The next page, before or after anything was written.
  const next = indexedDbStore("taken along", "chat");
  assert.deepEqual(await next.record.load(), { n: 3 });
  await turn();
  arrive();
  await Promise.all([first, second, third]);
  assert.deepEqual([await next.record.load(), items.size], [{ n: 3 }, 0]);
  leave();
  comeBack();
  void next.record.save({ n: 4 });
  await turn();
  assert.equal(items.size, 0);
  // A cleared record does not come back.
  leave();
  assert.equal(items.size, 1);
  const cleared = next.clear();
  leave();
  assert.equal(items.size, 0);
  await turn();
  arrive();
  await cleared;
  assert.deepEqual([await next.record.load(), items.size], [undefined, 0]);
  // A save that is put aside is not a record: nobody would read it there.
  void next.quarantine({ n: 5 });
  leave();
  assert.equal(items.size, 0);
  arrive();
  // Where there is no room for it, or no localStorage, nothing else changes.
  slow = undefined;
  globalThis.localStorage.setItem = () => {
    throw new Error("full");
  };
  const last = next.record.save({ n: 5 });
  leave();
  await last;
  delete globalThis.localStorage;
  assert.deepEqual(await next.record.load(), { n: 5 });
});
