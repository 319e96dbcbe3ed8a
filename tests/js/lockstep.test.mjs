// An agent in the page and one in a worker do the same: lockstep.mjs, with some hundred seeds.
//
//   LOCKSTEP=10000 LOCKSTEP_SEED=1 node --test tests/js/lockstep.test.mjs

import { describe, it } from "node:test";
import { real } from "./lib.mjs";

const count = Number(process.env.LOCKSTEP ?? 300);
const first = Number(process.env.LOCKSTEP_SEED ?? 1);
const kinds = [{ pauses: true }, { pauses: false }, { pauses: true, deaths: true }, { pauses: false, deaths: true }];

describe(`page and worker in lockstep, LOCKSTEP_SEED=${first}`, { skip: !real && "the core is a stand-in", concurrency: false }, () => {
  for (const [at, kind] of kinds.entries()) {
    const seeds = Array.from({ length: Math.ceil(count / kinds.length) }, (_, n) => first + n * kinds.length + at);
    it(`${kind.pauses ? "with" : "without"} pauses${kind.deaths ? ", and workers that end" : ""}: ${seeds.length} sequences`, async () => {
      const { play } = await import("./lockstep.mjs");
      for (const seed of seeds) await play(seed, kind);
    });
  }
});
