// How many instructions the core takes for fixed work. A count does not depend on how fast the machine is, nor on what
// else it does; it depends a little on the compiler and on the processor's vectors, for which there is the margin.
//
//   node benches/gate/counts.mjs             prints them beside what is recorded
//   node benches/gate/counts.mjs --update    records them: when a change is worth what it costs, or has made them less

import { readFileSync, writeFileSync } from "node:fs";
import { at } from "../../tools/paths.mjs";
import { attempt, isMain, main, probe, run } from "../../tools/run.mjs";

const file = at("benches/gate/counts.json");
const deltas = 2_000;
export const parts = /** @type {const} */ (["reader", "rules", "reducer", "session", "reads", "arguments", "patch"]);

/** @typedef {(typeof parts)[number]} Part */
/** @typedef {{ rustc: string, counts: Record<Part, number> }} Recorded  instructions an event */

/** The growth in instructions at which the gate fails, with the compiler that the counts were recorded with, and with another. */
export const margins = { same: 0.05, other: 0.2 };

export const rustc = () => probe("rustc", "--version")?.match(/\d+\.\d+\.\d+/)?.[0] ?? "unknown";
/** @returns {Recorded} */
export const recorded = () => JSON.parse(readFileSync(file, "utf8"));

/** Compiles what is counted. */
export async function compile() {
  await run("cargo", ["build", "--locked", "--release", "--bin", "once", "--manifest-path", at("benches/native/Cargo.toml"), "--target-dir", at("target")], {
    log: "gate-cargo",
  });
}

/** Instructions an event. @param {Part} part */
export async function count(part) {
  // The work alone: what makes the stream does not count.
  const args = ["--tool=callgrind", "--toggle-collect=measured", "--callgrind-out-file=/dev/null", at("target/release/once"), part, String(deltas)];
  const { ok, output, tail } = await attempt("valgrind", args, { log: "gate-valgrind" });
  const collected = Number(output.match(/Collected : (\d+)/)?.[1]);
  const events = Number(output.match(/^(\d+) events/m)?.[1]);
  if (!ok || !(collected > 0) || !(events > 0)) throw new Error(`valgrind counted nothing:\n${tail}`);
  return Math.round(collected / events);
}

if (isMain(import.meta.url)) {
  await main(async () => {
    await compile();
    const before = recorded();
    /** @type {Record<string, number>} */
    const counts = {};
    for (const part of parts) {
      counts[part] = await count(part);
      const change = (counts[part] / before.counts[part] - 1) * 100;
      console.log(`${part.padEnd(12)}${String(counts[part]).padStart(8)} instructions an event, ${change.toFixed(1)}% more than recorded`);
    }
    if (process.argv.includes("--update")) writeFileSync(file, `${JSON.stringify({ rustc: rustc(), counts }, null, 2)}\n`);
  });
}
