// Pages with one store whose agent shares a state: states.mjs, with some hundred seeds.
//
//   STATES=10000 STATES_SEED=1 node --test tests/js/states.test.mjs

import { describe, it } from "node:test";
import { real } from "./lib.mjs";

const count = Number(process.env.STATES ?? 600);
const first = Number(process.env.STATES_SEED ?? 1);
const kinds = {
  "a store that answers at once": {},
  "runs that are joined": { resumes: "run-url", late: true },
  "runs that are replayed": { resumes: "replay", late: true },
  "runs that are joined, and a slow store with records": { resumes: "run-url", late: true, slow: true, records: true },
  "runs that are replayed, and a slow store with records": { resumes: "replay", late: true, slow: true, records: true },
  "runs that are replayed, and a store that is full at times": { resumes: "replay", late: true, full: true },
  "runs that are joined, and workers": { resumes: "run-url", late: true, worker: true },
  "runs that are replayed, and workers": { resumes: "replay", late: true, slow: true, ordered: true, worker: true },
  "runs that are replayed, and workers that end": { resumes: "replay", late: true, worker: true, deaths: true },
  "runs that are stopped": { resumes: "replay", late: true, stops: true },
  "runs that are stopped, a slow store, and workers": { stops: true, slow: true, records: true, worker: true },
};
const names = Object.keys(kinds);

describe(`pages that share a state, STATES_SEED=${first}`, { skip: !real && "the core is a stand-in", concurrency: false }, () => {
  for (const [at, name] of names.entries()) {
    const seeds = Array.from({ length: Math.ceil(count / names.length) }, (_, n) => first + n * names.length + at);
    it(`${name}: ${seeds.length} sequences`, async () => {
      const { play } = await import("./states.mjs");
      for (const seed of seeds) await play(seed, kinds[name]);
    });
  }
});
