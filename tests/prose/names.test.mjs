// One name means one thing: no two files of js, and no two of src, declare a type of the same name.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { at } from "../../tools/paths.mjs";

/** Names that several files may declare, and why. @type {Record<string, string>} */
const SHARED = {
  Agent: "the public agent, and the official client's interface of that name",
};

/** The entries of frameworks name the results of one hook alike. */
const FRAMEWORKS = /\/(react|svelte|vue|angular)\.ts$/;

/** @param {string} folder @param {RegExp} declaration of a type at the top level of a file; its first group is the name */
function declared(folder, declaration) {
  const files = execFileSync("git", ["ls-files", folder], { cwd: at("."), encoding: "utf8" }).split("\n").filter((file) => /\.(rs|ts)$/.test(file));
  /** @type {Map<string, Set<string>>} */
  const places = new Map();
  for (const file of files) {
    for (const [, name = ""] of readFileSync(at(file), "utf8").matchAll(declaration))
      places.set(name, (places.get(name) ?? new Set()).add(file.replace(FRAMEWORKS, "")));
  }
  return places;
}

const languages = {
  js: declared("js", /^(?:export )?(?:declare )?(?:abstract )?(?:interface|class|enum|type(?= \w+(?:<.*>)? =)) (\w+)/gm),
  src: declared("src", /^(?:pub(?:\([^)]*\))? )?(?:struct|enum|trait|type|union) (\w+)/gm),
};

for (const [folder, places] of Object.entries(languages)) {
  describe(folder, () => {
    test("a type's name is declared in one file", () => {
      assert.ok(places.size > 200, `the names were read: ${places.size}`);
      const several = [...places].filter(([name, { size }]) => size > 1 && !(name in SHARED)).map(([name, files]) => `${name}: ${[...files].join(", ")}`);
      assert.deepEqual(several, [], "name it by what it is");
    });
  });
}

test("names that several files may declare are declared in several", () => {
  const once = Object.keys(SHARED).filter((name) => !Object.values(languages).some((places) => (places.get(name)?.size ?? 0) > 1));
  assert.deepEqual(once, []);
});
