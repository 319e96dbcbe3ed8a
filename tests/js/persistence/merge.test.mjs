// Two saves of one thread, made one (persistence/merge.ts).

import assert from "node:assert/strict";
import { it } from "node:test";
import { load } from "../lib.mjs";

const { mergeSaves } = await load("persistence/merge");
const { union } = await load("snapshot/save");

it("a submit that has begun in one of them waits in the other no longer", () => {
  const user = (id) => ({ id, role: "user", content: id });
  const row = (id) => ({ start: "submit", runId: `run ${id}`, messages: [user(id)] });
  const again = { start: "retry", runId: "again", messages: [] };
  const [older, newer] = [{ messages: [user("1")], queue: [] }, { messages: [], queue: [row("1"), row("2"), again] }];
  for (const saves of [[older, newer], [newer, older]]) {
    const { messages, queue } = JSON.parse(mergeSaves({ union }, ...saves.map((save) => JSON.stringify(save))));
    assert.deepEqual([messages, queue], [[user("1")], [row("2"), again]]);
  }
});

it("a state that one of them has not changed is that of the other, and what it has changed stays", () => {
  const save = (state) => JSON.stringify({ messages: [], queue: [], state });
  const stateOf = (older, newer, first) => JSON.parse(mergeSaves({ union }, save(older), save(newer), JSON.stringify(first))).state;
  assert.deepEqual(stateOf({ theirs: 1 }, {}, {}), { theirs: 1 });
  assert.deepEqual(stateOf({ theirs: 1 }, { own: 1 }, {}), { own: 1 });
  assert.deepEqual(stateOf({ theirs: 1 }, {}, undefined), {});
});
