// Pending intents are applied no more often than what they are applied to changes.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { load } from "../lib.mjs";

const { createPending } = await load("core/pending");

/** The pending intents of a thread whose session answers later. `added` adds an edit; `folds` is how often one was applied. */
function opened() {
  const at = { shown: { messages: [], state: { edits: 0 }, queue: [] }, folds: 0, published: 0 };
  const client = { read: () => at.shown, publish: (next) => ((at.shown = next), at.published++) };
  const pending = createPending(client, { home: { at: "open", live: {} }, runs: new Set() });
  const fold = (snapshot) => (at.folds++, { ...snapshot, state: { edits: snapshot.state.edits + 1 } });
  return { at, pending, add: (count) => pending.add(...Array.from({ length: count }, () => ({ fold }))) };
}

describe("edits that are pending", () => {
  it("are applied once each, however many come after them", () => {
    const { at, add } = opened();
    for (let n = 0; n < 100; n++) add(1);
    assert.deepEqual([at.shown.state.edits, at.folds], [100, 100]);
  });

  it("are not applied again to the thread that they were applied to", () => {
    const { at, pending, add } = opened();
    add(100);
    for (let n = 0; n < 100; n++) pending.show();
    assert.deepEqual([at.shown.state.edits, at.folds, at.published], [100, 100, 101]);
  });

  it("are applied once to each thread that the core has", () => {
    const { at, pending, add } = opened();
    add(10);
    for (let n = 0; n < 20; n++) pending.show({ ...pending.confirmed(), messages: [n] });
    add(5);
    assert.deepEqual([at.shown.messages, at.shown.state.edits, at.folds], [[19], 15, 10 + 20 * 10 + 5]);
  });

  it("are applied to no other thread than before once the last of them are dropped", () => {
    const { at, pending, add } = opened();
    add(10);
    const before = at.shown;
    add(5);
    pending.list.splice(10);
    pending.show();
    assert.deepEqual([at.shown === before, at.folds], [true, 15]);
  });
});
