// A submit that is held beside a store that has yet to answer, and the example of docs/attachments.md that saves what was not sent.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, it } from "node:test";
import { folder, load, storeOf } from "../lib.mjs";

const [{ createAgent }, { createAttachments }] = await Promise.all(["index", "attachments/index"].map(load));

it("a submit that is held is not edited while the store has yet to answer", async (test) => {
  const persist = storeOf({ load: () => new Promise(() => {}), save() {}, clear() {} });
  const agent = createAgent({ url: "https://agent.test/", threadId: "t", notify: "sync", persist });
  const files = createAttachments({ upload: () => new Promise(() => {}) });
  test.after(() => (files.dispose(), agent.dispose()));
  files.add([new File(["x"], "a.png", { type: "image/png" })]);
  void agent.submit({ message: "held", parts: files, runId: "r" });
  assert.deepEqual(agent.getSnapshot().queue.map(({ id }) => id), ["r"]);
  assert.equal(agent.editQueued("r", "other"), false);
  assert.equal(agent.editQueued("of the save", "other"), true, "the save may have it");
});

it("the example of the documentation keeps what was typed, over two reloads", async () => {
  const [{ addEventListener, document, sessionStorage }] = [globalThis];
  after(() => Object.assign(globalThis, { addEventListener, document, sessionStorage }));
  const page = readFileSync(new URL("../../../docs/attachments.md", import.meta.url), "utf8");
  const example = page.split("```ts\n").at(-1).split("```")[0];
  // Of TypeScript it has assertions alone.
  const code = example.replaceAll(")!", ")").replace("ag-ui-wasm/attachments", new URL("attachments/index.js", folder).href);
  const storage = new Map();
  let pages = 0;
  /** Opens the page anew. Returns its field, and what leaves it. */
  const reload = async () => {
    const field = { value: "" };
    let leave;
    const sessionStorage = { getItem: (key) => storage.get(key) ?? null, setItem: (key, value) => storage.set(key, value) };
    Object.assign(globalThis, { sessionStorage, document: { querySelector: () => field }, addEventListener: (_, listener) => (leave = listener) });
    await import(`data:text/javascript,${encodeURIComponent(`${code}\n// ${++pages}`)}`);
    return { field, leave };
  };
  const one = await reload();
  one.field.value = "typed";
  one.leave();
  const two = await reload();
  assert.equal(two.field.value, "typed");
  two.leave();
  const three = await reload();
  assert.equal(three.field.value, "typed");
});
