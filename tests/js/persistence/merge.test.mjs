// Two saves of one thread, made one (persistence/merge.ts).

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { load } from "../lib.mjs";

const { mergeSaves } = await load("persistence/merge");

it("a submit that has begun in one of them waits in the other no longer", () => {
  const user = (id) => ({ id, role: "user", content: id });
  const row = (id) => ({ start: "submit", runId: `run ${id}`, messages: [user(id)] });
  const again = { start: "retry", runId: "again", messages: [] };
  const [older, newer] = [{ messages: [user("1")], queue: [] }, { messages: [], queue: [row("1"), row("2"), again] }];
  for (const saves of [[older, newer], [newer, older]]) {
    const { messages, queue } = JSON.parse(mergeSaves(...saves.map((save) => JSON.stringify(save))));
    assert.deepEqual([messages, queue], [[user("1")], [row("2"), again]]);
  }
});

it("calls that a person was asked about in either are open in both", () => {
  const save = (...ids) => JSON.stringify({ messages: [], queue: [], turn: { runId: "r", calls: ids.map((id) => ({ id })) } });
  const { turn } = JSON.parse(mergeSaves(save("a", "theirs"), save("a", "own")));
  assert.deepEqual(turn.calls.map(({ id }) => id).sort(), ["a", "own", "theirs"]);
});

it("a call that the newer one has answered is open no longer", () => {
  const turn = (...ids) => ({ runId: "r", calls: ids.map((id) => ({ id })) });
  const older = JSON.stringify({ messages: [], queue: [], turn: turn("a", "b") });
  const newer = (...ids) => JSON.stringify({ messages: ids.map((id) => ({ id, role: "tool", toolCallId: id })), queue: [] });
  assert.deepEqual(JSON.parse(mergeSaves(older, newer("a"))).turn, turn("b"));
  assert.equal(JSON.parse(mergeSaves(older, newer("a", "b"))).turn, undefined);
});

describe("a state", () => {
  const save = (state) => JSON.stringify({ messages: [], queue: [], state });
  const stateOf = (older, newer, first) => JSON.parse(mergeSaves(save(older), save(newer), JSON.stringify(first))).state;

  it("that one of them has not changed is that of the other", () => {
    assert.deepEqual(stateOf({ theirs: 1 }, {}, {}), { theirs: 1 });
    assert.deepEqual(stateOf({}, { own: 1 }, {}), { own: 1 });
    assert.deepEqual(stateOf({ theirs: 1 }, {}, undefined), {});
  });

  it("has the members that each of them has set, and not those that either has taken out", () => {
    assert.deepEqual(stateOf({ n: 1, at: { theirs: 1 } }, { n: 0, at: { own: 1 }, own: 1 }, { n: 0, at: {}, gone: 1 }), {
      n: 1,
      at: { theirs: 1, own: 1 },
      own: 1,
    });
    assert.deepEqual(stateOf({ n: 1 }, { n: 2 }, { n: 0 }), { n: 2 });
  });

  it("has the elements of lists that each of them has put in, each once", () => {
    const rows = (...ids) => ({ log: [...ids].map((id) => ({ id })) });
    assert.deepEqual(stateOf(rows("a", "theirs"), rows("own", "a"), rows("a")), rows("own", "a", "theirs"));
    assert.deepEqual(stateOf(rows("a", "theirs"), rows("a", "own"), rows("a")), rows("a", "theirs", "own"));
    assert.deepEqual(stateOf(rows("b", "theirs"), rows("a"), rows("a", "b")), rows("theirs"));
    assert.deepEqual(stateOf(rows("theirs", "own"), rows("own"), rows()), rows("theirs", "own"));
    assert.deepEqual(stateOf({ list: ["a", "a", "b"] }, { list: ["a", "a", "a"] }, { list: ["a", "a"] }), { list: ["a", "a", "b", "a"] });
    assert.deepEqual(stateOf({ list: [{ key: 1, theirs: 1 }] }, { list: [{ key: 1, own: 1 }] }, { list: [{ key: 1 }] }), {
      list: [{ key: 1, theirs: 1, own: 1 }],
    });
  });

  it("keeps members of any name", () => {
    assert.equal(JSON.stringify(stateOf({ theirs: 1 }, JSON.parse('{ "__proto__": { "own": 1 } }'), {})), '{"theirs":1,"__proto__":{"own":1}}');
  });
});
