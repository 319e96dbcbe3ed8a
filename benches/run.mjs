// How fast the built package is, how level, and how large, beside its neighbors.
//
//   npm run bench                                a short set, under five minutes, one table
//   npm run bench -- --full                      everything, and a JSON file
//   npm run bench -- stream thread               some of it: the names are below
//   npm run bench -- --full --write docs/performance.md    puts the table where the file has its marks
//   npm run bench -- native                      Criterion: the parts of the core, without JavaScript
//
// Each ratio is taken within one run, of ways that take turns. It says how loaded the machine was: another's work makes
// clocks lie, and ratios less so.

import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import { dirname } from "node:path";
import { parseArgs } from "node:util";
import { locate } from "../tests/webdriver/engines.mjs";
import { at } from "../tools/paths.mjs";
import { markdown, text } from "./report.mjs";
import { versions } from "./peers.mjs";
import { dropIn } from "./dropin.mjs";
import * as node from "./node.mjs";
import * as chromium from "./chromium/rows.mjs";
import { size } from "./size.mjs";

/** @typedef {import("./report.mjs").Line} Line */

/** The rows that run in Node, and those that run in a page. */
const inNode = {
  stream: node.streams,
  against: node.against,
  thread: node.threads,
  args: node.args,
  state: node.states,
  dropin: dropIn,
  blocks: node.blocks,
  size,
};
const inPage = {
  render: chromium.rendering,
  markdown: chromium.markdown,
  burst: chromium.bursts,
  cold: chromium.cold,
  memory: chromium.memory,
  many: chromium.many,
  long: chromium.long,
};
const names = [...Object.keys(inNode), ...Object.keys(inPage)];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { full: { type: "boolean", default: false }, json: { type: "string" }, write: { type: "string" } },
});
if (positionals.includes("native")) {
  const { status } = spawnSync("cargo", ["bench", "--manifest-path", at("benches/native/Cargo.toml"), "--target-dir", at("target")], { stdio: "inherit" });
  process.exit(status ?? 1);
}
const unknown = positionals.filter((name) => !names.includes(name));
if (unknown.length > 0) {
  console.error(`There is no ${unknown.join(", ")}. There are ${names.join(", ")}, native.`);
  process.exit(2);
}
const wanted = positionals.length > 0 ? positionals : names;
const { full } = values;

const used = Object.entries(versions()).map(([name, version]) => `${name} ${version}`).join(", ");
const machine = `Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model.trim()}`;
const load = () => loadavg()[0]?.toFixed(1);
const begin = load();
console.log(`${used}\n${machine}, load ${begin}\n`);

/** @type {Line[]} */
const lines = [];
/** @param {string} name @param {AsyncGenerator<Line>} rows */
async function take(name, rows) {
  const start = Date.now();
  for await (const line of rows) lines.push(line);
  console.error(`  ${name}: ${((Date.now() - start) / 1000).toFixed(0)} s`);
}

for (const [name, rows] of Object.entries(inNode)) if (wanted.includes(name)) await take(name, rows({ full }));
let browser = "";
const pages = Object.entries(inPage).filter(([name]) => wanted.includes(name));
if (pages.length > 0 && locate("chromium").missing.length > 0) {
  console.error(`Chromium is not there: ${pages.map(([name]) => name).join(", ")} left out.`);
} else if (pages.length > 0) {
  const page = await chromium.start();
  browser = `Chromium ${page.version}, `;
  try {
    for (const [name, rows] of pages) await take(name, rows(page, { full }));
  } finally {
    await page.close();
  }
}
lines.sort((a, b) => a.row - b.row);

console.log(`\n${text(lines)}`);
const end = load();
const missed = lines.filter(({ met }) => met === false).length;
console.log(`\n${lines.filter(({ met }) => met).length} targets met, ${missed} missed. ${browser}load ${begin} at the beginning, ${end} at the end.`);

if (full || values.json) {
  const file = values.json ?? at(".artifacts/bench.json");
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(
    file,
    `${JSON.stringify({ date: new Date().toISOString(), versions: versions(), machine, browser, load: [begin, end], full, lines }, null, 2)}\n`,
  );
  console.log(`All figures: ${file}`);
}
if (values.write) {
  const [from, to] = ["<!-- figures -->", "<!-- /figures -->"];
  const before = readFileSync(values.write, "utf8");
  const [first, last] = [before.indexOf(from), before.indexOf(to)];
  if (first < 0 || last < first) throw new Error(`${values.write} has no ${from} … ${to}.`);
  const about = `Measured on ${new Date().toISOString().slice(0, 10)} by \`npm run bench${
    full ? " -- --full" : ""
  }\` with ${used}; ${browser}${machine}; load ${begin} at the beginning, ${end} at the end.`;
  writeFileSync(values.write, `${before.slice(0, first)}${from}\n${about}\n\n${markdown(lines)}\n${before.slice(last)}`);
}
process.exit(0);
