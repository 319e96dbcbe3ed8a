// Agents without a store: unsaved.mjs, with some hundred seeds.
//
//   UNSAVED=10000 UNSAVED_SEED=1 node --test tests/js/unsaved.test.mjs

import { describe, it } from "node:test";
import { real } from "./lib.mjs";

const count = Number(process.env.UNSAVED ?? 180);
const first = Number(process.env.UNSAVED_SEED ?? 1);
const kinds = {
  "a core that comes late": {},
  "a core that is loaded with the first run": { bare: true },
  "submits that are replaced, dropped, refused and aborted": { manners: true },
  "submits that are changed and taken out": { changes: true, slowTools: true },
  "a core that traps": { losses: "traps" },
  "a core that cannot be loaded at times": { losses: "loads" },
  "a core that cannot be loaded at times, with the first run": { losses: "loads", bare: true, late: true },
  "workers": { worker: true },
  "workers that begin late": { worker: true, late: true, changes: true },
  "workers that end": { worker: true, losses: "deaths", late: true },
  "workers whose core traps": { worker: true, losses: "traps" },
  "workers whose core traps, and runs that are repeated": { worker: true, losses: "traps", resumes: "replay", late: true },
  "workers whose core traps, and submits that are changed and taken out": { worker: true, losses: "traps", changes: true, late: true },
  "workers whose core traps, and rewrites": { worker: true, losses: "traps", rewrites: true },
  "workers whose core cannot be loaded at times": { worker: true, losses: "loads", late: true },
  "answers that are cut": { retries: true, late: true },
  "faults": { faults: true, retries: true, late: true },
  "runs that are joined": { resumes: "run-url", late: true },
  "runs that are repeated": { resumes: "replay", late: true },
  "runs that are joined, and a core that traps": { resumes: "replay", late: true, losses: "traps" },
  "runs that are joined, and workers that end": { resumes: "run-url", late: true, losses: "deaths", worker: true },
  "an agent that asks": { asks: true },
  "calls that a person answers": { fills: true },
  "rewrites": { rewrites: true },
  "rewrites, and a core that traps": { rewrites: true, losses: "traps" },
  "resets": { resets: true },
  "forks": { forks: true },
  "files": { files: true },
  "channel": { channel: true, retries: true, late: true },
  "source": { channel: true, source: true, retries: true, late: true },
  "thread": { thread: "new" },
  "connects": { thread: "new", connects: true, resumes: "replay" },
  "steers": { thread: "new", steers: true },
  "restores": { restores: true },
};
const names = Object.keys(kinds);

describe(`agents without a store, UNSAVED_SEED=${first}`, { skip: !real && "the core is a stand-in", concurrency: false }, () => {
  for (const [at, name] of names.entries()) {
    const seeds = Array.from({ length: Math.ceil((count - at) / names.length) }, (_, n) => first + n * names.length + at);
    it(`${name}: ${seeds.length} sequences`, async () => {
      const { play } = await import("./unsaved.mjs");
      for (const seed of seeds) await play(seed, kinds[name]);
    });
  }
});
