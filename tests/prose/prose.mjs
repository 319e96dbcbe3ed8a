// What people read in this repository: documents, comments, messages and the names of tests.

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "../..");
const EXTENSIONS = /\.(md|rs|ts|tsx|mjs|js|svelte|html|toml|py)$/;
// Data, and what others wrote.
const SKIPPED = /^(tests\/fixtures|fuzz\/corpus|tools\/licenses|tests\/prose)\//;

/** @typedef {{ file: string, line: number, text: string }} Prose */

/** Every line of prose of the files that git knows. @returns {Prose[]} */
export function prose() {
  const files = execFileSync("git", ["ls-files"], { cwd: root, encoding: "utf8" }).split("\n");
  return files.filter((file) => EXTENSIONS.test(file) && !SKIPPED.test(file)).flatMap(linesOf);
}

/** @param {string} file @returns {Prose[]} */
function linesOf(file) {
  const lines = readFileSync(join(root, file), "utf8").split("\n");
  return lines.flatMap((line, index) => {
    const text = file.endsWith(".md") ? line : proseOf(line, file.startsWith("tests/"));
    return text ? [{ file, line: index + 1, text }] : [];
  });
}

/** The comment, the messages and the test's name that stand in a line of code. @param {string} line @param {boolean} inTests */
function proseOf(line, inTests) {
  const comment = line.match(/^\s*\*(?:\s.*)?$|(?:^|\s)(?:\/\/[/!]?|\/\*\*?|#)\s.*/)?.[0] ?? "";
  const messages = [...line.matchAll(/"([^"]* [^"]*)"|`([^`]* [^`]*)`/g)].map((match) => match[1] ?? match[2]);
  const name = !inTests ? "" : line.match(/\bfn (\w+)/)?.[1]?.replaceAll("_", " ") ?? "";
  return [comment, ...messages, name].filter(Boolean).join(" · ");
}
