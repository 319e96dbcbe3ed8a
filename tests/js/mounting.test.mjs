// Components with one store: the plays of tabs.mjs, whose agents are those of components that come and go at any moment of a run.
//
//   MOUNTING=10000 MOUNTING_SEED=1 node --test tests/js/mounting.test.mjs

import { after, describe, it } from "node:test";
import { bundled } from "./bundle.mjs";
import { components } from "./components.mjs";
import { real } from "./lib.mjs";
import { openPage } from "./page.mjs";

const count = Number(process.env.MOUNTING ?? 210);
const first = Number(process.env.MOUNTING_SEED ?? 1);
const closePage = openPage();
const { play } = await import("./tabs.mjs");
const svelte = { plugins: [components("client")], conditions: ["browser", "svelte"] };
const frameworks = {
  "React 18": await bundled("bindings/react-views.mjs", "react-views18", { alias: { react: "react18", "react-dom": "react-dom18" } }),
  "React 19": await bundled("bindings/react-views.mjs", "react-views19"),
  "Svelte 5": await bundled("bindings/svelte-views.mjs", "svelte-views", svelte),
};
const stores = {
  "a store that answers at once": { pages: 1 },
  "a slow store with records": { pages: 1, slow: true, records: true },
  "a slow store that keeps the order, and time that passes": { pages: 1, slow: true, ordered: true, late: true },
  "runs that are hung up when nobody is left": { pages: 1, late: true, linger: 0 },
  "workers": { pages: 1, slow: true, ordered: true, worker: true },
  "a server that keeps the thread": { pages: 1, thread: "new" },
  "several pages": {},
  "a store that is full at times": { pages: 1, full: true },
  "a slow store that is full at times, for records too": { pages: 1, slow: true, full: true, cramped: true, late: true },
  "answers that are cut and asked for again": { pages: 1, retries: true, late: true },
  "answers that are cut and asked for again, and a slow store with records": { pages: 1, retries: true, late: true, slow: true, records: true },
  "answers that are cut and asked for again, and runs that are hung up when nobody is left": { pages: 1, retries: true, late: true, linger: 0 },
  "answers that are cut and asked for again, and several pages": { retries: true, late: true },
  // A request that was refused waits to be sent again, whoever looks.
  "requests that are refused, and runs that fail": { pages: 1, faults: true, retries: true, late: true },
  "requests that are refused, and runs that go on for a while when nobody is left": { pages: 1, faults: true, retries: true, late: true, linger: 20 },
  "requests that are refused, and workers": { pages: 1, faults: true, retries: true, late: true, slow: true, ordered: true, worker: true },
  "requests that are refused, and a server that keeps the thread": { pages: 1, faults: true, retries: true, late: true, thread: "new" },
  "runs that are repeated": { pages: 1, resumes: "replay", late: true },
  "runs that are joined, and a slow store with records": { pages: 1, resumes: "run-url", late: true, slow: true, records: true },
  "runs that are joined, several pages, and runs that go on for a while when nobody is left": { resumes: "run-url", late: true, linger: 20 },
  "a core that traps": { pages: 1, losses: "traps" },
  "a core that traps, and runs that are repeated": { pages: 1, losses: "traps", resumes: "replay", late: true },
  "a core that traps, a slow store with records, and time that passes": { pages: 1, losses: "traps", slow: true, records: true, late: true },
  "workers that end": { pages: 1, losses: "deaths", worker: true },
  "workers that end, and runs that are joined": { pages: 1, losses: "deaths", worker: true, resumes: "run-url", late: true },
  "a core that cannot be loaded at times": { pages: 1, losses: "loads" },
  "a core that cannot be loaded at times, and answers that are cut": { pages: 1, losses: "loads", retries: true, late: true, slow: true, records: true },
  "an agent that asks": { pages: 1, asks: true },
  "an agent that asks, and answers that are cut": { pages: 1, asks: true, retries: true, late: true },
  "calls that a person answers": { pages: 1, fills: true },
  "calls that a person answers, and requests that are refused": { pages: 1, fills: true, faults: true, retries: true, late: true },
  "submits that are changed and taken out": { pages: 1, changes: true },
  "submits that are changed and taken out, and a slow store with records": { pages: 1, changes: true, slow: true, records: true },
  "an inbox, and several pages": { inbox: true },
  "an inbox, and code of saves that comes late": { pages: 1, inbox: true, code: true },
};

describe(`components with one store, MOUNTING_SEED=${first}`, { skip: !real && "the core is a stand-in", concurrency: false }, () => {
  after(closePage);
  const kinds = Object.entries(frameworks).flatMap(([framework, { openViews: views }]) =>
    Object.entries(stores).map(([name, kind]) => [`${framework}, ${name}`, { ...kind, together: true, views }])
  );
  for (const [at, [name, kind]] of kinds.entries()) {
    const seeds = Array.from({ length: Math.ceil(count / kinds.length) }, (_, n) => first + n * kinds.length + at);
    it(`${name}: ${seeds.length} sequences`, async () => {
      for (const seed of seeds) await play(seed, kind);
    });
  }
});
