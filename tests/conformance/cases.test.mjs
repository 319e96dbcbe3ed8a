// Our conformance cases, one for every line of the rulebook's list that can be written down for a machine: what the official
// client makes of each is recorded, and so is what we do otherwise on purpose. What needs a hand (aborts, listeners that
// throw) is among the weaknesses.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { readCases } from "./cases.mjs";
import { judge, list } from "./judge.mjs";
import { expectation, runOfficial } from "./oracle.mjs";

const cases = readCases(new URL("../fixtures/conformance/cases.jsonl", import.meta.url));
/** Cases that wait for a part of the package that is not there yet. @type {string[]} */
const pending = JSON.parse(readFileSync(new URL("pending.json", import.meta.url), "utf8")).cases;
/** Names of differences that we still make. */
const differing = new Set();

for (const given of cases) {
  const todo = pending.includes(given.name);
  test(given.name, { todo }, async () => {
    const { passed, why, lines } = await judge(given, "strict");
    if (why) differing.add(given.name);
    assert.ok(passed, lines.join("\n"));
  });
  test(`${given.name}, tolerant`, { todo }, async () => {
    const { passed, lines } = await judge(given, "tolerant");
    assert.ok(passed, lines.join("\n"));
  });
}

test("what is recorded is what the official client does", async () => {
  for (const given of cases) assert.deepEqual(expectation(given, await runOfficial(given)), given.expect, given.name);
});

test("every name stands for one case", () => {
  const names = cases.map(({ name }) => name);
  assert.equal(new Set(names).size, names.length);
});

test("every difference is one, of a case, and has its reason", () => {
  const open = Object.keys(list.differences).filter((name) => !pending.includes(name));
  assert.deepEqual(open.filter((name) => !differing.has(name)), []);
  const used = Object.values(list.differences).map(({ why }) => why);
  assert.deepEqual(used.filter((why) => !list.reasons[why]), []);
  assert.deepEqual(Object.keys(list.reasons).filter((why) => !used.includes(why)), []);
});
