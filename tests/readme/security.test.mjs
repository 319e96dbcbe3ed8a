// docs/security.md: every test that it names is there, and every limit is an option with that default.

import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../", import.meta.url));
const page = readFileSync(join(root, "docs/security.md"), "utf8");

/** The rows of the tables whose head begins so. @param {string} head */
const rows = (head) =>
  page
    .split(/^(?=\| )/m)
    .join("")
    .split(`| ${head} |`)
    .slice(1)
    .flatMap((table) => (table.split("\n\n")[0] ?? "").split("\n").slice(2));

test("every promise names a test, and every test is there", () => {
  const promises = rows("promise");
  assert.ok(promises.length > 25, "the tables were read");
  for (const row of promises) {
    const named = [...row.matchAll(/`(tests\/[\w./-]+)(?:: ([^`]+))?`/g)];
    assert.ok(named.length > 0, `no test proves: ${row}`);
    for (const [, file = "", name] of named) {
      assert.ok(existsSync(join(root, file)), file);
      if (name === undefined) continue;
      const text = readFileSync(join(root, file), "utf8");
      // The targets of tests/fuzz/main.rs are named in its macro.
      const forms = file.endsWith(".rs") ? [`fn ${name}()`, `\n    ${name} `] : [`("${name}"`];
      assert.ok(forms.some((form) => text.includes(form)), `${file} has no test "${name}"`);
    }
  }
});

test("every limit is an option, with its default", () => {
  const types = readdirSync(join(root, "js/api")).map((file) => readFileSync(join(root, "js/api", file), "utf8")).join("\n");
  const limits = rows("option");
  assert.ok(limits.length > 8, "the table was read");
  for (const row of limits) {
    const [, option = "", value = ""] = row.match(/^\| `([\w.]+)` \| (.*?) \|/) ?? [];
    const name = option.split(".").at(-1);
    const about = [...types.matchAll(new RegExp(`/\\*\\*((?:(?!\\*/)[^])*)\\*/\\s*readonly ${name}\\?:`, "g"))].map((match) => match[1] ?? "");
    assert.ok(about.length > 0, `js/api has no option ${option}`);
    assert.ok(about.some((text) => text.includes(`Default: ${value}`)), `${option} is ${value}: ${about}`);
  }
});
