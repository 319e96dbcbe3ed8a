// Regular expressions read what servers and people have written: each takes a time in proportion to that.

import { parse } from "acorn";
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { it } from "node:test";
import { analyse } from "scslre";
import { at } from "../../tools/paths.mjs";

/** The patterns that read no more than an address, an option or a number of the application's own. */
const short = [/\/+$/, /(?:\/message:stream|\/stream)?\/*$/, /^([^?#]*)(.*)$/, /\B(?=(\d{3})+(?!\d))/, /^([!#$%&'*+.^_`|~\w-]+):\s*(.*)$/].map(({ source }) =>
  source
);

/** The literals in a piece of a program. */
function literalsOf(node) {
  if (Array.isArray(node)) return node.flatMap(literalsOf);
  if (typeof node?.type !== "string") return [];
  return node.regex ? [node.regex] : Object.values(node).flatMap(literalsOf);
}

/** Whether it looks ahead, or back, from every line or place for as long as a part repeats: not seen by the analysis. */
const looksFar = ({ pattern, flags }) => (flags.includes("m") || !pattern.startsWith("^")) && /\(\?<?[=!][^)]*\[[^\]]*(\\s|\\n|\^)[^\]]*\][*+]/.test(pattern);

const isSlow = (regex) =>
  looksFar(regex) || analyse({ source: regex.pattern, flags: regex.flags }, { reportTypes: { Move: true, Self: true, Trade: true } }).reports.length > 0;

it("no regular expression takes longer than what it reads", () => {
  const files = readdirSync(at("pkg"), { recursive: true }).filter((name) => /\.js$/.test(name) && !/^glue|\.min\.js$/.test(name));
  const literals = files.flatMap((name) => literalsOf(parse(readFileSync(at(`pkg/${name}`), "utf8"), { ecmaVersion: "latest", sourceType: "module" })));
  assert.ok(literals.length > 100);
  const slow = literals.filter((regex) => !short.includes(regex.pattern) && isSlow(regex));
  assert.deepEqual(slow, []);
  // This is how they are found out.
  for (const pattern of ["(a*)*b", String.raw`^\|[ \t]*\|?[ \t]*$`]) assert.ok(isSlow({ pattern, flags: "" }), pattern);
  assert.ok(isSlow({ pattern: String.raw`^(?!:|[\s\uFEFF]*$)`, flags: "m" }));
});
