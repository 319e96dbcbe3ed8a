// Replays a file of conformance cases to the built package.
//
//   npm run conformance -- FILE.jsonl                     with strict rules, which are the official client's
//   npm run conformance -- --rules tolerant FILE.jsonl
//   npm run conformance                                   our own cases, tests/fixtures/conformance/cases.jsonl
//
// Prints a line for each case, what differs below those that fail, and at the end `N passed, N failed`.

import { parseArgs } from "node:util";
import { readCases } from "./cases.mjs";
import { judge, list } from "./judge.mjs";

const { values, positionals } = parseArgs({ allowPositionals: true, options: { rules: { type: "string", default: "strict" } } });
const rules = /** @type {import("./ours.mjs").Rules} */ (values.rules);
if (!["strict", "tolerant"].includes(rules)) throw new Error(`--rules is strict or tolerant, not ${rules}`);

let passed = 0;
let failed = 0;
for (const file of positionals.length > 0 ? positionals : [new URL("../fixtures/conformance/cases.jsonl", import.meta.url)]) {
  for (const given of readCases(file)) {
    const verdict = await judge(given, rules).catch((error) => ({ passed: false, why: undefined, lines: [String(error?.stack ?? error)] }));
    if (verdict.passed) passed++;
    else failed++;
    console.log(`${verdict.passed ? "pass" : "fail"}  ${given.name}${verdict.why ? ` (on purpose: ${list.reasons[verdict.why]})` : ""}`);
    for (const line of verdict.lines.slice(0, 8)) console.log(`        ${line}`);
  }
}
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;
