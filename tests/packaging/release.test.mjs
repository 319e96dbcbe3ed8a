// The checks of a release before it publishes, and the workflows' steps.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { before, describe, test } from "node:test";
import { inspect, problems } from "../../tools/release.mjs";
import { packedFiles, root } from "./consumer.mjs";

describe("a release", () => {
  /** @type {import("../../tools/release.mjs").Release} */
  let release;
  before(async () => {
    release = await inspect();
  });

  test("finds nothing wrong with the package", () => {
    assert.deepEqual(problems(release).wrong, []);
  });

  /** The faults that are found when something is planted. @param {Partial<import("../../tools/release.mjs").Release>} changes */
  const found = (changes) => problems({ ...release, ...changes }).wrong;

  test("needs versions that agree", () => {
    assert.match(found({ crate: "9.9.9" }).join(), /Cargo\.toml has the version 9\.9\.9, package\.json /);
    assert.match(found({ lock: "9.9.9" }).join(), /Cargo\.lock has the version 9\.9\.9/);
    assert.match(found({ manifest: { ...release.manifest, version: "next" } }).join(), /expected a semantic version/);
    assert.match(found({ changelog: "# Changelog\n\n## 0.0.1 (2020-01-01)\n" }).join(), /CHANGELOG\.md begins with 0\.0\.1/);
  });

  test("needs the fields that npm shows", () => {
    for (const field of ["homepage", "bugs", "license", "description"]) {
      assert.deepEqual(found({ manifest: { ...release.manifest, [field]: undefined } }), [`package.json has no ${field}`]);
    }
    assert.match(found({ repository: "https://elsewhere.test/x" }).join(), /names the repository/);
    assert.match(found({ manifest: { ...release.manifest, dependencies: { a: "1" } } }).join(), /has dependencies or scripts/);
  });

  test("needs every file, and no other", () => {
    const without = (/** @type {string} */ name) => release.files.filter(({ path }) => path !== name);
    assert.deepEqual(found({ files: without("react.js") }), ["the tarball lacks react.js"]);
    assert.deepEqual(found({ files: without("cli/index.js") }), ["the tarball lacks cli/index.js"]);
    for (const path of ["js/index.ts", ".env", "tests/a.mjs", "a.tgz", "examples/html/node_modules/a/index.js", "examples/next/.env"]) {
      assert.deepEqual(found({ files: [...release.files, { path, size: 1 }] }), [`the tarball has ${path}`]);
    }
  });

  test("keeps its size", () => {
    assert.match(found({ size: 9e6 }).join(), /the tarball has 9000000 bytes/);
    assert.deepEqual(found({ tooLarge: ["core.wasm has too much"] }), ["core.wasm has too much"]);
  });

  test("waits for a date, a commit and a tag", () => {
    const { pending } = problems({ ...release, changelog: "## 0.1.0 (unreleased)\n", clean: false, tags: [] });
    assert.deepEqual(pending.map((line) => line.split(" ")[0]), ["CHANGELOG.md", "git", "the"]);
    const { version } = release.manifest;
    assert.deepEqual(problems({ ...release, changelog: `## ${version} (2026-01-02)\n`, clean: true, tags: [`v${version}`] }).pending, []);
  });

  test("the dry run lists what is packed, and publishes nothing", async () => {
    /** @type {{ error: Error | null, out: string }} */
    const { error, out } = await new Promise((resolve) => {
      execFile("node", [join(root, "tools/release.mjs"), "--dry-run", "--built"], { cwd: root, maxBuffer: 2 ** 26 }, (error, out) => resolve({ error, out }));
    });
    assert.equal(error, null, out);
    const listed = [...out.matchAll(/^ *\d+ {2}(\S.*)$/gm)].map((match) => match[1]).sort();
    assert.deepEqual(listed, await packedFiles());
    assert.match(out, /^\d+ files, \d+ bytes packed/m);
    assert.match(out, /dry run: npm publish --provenance --access public\n$/);
  });
});

describe("workflows", () => {
  const folder = join(root, ".github/workflows");
  const workflows = readdirSync(folder).map((name) => ({ name, text: readFileSync(join(folder, name), "utf8") }));
  const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

  for (const { name, text } of workflows) {
    test(`${name} runs what is there`, () => {
      for (const [, command = ""] of text.matchAll(/^ *- run: (.+)$/gm)) {
        const [program = "", ...args] = command.split(" ");
        if (program === "npm" && args[0] === "run") assert.ok((args[1] ?? "") in scripts, command);
        else if (program === "node") assert.ok(existsSync(join(root, args.at(-1) ?? "")), command);
        else if (program.startsWith(".")) assert.ok(existsSync(join(root, program)), command);
        else assert.ok(["npm ci", "git config --global core.autocrlf false"].includes(command), command);
      }
      assert.match(text, /^permissions:\n {2}contents: read\n/m, "nothing may write by default");
      for (const [, action = ""] of text.matchAll(/uses: (\S+)/g)) assert.match(action, /^actions\/[\w-]+@v\d+$/, "only GitHub's own actions");
      // npm, pip and cargo are set up with theirs: a host that is named here would be asked past a mirror.
      assert.doesNotMatch(text, /https?:|registry-url|--registry/, "no host of a registry");
    });
  }

  test("tests run on Linux, macOS and Windows, and a release has provenance", () => {
    const text = (/** @type {string} */ name) => workflows.find((workflow) => workflow.name === name)?.text ?? "";
    for (const system of ["ubuntu-latest", "macos-latest", "windows-latest"]) assert.ok(text("test.yml").includes(system), system);
    assert.match(text("release.yml"), /id-token: write/);
    assert.match(text("release.yml"), /tags: \["v\*"\]/);
  });
});
