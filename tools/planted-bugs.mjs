// Plants each bug of tests/simulation/bugs in a copy of the crate, and expects the simulation to find it.
//
//   node tools/planted-bugs.mjs [name …]
//
// Not a part of `npm test`: it compiles the crate once a bug, in one folder, of which only what a patch changes is compiled anew.
// SCHEDULES says how many schedules of each of the simulation's tests a bug has, 100,000 by default.

import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { at } from "./paths.mjs";

const folder = at("tests/simulation/bugs");
const copy = at("target/planted-bugs/crate");
const only = process.argv.slice(2);

/** @param {string} command @param {string[]} args @param {Record<string, string>} [more] */
const run = (command, args, more) => {
  const env = {
    ...process.env,
    RUST_BACKTRACE: "0",
    CARGO_TARGET_DIR: at("target/planted-bugs/target"),
    // A bug needs few schedules: what counts is how long it takes to compile.
    CARGO_INCREMENTAL: "1",
    CARGO_PROFILE_TEST_OPT_LEVEL: "1",
    CARGO_PROFILE_TEST_DEBUG: "false",
    ...more,
  };
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: copy, env, encoding: "utf8", maxBuffer: 1 << 28 });
  return { ok: status === 0, output: `${stdout}${stderr}` };
};

/** The files of a folder, or the file itself. @param {string} path @returns {string[]} */
const files = (path) => {
  if (!existsSync(path)) return [];
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path).flatMap((name) => files(join(path, name)));
};

/** Makes the copy what the crate is. Files that are alike keep their time, so that they are not compiled again. */
const fresh = () => {
  const wanted = ["src", "tests/simulation", "tests/support", "tests/fixtures/events.json", "Cargo.toml", "Cargo.lock"];
  const named = new Set(wanted.flatMap((name) => files(at(name))).map((path) => relative(at("."), path)));
  for (const path of ["src", "tests"].flatMap((name) => files(join(copy, name)))) {
    if (!named.has(relative(copy, path))) rmSync(path);
  }
  for (const name of named) {
    const [text, path] = [readFileSync(at(name)), join(copy, name)];
    if (existsSync(path) && readFileSync(path).equals(text)) continue;
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
};

const schedules = Number(process.env.SCHEDULES ?? 100_000);

/** The program that plays, of what cargo says. @param {string} output */
const program = (output) => resolve(copy, /\(([^)]*simulation-[0-9a-f]+)\)/.exec(output)?.[1] ?? "");

/**
 * Runs the simulation. Returns the output of the first test that fails, and after how many schedules. Most bugs are found among the first hundreds. @param
 * {string} test
 */
const find = (test) => {
  for (let first = 1, count = 1000; first <= schedules; first += count, count = Math.min(20_000, schedules + 1 - first)) {
    for (const name of ["what_must_hold_holds", "nothing_is_lost_or_done_twice"]) {
      const range = { FIRST: String(first), SCHEDULES: String(Math.min(count, schedules)) };
      const { ok, output } = run(test, [name], range);
      const [, schedule] = /\(schedule (\d+) of/.exec(output) ?? [];
      if (!ok) return { output, schedule: schedule && Number(schedule) + first - 1 };
    }
  }
  return { output: "", schedule: undefined };
};

const names = readdirSync(folder).filter((name) => name.endsWith(".patch")).map((name) => basename(name, ".patch"));
const missed = [];
console.log("| bug | found by schedule | steps left | what was wrong |\n| --- | --- | --- | --- |");
for (const name of names.filter((candidate) => only.length === 0 || only.includes(candidate))) {
  const patch = join(folder, `${name}.patch`);
  const about = readFileSync(patch, "utf8").split("\n", 1)[0];
  fresh();
  // A folder in a repository that ignores it: git applies nothing there, patch does.
  const planted = run("patch", ["-p1", "--forward", "--input", patch]);
  const built = planted.ok && run("cargo", ["test", "--test", "simulation", "--no-run"]);
  if (!built || !built.ok) {
    missed.push(name);
    console.log(`| ${name} | – | – | ${planted.ok ? "does not compile" : "the patch does not apply"} |`);
    continue;
  }
  const { output, schedule } = find(program(built.output));
  if (!schedule) missed.push(name);
  const [, why] = /\n\n([^\n]+)(?:\n[^\n]+)*\n\n\d+ of \d+ steps are left/.exec(output) ?? [];
  const [, steps] = /\n\n(\d+) of \d+ steps are left/.exec(output) ?? [];
  console.log(`| ${about} | ${schedule ?? "not found"} | ${steps ?? "–"} | ${(why ?? "–").slice(0, 100).replaceAll("|", "/")} |`);
}
if (missed.length > 0) {
  console.error(`not found: ${missed.join(", ")}`);
  process.exit(1);
}
