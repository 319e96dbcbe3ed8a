// Every recording of tests/fixtures/corpus, played to the built package: in one read, cut at random with a patch for every
// read, and byte by byte. The outcome is the official client's, but for what allowed-differences.json lists, field by
// field with what we make of it. A listed difference that is no longer one fails.
//
//   node --test tests/corpus/corpus.test.mjs
//   node tests/corpus/corpus.test.mjs --update     writes the list anew; a new entry needs its reason, by hand

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import { atRandom, everyByte } from "./cuts.mjs";
import { fixtures } from "./fixtures.mjs";
import { expectedView, replay } from "./replay.mjs";

/**
 * @typedef {import("./replay.mjs").View} View
 * @typedef {{ why: string, ours: Record<string, unknown> }} Difference  `ours`: the fields that differ; null: absent
 */

const listFile = new URL("allowed-differences.json", import.meta.url);
/** @type {{ reasons: Record<string, string>, differences: Record<string, Difference> }} */
const list = JSON.parse(readFileSync(listFile, "utf8"));

if (process.argv.includes("--update")) await update();
else define();

function define() {
  const names = new Set();
  for (const fixture of fixtures()) {
    const { name, body } = fixture;
    names.add(name);
    test(name, async () => {
      const view = await replay(fixture, [body], "microtask");
      const { why, ours } = list.differences[name] ?? { why: undefined, ours: {} };
      if (why !== undefined) assert.ok(list.reasons[why], `allowed-differences.json gives no reason for "${why}"`);
      const expected = expectedView(fixture);
      assert.deepEqual(differences(expected, view), ours, "differs from the official client otherwise than allowed-differences.json says");

      assert.deepEqual(await replay(fixture, atRandom(body, 1, 200), "sync"), view, "cut into pieces of up to 200 bytes");
      assert.deepEqual(await replay(fixture, atRandom(body, 2, 7), "microtask"), view, "cut into pieces of up to 7 bytes");
      if (body.length <= 10_000) assert.deepEqual(await replay(fixture, everyByte(body), "sync"), view, "byte by byte");
    });
  }
  test("no difference is listed for what is no recording", () => {
    assert.deepEqual(Object.keys(list.differences).filter((name) => !names.has(name)), []);
  });
}

/**
 * Our value of every field that differs.
 *
 * @param {View} expected
 * @param {View} view
 */
function differences(expected, view) {
  /** @type {Record<string, unknown>} */
  const ours = {};
  for (const field of /** @type {(keyof View)[]} */ ([...new Set([...Object.keys(expected), ...Object.keys(view)])].sort())) {
    if (!isDeepStrictEqual(expected[field], view[field])) ours[field] = view[field] ?? null;
  }
  return ours;
}

async function update() {
  /** @type {Record<string, Difference>} */
  const found = {};
  for (const fixture of fixtures()) {
    const ours = differences(expectedView(fixture), await replay(fixture, [fixture.body], "microtask"));
    if (Object.keys(ours).length > 0) found[fixture.name] = { why: list.differences[fixture.name]?.why ?? "?", ours };
  }
  const object = (/** @type {Record<string, unknown>} */ members) =>
    `{\n${
      Object.entries(members)
        .map(([key, value]) => `    ${JSON.stringify(key)}: ${JSON.stringify(value)}`)
        .join(",\n")
    }\n  }`;
  writeFileSync(listFile, `{\n  "reasons": ${object(list.reasons)},\n  "differences": ${object(found)}\n}\n`);
  const open = Object.keys(found).filter((name) => !list.reasons[found[name]?.why ?? ""]);
  console.log(open.length > 0 ? `Without a reason: ${open.join(", ")}` : "Every difference has its reason.");
}
