// Replays a file of conformance cases to the built package.
//
//   npm run conformance -- FILE.jsonl                     with strict rules, which are the official client's
//   npm run conformance -- --rules tolerant FILE.jsonl
//   npm run conformance                                   our own cases, tests/fixtures/conformance/cases.jsonl
//
// Prints a line for each case, what differs below those that fail, and at the end `N passed, N failed`.

import { existsSync } from "node:fs";
import { parseArgs } from "node:util";

if (!existsSync(new URL("../../pkg/core.wasm", import.meta.url))) {
  console.error("The package is not built. Run: npm run build");
  process.exit(2);
}
const { readCases } = await import("./cases.mjs");
const { judge, list } = await import("./judge.mjs");

/** @typedef {import("./judge.mjs").Verdict} Verdict */

const { values, positionals } = parseArgs({ allowPositionals: true, options: { rules: { type: "string", default: "strict" } } });
const rules = /** @type {import("./ours.mjs").Rules} */ (values.rules);
if (!["strict", "tolerant"].includes(rules)) throw new Error(`--rules is strict or tolerant, not ${rules}`);

let passed = 0;
let failed = 0;
for (const file of positionals.length > 0 ? positionals : [new URL("../fixtures/conformance/cases.jsonl", import.meta.url)]) {
  for (const given of readCases(file)) {
    const { passed: ok, why, lines } = await inTime(judge(given, rules)).catch(broken);
    if (ok) passed++;
    else failed++;
    console.log(`${ok ? "pass" : "fail"}  ${given.name}${why ? ` (on purpose: ${list.reasons[why]})` : ""}`);
    for (const line of lines.slice(0, 8)) console.log(`        ${line}`);
  }
}
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;

/** A run that never ends must not keep the other cases from theirs. @param {Promise<Verdict>} verdict @returns {Promise<Verdict>} */
async function inTime(verdict) {
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  const late = new Promise((_, reject) => (timer = setTimeout(reject, 20_000, new Error("the run has not ended after 20 s"))));
  return Promise.race([verdict, /** @type {Promise<never>} */ (late)]).finally(() => clearTimeout(timer));
}

/** @param {any} error @returns {Verdict} */
function broken(error) {
  return { passed: false, lines: [String(error?.stack ?? error)] };
}
