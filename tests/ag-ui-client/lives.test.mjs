// Lives of an HttpAgent by chance, beside the official client: all hooks, all requests, and what is left, both ways. What differs on
// purpose (differences.json) does not come up in them.
//
//   LIVES=10000 LIVES_SEED=1 node --test tests/ag-ui-client/lives.test.mjs

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import * as official from "@ag-ui/client";
import * as ours from "ag-ui-wasm/ag-ui-client";
import { live } from "./lives.mjs";

const count = Number(process.env.LIVES ?? 400);
const first = Number(process.env.LIVES_SEED ?? 1);

// Both clients tell the console of what they deal with.
const consoles = {};
before(() => {
  for (const name of ["warn", "error"]) [consoles[name], console[name]] = [console[name], () => {}];
});
after(() => Object.assign(console, consoles));

test(`${count} lives`, async () => {
  for (let seed = first; seed < first + count; seed++) {
    const expected = await live(seed, official);
    for (const exact of [false, true]) {
      const { log } = await live(seed, ours, { exact });
      const streams = expected.streams.map((events) => events.map((event) => JSON.stringify(event)).join("\n")).join("\n\n");
      log.forEach((entry, at) =>
        assert.deepEqual(
          entry,
          expected.log[at],
          `seed ${seed}, ${exact ? "exact" : "direct"}, ${at}:\n${JSON.stringify(entry)}\n${JSON.stringify(expected.log[at])}\n${streams}`,
        )
      );
      assert.equal(log.length, expected.log.length, `seed ${seed}`);
    }
  }
});
