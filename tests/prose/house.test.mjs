// How large functions and files may grow. CONTRIBUTING.md, "House style", has the rules.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { at } from "../../tools/paths.mjs";

const LINES_OF_A_FUNCTION = 60;
const LINES_OF_A_FILE = 500;

/** Larger files, and why. @type {Record<string, string>} */
const LARGER = {};

const sources = execFileSync("git", ["ls-files", "src", "tests"], { cwd: at("."), encoding: "utf8" })
  .split("\n")
  .filter((file) => /\.(rs|ts|mjs|svelte)$/.test(file) && !/\/(fixtures|node_modules)\//.test(file))
  .map((file) => ({ file, lines: readFileSync(at(file), "utf8").trimEnd().split("\n") }));

/** The functions of a Rust file, as rustfmt writes them: each ends at the first brace as far left as it begins. @param {string[]} lines */
function functions(lines) {
  return lines.flatMap((line, start) => {
    const [, indent = "", name] = line.match(/^( *)(?:pub(?:\([^)]*\))? )?(?:const )?(?:async )?fn (\w+)/) ?? [];
    if (!name || /[;}]$/.test(line)) return [];
    const rest = lines.slice(start + 1).findIndex((next) => next === `${indent}}` || (/^ *\S/.exec(next)?.[0].length === indent.length + 1 && next.endsWith(";")));
    const isBody = lines[start + 1 + rest] === `${indent}}`;
    return isBody ? [{ name, line: start + 1, length: rest + 2 }] : [];
  });
}

test(`no function of src has more than ${LINES_OF_A_FUNCTION} lines`, () => {
  const found = sources.filter(({ file }) => /^src\/.*\.rs$/.test(file)).flatMap(({ file, lines }) => functions(lines).map((one) => ({ file, ...one })));
  assert.ok(found.length > 1_000, `the functions were read: ${found.length}`);
  assert.deepEqual(found.filter(({ length }) => length > LINES_OF_A_FUNCTION).map(({ file, line, name, length }) => `${file}:${line} ${name}: ${length} lines`), [], "split it where a step has a name");
});

test(`no file of src or tests has more than ${LINES_OF_A_FILE} lines`, () => {
  const large = sources.filter(({ file, lines }) => lines.length > LINES_OF_A_FILE && !(file in LARGER));
  assert.deepEqual(large.map(({ file, lines }) => `${file}: ${lines.length} lines`), [], "split it by topic");
});

test("files that may have more lines have more", () => {
  const small = Object.keys(LARGER).filter((name) => !sources.some(({ file, lines }) => file === name && lines.length > LINES_OF_A_FILE));
  assert.deepEqual(small, []);
});
