// The bugs that `tools/planted-bugs.mjs` plants fit the sources as they are: one that does not is looked for by nobody.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync, readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { describe, it } from "node:test";
import { files } from "../../tools/fingerprint.mjs";
import { at, root } from "../../tools/paths.mjs";
import { bugs } from "./bugs.mjs";

const folder = "tests/simulation/bugs";
const names = readdirSync(at(folder));
// A repository around this folder would have git look for the files there.
const env = { ...process.env, GIT_CEILING_DIRECTORIES: dirname(root) };
const git = (...args) => spawnSync("git", args, { cwd: root, env, encoding: "utf8" });
const skip = git("--version").status !== 0 && "there is no git";

describe("the planted bugs", { skip }, () => {
  it("are patches only", () => {
    assert.ok(names.length > 30);
    assert.deepEqual(names.filter((name) => !name.endsWith(".patch")), []);
  });

  for (const name of names) {
    it(`${name} applies`, () => {
      const { status, stderr } = git("apply", "--check", "--verbose", join(folder, name));
      assert.equal(status, 0, stderr);
      assert.match(stderr, /^Checking patch src\//m);
    });
  }
});

describe("the planted bugs of js/", () => {
  for (const { name, file, from } of bugs) {
    it(`${name}: applies, at one place`, () => assert.equal(readFileSync(at("js", file), "utf8").split(from).length, 2));
  }

  it("name tests that are there", () => {
    const names = files(at("tests/js")).map((path) => basename(path, ".test.mjs"));
    for (const { name, tests } of bugs) assert.deepEqual(tests.filter((test) => !names.includes(test)), [], name);
  });
});
