// A page that is left before IndexedDB has what was written to it.

import assert from "node:assert/strict";
import { afterEach, it } from "node:test";
import { load } from "../lib.mjs";
import { fakeIndexedDb, fakeStorage } from "./fake-storages.mjs";

const { indexedDbStore } = await load("persistence/stores");
const turn = () => new Promise(setImmediate);

afterEach(() => {
  for (const name of ["document", "localStorage", "indexedDB"]) delete globalThis[name];
});

it("has the record of what has changed, which the store of another page finds", async () => {
  globalThis.document = {};
  const items = fakeStorage();
  let slow = [];
  globalThis.indexedDB = fakeIndexedDb((effect) => (slow ? slow.push(effect) : effect()));
  const { record, save } = indexedDbStore("left", "chat");
  void save({ n: 0 });
  record.save({ n: 1 });
  // Nothing of IndexedDB has come about.
  assert.deepEqual(indexedDbStore("left", "chat").record.load(), { n: 1 });
  assert.equal(indexedDbStore("left", "other").record.load(), undefined);
  assert.equal(indexedDbStore("another", "chat").record.load(), undefined);
  await turn();
  slow.splice(0).forEach((effect) => effect());
  slow = undefined;
  const next = indexedDbStore("left", "chat");
  assert.deepEqual(await next.load(), { n: 0 });
  // Nothing but the record takes room there.
  assert.equal(items.size, 1);
  await next.quarantine({ n: 5 });
  await next.clear();
  assert.deepEqual([await next.load(), next.record.load(), items.size], [undefined, undefined, 0]);
});

for (const way of ["is none", "is blocked"]) {
  it(`has all in IndexedDB where there is no localStorage: it ${way}`, async () => {
    globalThis.indexedDB = fakeIndexedDb();
    if (way === "is blocked") {
      globalThis.document = {};
      Object.defineProperty(globalThis, "localStorage", {
        get: () => {
          throw new DOMException("The operation is insecure.", "SecurityError");
        },
        configurable: true,
      });
    }
    const { record, inbox } = indexedDbStore(way, "chat");
    await record.save({ n: 1 });
    assert.deepEqual(await indexedDbStore(way, "chat").record.load(), { n: 1 });
    assert.equal(inbox, undefined);
  });
}
