// The rules of a thread's home, as a pure machine (model.mjs): thousands of schedules with a loss between any two arrows. One argument:
// how many of them (node tests/js/home/model.test.mjs 1000000).

import assert from "node:assert/strict";
import { test } from "node:test";
import { bugs, World } from "./model.mjs";
import { playSharing } from "./sharing.mjs";

const schedules = Number(process.argv[2] ?? 3000);
const play = (seed, bug) => new World(seed, bug).play() ?? playSharing(seed, bug);

test(`${schedules} schedules lose nothing, and do nothing twice`, () => {
  for (let seed = 1; seed <= schedules; seed++) {
    const wrong = play(seed);
    assert.equal(wrong, undefined, `seed ${seed}: ${wrong}`);
  }
});

for (const [bug, what] of Object.entries(bugs)) {
  test(`the model notices: ${what}`, () => {
    for (let seed = 1; seed <= 20_000; seed++) if (play(seed, bug)) return;
    assert.fail(`rule ${bug} makes no difference`);
  });
}
