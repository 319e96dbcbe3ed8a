// Short names between a module and its glue. The names that wasm-bindgen writes, `__wbg_setTimeout_ea9dc3f413bc82e2`, are seen
// by nobody, and their hashes do not compress: 1.5% of what travels.

import { readFileSync, writeFileSync } from "node:fs";
import { Failure } from "./run.mjs";

/** The flag of wasm-opt that shortens the module's names, and prints which name has become which. */
export const shortNames = "--minify-imports-and-exports-and-modules";

/**
 * Gives the glue the names that its module has now.
 *
 * @param {string} file  the glue
 * @param {string} output  what wasm-opt printed
 */
export function followNames(file, output) {
  /** @type {{ imports: [module: string, name: string, short: string][], exports: [name: string, short: string][] }} */
  const { imports, exports } = JSON.parse(output.slice(output.indexOf("{"), output.lastIndexOf("}") + 1));
  const imported = new Map(imports.map(([, name, short]) => [name, short]));
  const exported = new Map(exports);
  const modules = [...new Set(imports.map(([module]) => module))];
  if (modules.length !== 1) throw new Failure(`The module imports from ${modules.length} modules, not from the glue alone.`);

  let found = 0;
  const glue = readFileSync(file, "utf8")
    .replace(`"${modules[0]}":`, "a:")
    .replaceAll(/^( {8})(\w+): function/gm, (_, indent, name) => {
      found++;
      return `${indent}${known(imported, name)}: function`;
    })
    .replaceAll(/\bwasm\.(\w+)/g, (_, name) => `wasm.${known(exported, name)}`);
  if (found !== imported.size) throw new Failure(`The glue has ${found} of the module's ${imported.size} imports: has wasm-bindgen's form changed?`);
  writeFileSync(file, glue);
}

const taken = "function passStringToWasm0(arg, malloc, realloc) {\n";

/**
 * A value that is no string would be written into memory that nobody has given it, and the module would fail later.
 *
 * @param {string} file  the glue
 */
export function takeStringsOnly(file) {
  const glue = readFileSync(file, "utf8");
  if (!glue.includes(taken)) throw new Failure("The glue hands over no strings: has wasm-bindgen's form changed?");
  const check = '    if (typeof arg !== "string") throw new TypeError(`expected a string, got a value of type ${typeof arg}`);\n';
  writeFileSync(file, glue.replace(taken, taken + check));
}

const load = /^async function __wbg_load\([^]*?^}\n/m;
const init = /^let __wbg_init_promise;\n[^]*?(?=^export )/m;

/**
 * The way to an instance, without addresses, outdated parameters and a lock: js/core/loader.ts fetches, and asks once. A response of
 * another media type cannot be compiled while it arrives.
 */
const shortInit = `async function __wbg_init({ module_or_path }) {
    if (wasm !== undefined) return wasm;
    const module = await module_or_path;
    const imports = __wbg_get_imports();
    let made;
    if (typeof Response !== "function" || !(module instanceof Response)) made = await WebAssembly.instantiate(module, imports);
    else if (module.headers.get("content-type") === "application/wasm") made = await WebAssembly.instantiateStreaming(module, imports);
    else made = await WebAssembly.instantiate(await module.arrayBuffer(), imports);
    return __wbg_finalize_init(made.instance ?? made, made.module ?? module);
}

`;

/**
 * Takes out of the glue what no page comes to.
 *
 * @param {string} file  the glue
 */
export function shortenInit(file) {
  const glue = readFileSync(file, "utf8");
  if (!load.test(glue) || !init.test(glue)) throw new Failure("The glue begins in another way: has wasm-bindgen's form changed?");
  writeFileSync(file, glue.replace(load, "").replace(init, shortInit));
}

/** @param {Map<string, string>} names @param {string} name */
function known(names, name) {
  const short = names.get(name);
  if (short === undefined) throw new Failure(`The glue names ${name}, which the module does not have.`);
  return short;
}
