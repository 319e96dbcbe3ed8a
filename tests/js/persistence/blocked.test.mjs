// A page whose site data is blocked: what the platform has for it throws, in each way that an engine may choose.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Session } from "../fake-core.mjs";
import { load, until } from "../lib.mjs";
import { create, texts } from "./over-stores.mjs";

const { indexedDbStore, localStorageStore } = await load("persistence/stores");

const denied = () => {
  throw new DOMException("The operation is insecure.", "SecurityError");
};
function Denied() {
  denied();
}
const inUse = {
  BroadcastChannel: Denied,
  indexedDB: { open: denied },
  localStorage: { getItem: denied, setItem: denied, removeItem: denied },
  navigator: { locks: { request: denied } },
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

const stores = { localStorageStore, indexedDbStore: (key) => indexedDbStore("blocked", key) };

describe("a page whose site data is blocked", () => {
  let keys = 0;
  for (const [kind, store] of Object.entries(stores)) {
    for (const name of Object.keys(inUse)) {
      for (const [way, descriptor] of Object.entries({ "when it is touched": { get: denied }, "when it is used": { value: inUse[name] } })) {
        it(`${kind}, ${name} throws ${way}: an agent works without its save`, async () => {
          const others = name === "navigator" ? {} : { navigator: { value: { locks } } };
          const codes = [];
          await within({ ...others, [name]: descriptor }, async () => {
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
          // The reports are about the save only.
          assert.deepEqual(codes.filter((code) => !["restore", "not-saved"].includes(code)), []);
        });
      }
    }
  }
});
