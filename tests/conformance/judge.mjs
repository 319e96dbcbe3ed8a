// The verdict on a case: what it expects, or what differences.json says that we do on purpose.

import { readFileSync } from "node:fs";
import { breaksProtocol, compare, lost } from "./compare.mjs";
import { runOurs } from "./ours.mjs";

/**
 * `ours` are the members of `expect` that differ, null for one that is absent. `$initial` is what the case began with,
 * `$unique` what is expected with one message an id, `$longer` what is expected with more after it.
 *
 * @typedef {{ why: string, ours: Record<string, unknown> }} Difference
 * @typedef {{ reasons: Record<string, string>, differences: Record<string, Difference> }} Differences
 * @typedef {{ passed: boolean, why?: string, lines: string[] }} Verdict  `why`: the reason of a difference on purpose
 */

/** @type {Differences} */
export const list = JSON.parse(readFileSync(new URL("differences.json", import.meta.url), "utf8"));

/**
 * @param {import("./cases.mjs").Case} given
 * @param {import("./ours.mjs").Rules} rules
 * @returns {Promise<Verdict>}
 */
export async function judge(given, rules) {
  const expect = given.expect;
  if (!expect) return { passed: false, lines: ["the case expects nothing"] };
  const ours = await runOurs(given, rules);
  const lines = rules === "strict" ? compare(given, expect, ours) : tolerantly(given, expect, ours);
  if (lines.length === 0) return { passed: true, lines };

  const difference = list.differences[given.name];
  if (!difference) return { passed: false, lines };
  const meant = { ...expect };
  for (const [name, value] of Object.entries(difference.ours)) {
    if (value === null) delete meant[name];
    else meant[name] = value === "$initial" ? given.initial?.[/** @type {"messages" | "state"} */ (name)] : value;
    if (value === "$unique") meant[name] = expect.messages.filter(({ id }, at, all) => all.findIndex((message) => message.id === id) === at);
    if (value === "$longer") meant[name] = [...expect.messages, ...ours.messages.slice(expect.messages.length)];
  }
  const others = compare(given, /** @type {any} */ (meant), ours);
  return others.length === 0
    ? { passed: true, why: difference.why, lines: [] }
    : { passed: false, lines: [...lines, ...others.map((line) => `and not as differences.json says: ${line}`)] };
}

/**
 * @param {import("./cases.mjs").Case} given
 * @param {import("./cases.mjs").Expectation} expect
 * @param {import("./cases.mjs").Expectation} ours
 */
function tolerantly(given, expect, ours) {
  if (given.tolerant) return compare(given, given.tolerant, ours);
  return breaksProtocol(expect.error) ? lost(expect, ours) : compare(given, expect, ours);
}
