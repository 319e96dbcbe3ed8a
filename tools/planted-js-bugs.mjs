// Plants each bug of tests/js/bugs.mjs in a copy of js/, and expects every test that it names to find it.
//
//   node tools/planted-js-bugs.mjs [name …]       needs a built package
//
// Not a part of `npm test`: it compiles js/ once a bug.

import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join, relative } from "node:path";
import { bugs as listed } from "../tests/js/bugs.mjs";
import { files } from "./fingerprint.mjs";
import { at, packageFolder } from "./paths.mjs";

const copy = at("target/planted-js-bugs");
const only = process.argv.slice(2);

/** Where in tests/js a test is, by its name. @param {string} name */
const placed = (name) => {
  const file = files(at("tests/js")).find((path) => basename(path) === `${name}.test.mjs`);
  if (file === undefined) throw new Error(`There is no test "${name}".`);
  return relative(at("tests/js"), file).slice(0, -".test.mjs".length);
};
const bugs = listed.map((bug) => ({ ...bug, tests: bug.tests.map(placed) }));

const missed = [];

for (const { name, file, from, to, tests } of bugs) {
  if (only.length > 0 && !only.some((part) => name.includes(part))) continue;
  rmSync(copy, { recursive: true, force: true });
  mkdirSync(copy, { recursive: true });
  cpSync(at("js"), join(copy, "js"), { recursive: true });
  cpSync(packageFolder, join(copy, "pkg"), { recursive: true });
  const source = readFileSync(join(copy, "js", file), "utf8");
  writeFileSync(join(copy, "js", file), source.replace(from, to));
  // Unused names are no error of the bug's.
  const tsc = [at("node_modules/typescript/bin/tsc"), "-p", join(copy, "js"), "--outDir", join(copy, "pkg"), "--noUnusedLocals", "false"];
  spawnSync("node", tsc);
  for (const test of tests) {
    const env = { ...process.env, AG_UI_WASM_JS: join(copy, "pkg"), LOCKSTEP: "6000", LOCKSTEP_SEED: "1", TABS: "1000" };
    const { status } = spawnSync("node", ["--test", "--test-timeout=120000", at(`tests/js/${test}.test.mjs`)], { env, encoding: "utf8", timeout: 900_000 });
    // A promise that never settles is found by the test's own limit; what is killed has found nothing.
    const found = source.includes(from) && status !== null && status !== 0;
    if (!found) missed.push(`${name}: ${test}`);
    console.log(`${found ? "found" : "MISSED"} by ${test}: ${name}`);
  }
}
rmSync(copy, { recursive: true, force: true });
if (missed.length > 0) throw new Error(`Not found:\n${missed.join("\n")}`);
