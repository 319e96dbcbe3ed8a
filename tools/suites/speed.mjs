// The limits of what a change may cost: instructions of the core, and how they grow with their input.

import { aptInstall, canUseApt } from "../apt.mjs";
import { files } from "../fingerprint.mjs";
import { at } from "../paths.mjs";
import { Failure, probe } from "../run.mjs";
import { absent, nodeTest } from "./results.mjs";

/** @returns {AsyncGenerator<import("./results.mjs").Result>} */
export async function* speed() {
  const tests = [...files(at("benches/gate")), ...files(at("tests/growth"))].filter((file) => file.endsWith(".test.mjs"));
  try {
    if (!probe("valgrind", "--version") && canUseApt()) await aptInstall(["valgrind"]);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
  }
  if (!probe("valgrind", "--version")) yield absent("instructions", "valgrind was not found (Debian package: valgrind)", 7);
  // One after the other: they measure.
  yield nodeTest("speed", tests, { log: "test-speed", concurrency: 1 });
}
