// How large files may grow. clippy.toml and oxlint.json count the lines of functions.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { at } from "../../tools/paths.mjs";

const LINES_OF_A_FILE = 500;

/** Larger files, and why. @type {Record<string, string>} */
const LARGER = {};

const sources = execFileSync("git", ["ls-files", "src", "tests"], { cwd: at("."), encoding: "utf8" })
  .split("\n")
  .filter((file) => /\.(rs|ts|mjs|svelte)$/.test(file) && !/\/(fixtures|node_modules)\//.test(file))
  .map((file) => ({ file, lines: readFileSync(at(file), "utf8").trimEnd().split("\n") }));

test(`no file of src or tests has more than ${LINES_OF_A_FILE} lines`, () => {
  const large = sources.filter(({ file, lines }) => lines.length > LINES_OF_A_FILE && !(file in LARGER));
  assert.deepEqual(large.map(({ file, lines }) => `${file}: ${lines.length} lines`), [], "split it by topic");
});

test("files that may have more lines have more", () => {
  const small = Object.keys(LARGER).filter((name) => !sources.some(({ file, lines }) => file === name && lines.length > LINES_OF_A_FILE));
  assert.deepEqual(small, []);
});
