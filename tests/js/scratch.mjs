// Compiles js/ into .tools/js-test, with a stand-in for the core, so that these tests run without Rust:
//   node tests/js/scratch.mjs && AG_UI_WASM_JS=.tools/js-test node --test tests/js/*.test.mjs
// Without the variable the tests take the built package.

import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = new URL("../../", import.meta.url);
const out = new URL(".tools/js-test/", root);
rmSync(out, { recursive: true, force: true });
mkdirSync(new URL("glue/", out), { recursive: true });
execFileSync(
  process.execPath,
  [fileURLToPath(new URL("node_modules/typescript/bin/tsc", root)), "-p", fileURLToPath(new URL("js", root)), "--outDir", fileURLToPath(out)],
  { stdio: "inherit" },
);
const core = JSON.stringify(new URL("fake-core.mjs", import.meta.url).href);
writeFileSync(new URL("glue/core.js", out), `export { Session } from ${core};\nexport default async function init() {}\n`);
// Raw deflate of nothing.
writeFileSync(new URL("glue/bytes.js", out), `export const bytes = "AwA=";\n`);
writeFileSync(new URL("package.json", out), `{ "type": "module", "sideEffects": false }\n`);
