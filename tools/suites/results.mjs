// The results of suites, and how counts are read from the output of test programs.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { logs } from "../paths.mjs";
import { attempt } from "../run.mjs";

/**
 * @typedef {object} Result  of one run of one program
 * @property {string} name
 * @property {number} passed
 * @property {number} failed
 * @property {number} skipped
 * @property {string[]} [skips]  what was skipped, and why
 * @property {string} [absent]  why none of it could run; `skipped` says how many tests that are
 * @property {string} [tail]  what to show when it failed
 */

/** @typedef {{ engines: import("../browsers.mjs").EngineName[], unusable: Map<string, string> }} Context */

/**
 * A program that either succeeds or not: one test.
 *
 * @param {string} name
 * @param {string} command
 * @param {string[]} args
 * @param {import("../run.mjs").RunOptions} options
 * @returns {Promise<Result>}
 */
export async function check(name, command, args, options) {
  const { ok, tail } = await attempt(command, args, options);
  return { name, passed: ok ? 1 : 0, failed: ok ? 0 : 1, skipped: 0, tail };
}

/**
 * Tests that could not run.
 *
 * @param {string} name
 * @param {string} reason
 * @param {number} [count]
 * @returns {Result}
 */
export const absent = (name, reason, count = 1) => ({ name, passed: 0, failed: 0, skipped: count, absent: reason });

/**
 * `cargo test`. It says "ok" too when it runs nothing: a `#[test]` in a binary for wasm32, or a
 * documentation test of one. So at least `expected` tests must have run.
 *
 * @param {string} name
 * @param {string[]} args
 * @param {import("../run.mjs").RunOptions & { expected: number }} options
 * @returns {Promise<Result>}
 */
export async function cargoTest(name, args, { expected, ...options }) {
  const { ok, output, tail } = await attempt("cargo", ["test", "--locked", ...args], options);
  const total = (/** @type {string} */ word) =>
    [...output.matchAll(new RegExp(`^test result: .*?(\\d+) ${word}`, "gm"))].reduce((sum, match) => sum + Number(match[1]), 0);
  const passed = total("passed");
  const failed = total("failed");
  const skipped = total("ignored");
  const skips = [...output.matchAll(/^test (.+?) \.\.\. ignored(?:, (.*))?$/gm)].map((match) => `${match[1]}${match[2] ? `: ${match[2]}` : ""}`);

  const missing = Math.max(0, expected - passed - failed - skipped);
  if (!ok || failed > 0) return { name, passed, failed: Math.max(1, failed), skipped, skips, tail };
  if (missing > 0) return { name, passed, failed: missing, skipped, skips, tail: `${tail}\n${expected} tests are written, ${expected - missing} ran.` };
  return { name, passed, failed: 0, skipped, skips };
}

/**
 * `node --test`, with a readable report in the log and a countable one beside it.
 *
 * @param {string} name
 * @param {string[]} files
 * @param {import("../run.mjs").RunOptions & { concurrency?: number }} options
 * @returns {Promise<Result>}
 */
export async function nodeTest(name, files, { concurrency, ...options }) {
  if (files.length === 0) return { name, passed: 0, failed: 1, skipped: 0, tail: "There are no test files." };
  const report = join(logs, `${options.log}.tap`);
  const reporters = ["--test-reporter=spec", "--test-reporter-destination=stdout", "--test-reporter=tap", `--test-reporter-destination=${report}`];
  const parallel = concurrency === undefined ? [] : [`--test-concurrency=${concurrency}`];
  const { ok, output, tail: end } = await attempt("node", ["--test", ...parallel, ...reporters, ...files], options);
  const [, failures] = output.split("failing tests:\n");
  const tail = failures ? `${failures.trim().split("\n").slice(0, 60).join("\n")}\n[all of it in .artifacts/logs/${options.log}.log]` : end;

  const tap = readFileSync(report, "utf8");
  const total = (/** @type {string} */ word) => Number(tap.match(new RegExp(`^# ${word} (\\d+)$`, "m"))?.[1] ?? 0);
  const passed = total("pass");
  const failed = total("fail") + total("cancelled");
  // Taken from the lines, because Node does not count a group that is skipped as a whole.
  const skips = [...tap.matchAll(/^ *(?:not )?ok \d+ - (.*?) # (?:SKIP|TODO) ?(.*)$/gm)].map((match) => `${match[1]}${match[2] ? `: ${match[2]}` : ""}`);
  const skipped = skips.length;
  const ran = passed + failed + skipped > 0;
  return { name, passed, failed: ok && ran ? failed : Math.max(1, failed), skipped, skips, tail: ran ? tail : `${tail}\nNo test ran.` };
}
