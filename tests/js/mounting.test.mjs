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
