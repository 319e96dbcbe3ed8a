// The prose of this repository: documents, comments, messages and the names of tests.

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "../..");
const EXTENSIONS = /\.(md|rs|ts|tsx|mjs|js|svelte|html|toml|py)$/;
// Data, and what others wrote.
const SKIPPED = /^(tests\/fixtures|fuzz\/corpus|tools\/licenses|tests\/prose)\//;

/** @typedef {{ file: string, line: number, text: string }} Prose */

/** The files that git knows and people read. */
const files = () =>
  execFileSync("git", ["ls-files"], { cwd: root, encoding: "utf8" }).split("\n").filter((file) => EXTENSIONS.test(file) && !SKIPPED.test(file));

/** Every line of prose. @returns {Prose[]} */
export const prose = () => files().flatMap(linesOf);

/** The lines with which comments and their paragraphs begin, without the marks. @returns {Prose[]} */
export function beginnings() {
  return files().filter((file) => !/\.(md|html|toml|py)$/.test(file)).flatMap((file) => {
    let inside = false;
    return readFileSync(join(root, file), "utf8").split("\n").flatMap((line, index) => {
      const [, text] = line.match(/^\s*(?:\/\/[/!]?|\/\*\*?|\*(?!\/))(?:\s+(.*))?$/) ?? [];
      const begins = !inside || /^\s*\/\*/.test(line);
      inside = Boolean(text) && !line.trimEnd().endsWith("*/");
      return text && begins ? [{ file, line: index + 1, text }] : [];
    });
  });
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
