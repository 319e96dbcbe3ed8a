// The public surface: each case runs against the official client and against ours, the direct way and the exact way, and must
// record the same. What differs on purpose stands in differences.json by the name of its case, with the reason and with what
// ours records; an entry that is no longer needed fails. `UPDATE=1` writes what ours records of the differences that are listed.

import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { after, before, test } from "node:test";
import * as official from "@ag-ui/client";
import * as ours from "ag-ui-wasm/ag-ui-client";

const listed = new URL("differences.json", import.meta.url);
const differences = JSON.parse(readFileSync(listed, "utf8"));
const update = process.env.UPDATE === "1";

const cases = {};
for (const file of readdirSync(new URL("cases/", import.meta.url)).sort()) {
  for (const [name, run] of Object.entries(await import(new URL(`cases/${file}`, import.meta.url).href))) {
    cases[`${file.replace(".mjs", "")}/${name}`] = run;
  }
}

/** With a middleware that does nothing, every run goes the exact way. */
class ExactHttpAgent extends ours.HttpAgent {
  constructor(config) {
    super(config);
    this.use((input, next) => next.run(input));
  }
}

const clients = { direct: ours, exact: { ...ours, HttpAgent: ExactHttpAgent } };
const copy = (value) => JSON.parse(JSON.stringify(value ?? null));

// Both clients tell the console of what they deal with.
const consoles = {};
before(() => {
  for (const name of ["warn", "error"]) [consoles[name], console[name]] = [console[name], () => {}];
});
after(() => {
  Object.assign(console, consoles);
  if (update) writeFileSync(listed, `${JSON.stringify(differences, undefined, 2)}\n`);
});

for (const [name, run] of Object.entries(cases)) {
  test(name, async (t) => {
    const expected = copy(await run(official));
    const difference = differences[name];
    for (const [way, client] of Object.entries(clients)) {
      await t.test(way, async () => {
        const recorded = copy(await run(client));
        if (!difference) return assert.deepEqual(recorded, expected);
        if (update && way === "direct") difference.ours = recorded;
        assert.notDeepEqual(recorded, expected, "the difference is gone: strike it out");
        assert.deepEqual(recorded, difference.ours);
      });
    }
  });
}

test("every difference has its case and its reason", () => {
  for (const [name, { reason }] of Object.entries(differences)) {
    assert.ok(cases[name], name);
    assert.ok(reason, name);
  }
});
