// The spelling of sources and documents, American. `typos.toml` has the words that are ours.
//
//   node --test tests/prose/spelling.test.mjs      `npm run test:js` installs the spell checker

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { at } from "../../tools/paths.mjs";
import { typos } from "../../tools/setup.mjs";

test("no word is misspelled", () => {
  const { error, status, stdout, stderr } = spawnSync(typos, ["--format", "brief"], { cwd: at("."), encoding: "utf8" });
  assert.equal(error, undefined, "the spell checker runs");
  assert.equal(stdout, "", "correct the word, or add it to typos.toml");
  assert.equal(status, 0, stderr);
});
