// A page whose site data is blocked: what the platform has for it throws, in each way that an engine may choose.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Session } from "../fake-core.mjs";
import { load, until } from "../lib.mjs";
import { create, texts } from "./over-stores.mjs";

const { createStore, indexedDbStore, localStorageStore } = await load("persistence/stores");

const denied = () => {
  throw new DOMException("The operation is insecure.", "SecurityError");
};
function Denied() {
  denied();
}
const storage = { getItem: denied, setItem: denied, removeItem: denied };
const inUse = {
  BroadcastChannel: Denied,
  indexedDB: { open: denied },
  localStorage: storage,
  navigator: { locks: { request: denied } },
  sessionStorage: storage,
};
const locks = { request: async (_, options, hold = options) => hold({}) };

/** Does it while what these say stands in place of the global object's members. */
async function within(descriptors, action) {
  const before = Object.keys(descriptors).map((name) => [name, Object.getOwnPropertyDescriptor(globalThis, name)]);
  for (const [name, descriptor] of Object.entries(descriptors)) Object.defineProperty(globalThis, name, { configurable: true, ...descriptor });
  try {
    return await action();
  } finally {
    for (const [name, descriptor] of before) {
      if (descriptor) Object.defineProperty(globalThis, name, descriptor);
      else delete globalThis[name];
    }
  }
}

const ways = { "when it is touched": () => ({ get: denied }), "when it is used": (name) => ({ value: inUse[name] }) };

/** The application's own, which is not of the page's site data. */
const ownStore = (key) => {
  let kept;
  return createStore({ key, load: () => kept, save: (saved) => void (kept = saved), clear: () => void (kept = undefined) });
};
const stores = { localStorageStore, indexedDbStore: (key) => indexedDbStore("blocked", key), createStore: ownStore };

describe("a page whose site data is blocked", () => {
  let keys = 0;
  const names = Object.keys(inUse);
  for (const [kind, store] of Object.entries(stores)) {
    for (const blocked of [...names.map((name) => [name]), names]) {
      for (const [way, descriptor] of Object.entries(ways)) {
        const what = blocked === names ? "all of it" : blocked[0];
        it(`${kind}, ${what} throws ${way}: an agent works without its save`, async () => {
          const codes = [];
          const descriptors = { navigator: { value: { locks } }, ...Object.fromEntries(blocked.map((name) => [name, descriptor(name)])) };
          await within(descriptors, async () => {
            const agent = create({
              persist: store(`blocked ${++keys}`),
              saving: { loadMs: 10 },
              onWarning: ({ code }) => codes.push(code),
              onError: ({ code }) => codes.push(code),
            });
            const off = agent.subscribe(() => {});
            const run = agent.submit("hello");
            await until(() => Session.last?.calls.length);
            Session.last.finish();
            assert.equal((await run).outcome, "success");
            assert.deepEqual(texts(agent), ["hello"]);
            off();
            agent.dispose();
          });
          // The reports are about the save only, and each comes once.
          assert.deepEqual(codes.filter((code) => !["restore", "not-saved"].includes(code)), []);
          assert.deepEqual(codes, [...new Set(codes)]);
        });
      }
    }
  }

  for (const [way, descriptor] of Object.entries(ways)) {
    it(`createStore, sessionStorage throws ${way}: the store is cleared`, async () => {
      const store = ownStore(`blocked ${++keys}`);
      store.save({ v: 1 });
      await within({ sessionStorage: descriptor("sessionStorage") }, () => store.clear());
      assert.equal(store.load(), undefined);
    });
  }
});
