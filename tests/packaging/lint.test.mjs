// Reports of tools that find faults of packages.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { moduleFile, pack, packageFolder } from "./consumer.mjs";

/** @type {string} */
let folder;
/** @type {string} */
let tarball;
before(async () => {
  folder = mkdtempSync(join(tmpdir(), "ag-ui-wasm-lint-"));
  tarball = await pack(folder);
});
after(() => rmSync(folder, { recursive: true, force: true }));

test("publint finds nothing", async () => {
  const manifest = JSON.parse(readFileSync(join(packageFolder, "package.json"), "utf8"));
  const { messages } = await publint({ pkgDir: packageFolder, strict: true });
  assert.deepEqual(messages.map((message) => formatMessage(message, manifest)), []);
});

test("arethetypeswrong finds nothing", async () => {
  // The package is ESM only, and a .wasm has no types.
  const args = [tarball, "--profile", "esm-only", "--exclude-entrypoints", "core.wasm", "full.wasm", "--format", "ascii", "--no-color", "--no-emoji"];
  const complaint = await new Promise((resolve) => {
    execFile(process.execPath, [moduleFile("@arethetypeswrong/cli/dist/index.js"), ...args], (error, stdout, stderr) => resolve(error ? stdout + stderr : ""));
  });
  assert.equal(complaint, "");
});
