// How fast connections are made again, by the table that the core's tests read as well.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { load } from "../lib.mjs";

const [{ createBudget, pauseOf }, { retryTimes }] = await Promise.all(["network/retry", "network/request"].map(load));
const table = JSON.parse(readFileSync(new URL("../../../src/session/rejoin/table.json", import.meta.url), "utf8"));

test("the defaults are those of the core", () => {
  assert.deepEqual(retryTimes(undefined), table.defaults);
  assert.deepEqual(retryTimes(false), { ...table.defaults, attempts: 0 });
});

test("a pause is as long as the core's", () => {
  for (const [baseMs, minMs, maxMs, attempt, random, pause] of table.pauses) {
    assert.equal(pauseOf({ baseMs, minMs, maxMs }, attempt, random), pause, `attempt ${attempt} from ${baseMs}`);
  }
});

test("a connection is allowed when the core would allow it", () => {
  for (const { perMinute, "asked and allowed": times } of table.budgets) {
    const budget = createBudget();
    for (const [asked, allowed] of times) {
      assert.equal(budget(perMinute, asked), allowed, `${perMinute} a minute`);
      budget(perMinute, allowed, 1);
    }
  }
});

test("without a limit nobody waits", () => {
  const budget = createBudget();
  for (let count = 0; count < 1000; count++) {
    assert.equal(budget(Infinity, 7, 1), 7);
  }
});
