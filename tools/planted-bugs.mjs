// Plants each bug of tests/simulation/bugs in a copy of the crate, and expects the simulation to find it.
//
//   node tools/planted-bugs.mjs [name …]
//
// Not a part of `npm test`: it compiles the crate once a bug. SCHEDULES says how many schedules of each of the simulation's
// tests a bug has, 100,000 by default.

import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { at } from "./paths.mjs";

const folder = at("tests/simulation/bugs");
const copy = at("target/planted-bugs/crate");
const only = process.argv.slice(2);

/** @param {string} command @param {string[]} args @param {Record<string, string>} [more] */
const run = (command, args, more) => {
  const env = { ...process.env, RUST_BACKTRACE: "0", CARGO_TARGET_DIR: at("target/planted-bugs/target"), ...more };
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: copy, env, encoding: "utf8", maxBuffer: 1 << 28 });
  return { ok: status === 0, output: `${stdout}${stderr}` };
};

const fresh = () => {
  rmSync(copy, { recursive: true, force: true });
  mkdirSync(copy, { recursive: true });
  for (const name of ["src", "tests/simulation", "tests/support", "tests/simulation.rs", "Cargo.toml", "Cargo.lock"]) {
    cpSync(at(name), join(copy, name), { recursive: true });
  }
};

const schedules = Number(process.env.SCHEDULES ?? 100_000);

/** What the first test that fails prints, and after how many schedules. Most bugs are found among the first hundreds. */
const find = () => {
  for (let first = 1, count = 2000; first <= schedules; first += count, count = Math.min(20_000, schedules + 1 - first)) {
    for (const test of ["what_must_hold_holds", "nothing_is_lost_or_done_twice"]) {
      const range = { FIRST: String(first), SCHEDULES: String(Math.min(count, schedules)) };
      const { ok, output } = run("cargo", ["test", "--test", "simulation", test], range);
      const [, schedule] = /\(schedule (\d+) of/.exec(output) ?? [];
      if (!ok) return { output, schedule: schedule && Number(schedule) + first - 1 };
    }
  }
  return { output: "", schedule: undefined };
};

const names = readdirSync(folder).filter((name) => name.endsWith(".patch")).map((name) => basename(name, ".patch"));
const missed = [];
console.log("| bug | found by schedule | steps left | what was wrong |\n| --- | --- | --- | --- |");
for (const name of names.filter((name) => only.length === 0 || only.includes(name))) {
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
  const { output, schedule } = find();
  if (!schedule) missed.push(name);
  const [, why] = /\n\n([^\n]+)(?:\n[^\n]+)*\n\n\d+ of \d+ steps are left/.exec(output) ?? [];
  const [, steps] = /\n\n(\d+) of \d+ steps are left/.exec(output) ?? [];
  console.log(`| ${about} | ${schedule ?? "not found"} | ${steps ?? "–"} | ${(why ?? "–").slice(0, 100).replaceAll("|", "/")} |`);
}
if (missed.length > 0) {
  console.error(`not found: ${missed.join(", ")}`);
  process.exit(1);
}
