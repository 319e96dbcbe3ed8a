// Pages with one store: tabs.mjs, with some hundred seeds.
//
//   TABS=10000 TABS_SEED=1 node --test tests/js/tabs.test.mjs

import { describe, it } from "node:test";
import { real } from "./lib.mjs";

const count = Number(process.env.TABS ?? 450);
const first = Number(process.env.TABS_SEED ?? 1);
const kinds = {
  "a store that answers at once": {},
  "a slow store": { slow: true },
  "a slow store that keeps the order": { slow: true, ordered: true },
  "a slow store, and time that passes": { slow: true, ordered: true, late: true },
  "a slow store and no locks, one page after the other": { slow: true, alone: true },
  "a slow store, and workers": { slow: true, ordered: true, worker: true },
  "a store with records": { records: true },
  "a slow store with records": { slow: true, records: true },
  "a slow store with records that keeps the order, and time that passes": { slow: true, ordered: true, late: true, records: true },
  "a store with records, and workers": { records: true, worker: true },
  "a slow store with records, and workers": { slow: true, records: true, worker: true },
  "a slow store with records that keeps the order, and workers": { slow: true, ordered: true, records: true, worker: true },
  "a store that is full at times": { full: true },
  "a slow store that is full at times": { slow: true, ordered: true, full: true },
  "a slow store that is full at times, and workers": { slow: true, full: true, worker: true },
  "a store that is full at times, for records too": { full: true, cramped: true },
  "a slow store that is full at times, for records too": { slow: true, ordered: true, full: true, cramped: true },
  "several agents in a page": { together: true },
  "several agents in a page, and a slow store with records": { together: true, slow: true, records: true },
  "several agents in a page, a store with records, and time that passes": { together: true, records: true, late: true },
  "several agents in a page, a slow store that is full at times": { together: true, slow: true, full: true },
  "several agents in a page, a slow store, and time that passes": { together: true, slow: true, late: true },
  "several agents in a page, time that passes, and runs that are hung up when nobody is left": { together: true, late: true, linger: 0 },
  "several agents in a page, a slow store, and runs that go on for a while when nobody is left": { together: true, slow: true, late: true, linger: 20 },
  "several agents in a page, a slow store that is full at times, and time that passes": { together: true, slow: true, full: true, late: true },
  "several agents in a page, a store that keeps the order and is full at times, and time that passes": {
    together: true,
    slow: true,
    ordered: true,
    full: true,
    late: true,
  },
  "several agents in a page, a slow store that is full at times, and runs that go on for a while": {
    together: true,
    slow: true,
    full: true,
    late: true,
    linger: 20,
  },
  "several agents in a page, a slow store that is full at times, for records too": { together: true, slow: true, full: true, cramped: true, late: true },
  "several agents in a page, a slow store that is full at times, and workers": { together: true, slow: true, full: true, late: true, worker: true },
  "several agents in a page, a slow store and no locks": { together: true, slow: true, alone: true },
  "several agents in a page, a slow store, and workers": { together: true, slow: true, ordered: true, worker: true },
  "agents of other options in a page": { together: true, differ: true },
  "agents of other options in a page, a slow store, and time that passes": { together: true, differ: true, slow: true, late: true },
  "agents of other options in a page, and runs that are hung up when nobody is left": { together: true, differ: true, late: true, linger: 0 },
  "agents of other options in a page, and workers": { together: true, differ: true, slow: true, ordered: true, worker: true },
  "agents of other options in a page without locks": { together: true, differ: true, alone: true },
  "agents of other options in a page without locks, a slow store, and time that passes": { together: true, differ: true, slow: true, late: true, alone: true },
  "code of saves that comes late": { code: true },
  "code of saves that comes late, and a store that is full at times": { code: true, full: true },
  "code of saves that comes late, and a slow store": { code: true, slow: true, ordered: true },
  "code of saves that comes late, and workers": { code: true, worker: true },
  "code of saves that comes late, several agents in a page, and time that passes": { code: true, together: true, late: true },
  "code of saves that comes late, and a server that keeps the thread": { code: true, thread: "new" },
  "submits that are changed and taken out": { changes: true },
  "submits that are changed and taken out, and a slow store with records": { changes: true, slow: true, records: true },
  "submits that are changed and taken out, and a slow store that is full at times": { changes: true, slow: true, ordered: true, full: true },
  "submits that are changed and taken out, and a core that traps": { changes: true, losses: "traps" },
  "submits that are changed and taken out, and workers": { changes: true, slow: true, records: true, worker: true },
  "a core that traps": { losses: "traps" },
  "a core that traps, and a slow store with records": { losses: "traps", slow: true, records: true },
  "a core that traps, several agents in a page, and time that passes": { losses: "traps", together: true, late: true },
  "a core that traps, and a server that keeps the thread": { losses: "traps", thread: "new" },
  "workers that end": { losses: "deaths", worker: true },
  "workers that end, and a slow store with records": { losses: "deaths", worker: true, slow: true, records: true },
  "a core that cannot be loaded at times": { losses: "loads" },
  "a core that cannot be loaded at times, several agents in a page, and a slow store with records": {
    losses: "loads",
    together: true,
    slow: true,
    records: true,
  },
  "runs that are joined": { resumes: "run-url", late: true },
  "runs that are joined, and a slow store with records": { resumes: "replay", late: true, slow: true, records: true },
  "runs that are joined, and several agents in a page": { resumes: "run-url", late: true, together: true },
  "runs that are joined, and workers": { resumes: "replay", late: true, slow: true, ordered: true, worker: true },
  "runs that are joined, and a core that traps": { resumes: "replay", late: true, losses: "traps" },
  "runs that are joined, and workers that end": { resumes: "run-url", late: true, losses: "deaths", worker: true },
  "answers that are cut and asked for again": { retries: true, late: true },
  "answers that are cut and asked for again, and a slow store with records": { retries: true, late: true, slow: true, records: true },
  "answers that are cut and asked for again, and workers": { retries: true, late: true, slow: true, ordered: true, worker: true },
  "answers that are cut and asked for again, and a core that cannot be loaded at times": { retries: true, losses: "loads" },
  "an agent that asks": { asks: true },
  "an agent that asks, and a slow store with records": { asks: true, slow: true, records: true },
  "an agent that asks, several agents in a page, a slow store, and time that passes": { asks: true, together: true, slow: true, late: true },
  "an agent that asks, and workers": { asks: true, slow: true, ordered: true, worker: true },
  "an agent that asks, and a core that traps": { asks: true, losses: "traps", records: true },
  "an agent that asks, and a core that cannot be loaded at times": { asks: true, losses: "loads" },
  "calls that a person answers": { fills: true, slow: true, records: true },
  "calls that a person answers, and a server that keeps the thread": { fills: true, thread: "new" },
  "an agent that asks, and a server that keeps the thread": { asks: true, thread: "new", slow: true, ordered: true },
  "an agent that asks, and runs that are joined": { asks: true, resumes: "replay", late: true, records: true },
  "a server that keeps the thread": { thread: "all" },
  "a server that keeps the thread, and is asked with a request": { thread: "new", hydrates: true },
  "a server that keeps the thread, and a slow store": { thread: "new", slow: true },
  "a server that keeps the thread, a slow store, and time that passes": { thread: "all", slow: true, ordered: true, late: true },
  "a server that keeps the thread, a slow store, and workers": { thread: "new", slow: true, ordered: true, worker: true },
  "a server that keeps the thread, a slow store and no locks": { thread: "all", slow: true, alone: true },
  "a server that keeps the thread, and runs that are hung up when nobody is left": { thread: "new", together: true, late: true, linger: 0 },
  "a server that keeps the thread, and several agents in a page": { thread: "turn", together: true },
  "a server that keeps the thread, several agents in a page, a slow store, and time that passes": { thread: "new", together: true, slow: true, late: true },
};
const names = Object.keys(kinds);

describe(`pages with one store, TABS_SEED=${first}`, { skip: !real && "the core is a stand-in", concurrency: false }, () => {
  for (const [at, name] of names.entries()) {
    const seeds = Array.from({ length: Math.ceil(count / names.length) }, (_, n) => first + n * names.length + at);
    it(`${name}: ${seeds.length} sequences`, async () => {
      const { play } = await import("./tabs.mjs");
      for (const seed of seeds) await play(seed, kinds[name]);
    });
  }
});
