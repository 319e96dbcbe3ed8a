// The word that somebody may have meant in a policy, by the table that the guard's tests read as well.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { load } from "../lib.mjs";

const { nearest } = await load("systems/chio/nearest");
const table = JSON.parse(readFileSync(new URL("../../../src/guard/nearest.json", import.meta.url), "utf8"));

test("the nearest word is the guard's", () => {
  for (const { given, words, nearest: expected } of table) assert.equal(nearest(given, words), expected, given);
});
