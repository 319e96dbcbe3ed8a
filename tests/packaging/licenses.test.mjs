// The notices of what the modules are made of: a crate without its license must not be published, and one with a license that
// asks for more stops the build.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { chosen, dependencies } from "../../tools/licenses.mjs";
import { packageFolder, root } from "./consumer.mjs";

const notices = readFileSync(join(packageFolder, "THIRD-PARTY-LICENSES.txt"), "utf8");
const sections = notices.split(`\n${"-".repeat(80)}\n`);

test("every crate of the modules is named with the text of its license", async () => {
  const tree = execFileSync("cargo", ["tree", "--locked", "--target", "wasm32-unknown-unknown", "--edges", "normal", "--prefix", "none", "--format", "{p}"], {
    cwd: root,
    encoding: "utf8",
  });
  const named = new Set(
    tree.split("\n").map((line) => line.match(/^(\S+) v(\S+)/)).filter((match) => match !== null).map(([, name, version]) => `${name} ${version}`),
  );
  named.delete([...named].find((crate) => crate.startsWith("ag-ui-wasm ")) ?? "");
  assert.ok([...named].some((crate) => crate.startsWith("memchr ")), "the tree was read");
  const packages = new Map((await dependencies()).map((crate) => [`${crate.name} ${crate.version}`, crate]));
  assert.deepEqual([...packages.keys()].sort(), [...named].sort());
  for (const [crate, { manifest_path }] of packages) {
    const section = sections.find((text) => text.split("\n").some((line) => line.startsWith(`${crate} (`)));
    assert.ok(section, `${crate} is named`);
    const folder = dirname(manifest_path);
    const texts = readdirSync(folder).filter((file) => /^(LICEN[CS]E|COPYING)/i.test(file)).map((file) =>
      readFileSync(join(folder, file), "utf8").replaceAll("\r\n", "\n").trim()
    );
    assert.ok(texts.some((text) => section.includes(text)), `${crate} has its own text`);
  }
});

test("Rust's standard library is named", () => {
  for (const part of ["std, core, alloc", "dlmalloc", "compiler_builtins", "UNICODE LICENSE V3"]) assert.ok(notices.includes(part), part);
});

test("a license that is not on the list is refused", () => {
  assert.deepEqual(chosen("MIT/Apache-2.0", "old"), ["MIT"]);
  assert.deepEqual(chosen("(MIT OR Apache-2.0) AND Unicode-3.0", "unicode-ident"), ["MIT", "Unicode-3.0"]);
  assert.deepEqual(chosen("Unlicense OR MIT", "memchr"), ["MIT"]);
  for (const expression of ["GPL-3.0", "LGPL-2.1 OR MPL-2.0", "MIT AND GPL-2.0", null]) {
    assert.throws(() => chosen(expression, "x"), /not on the list/);
  }
});
