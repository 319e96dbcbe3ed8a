// Compiles js/ into .tools/js-test, with a stand-in for the core, so that these tests run without Rust:
//   node tests/js/scratch.mjs && AG_UI_WASM_JS=.tools/js-test node --test "tests/js/**/*.test.mjs"
// Without the variable the tests take the built package.

import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { deflateRawSync } from "node:zlib";
import { addOns } from "../../tools/split.mjs";

const root = new URL("../../", import.meta.url);
const out = new URL(".tools/js-test/", root);
rmSync(out, { recursive: true, force: true });
mkdirSync(new URL("glue/", out), { recursive: true });
execFileSync(
  process.execPath,
  [fileURLToPath(new URL("node_modules/typescript/bin/tsc", root)), "-p", fileURLToPath(new URL("js", root)), "--outDir", fileURLToPath(out)],
  { stdio: "inherit" },
);
const glue = `export { Session as CoreSession } from "../../../tests/js/fake-core.mjs";
export const compact = (lines) => lines;
export default async function init({ module_or_path }) {
  const module = await module_or_path;
  await WebAssembly.instantiate(module instanceof Response ? await module.arrayBuffer() : module);
}
`;
for (const name of ["core", "base", "full"]) writeFileSync(new URL(`glue/${name}.js`, out), glue);
const empty = Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0);
const base64 = deflateRawSync(empty).toString("base64");
mkdirSync(new URL("glue/add-ons/", out));
for (const name of ["bytes", "base-bytes", ...Object.keys(addOns).map((each) => `add-ons/${each}`)])
  writeFileSync(new URL(`glue/${name}.js`, out), `export const bytes = "${base64}";\n`);
writeFileSync(new URL("package.json", out), `{ "type": "module", "sideEffects": false }\n`);
