// The parts of the WebAssembly: bytes of code by crate and room, before compression. `node benches/breakdown.mjs`,
// after a build; `--functions 30` names the largest functions as well.

import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { at } from "../tools/paths.mjs";
import { run } from "../tools/run.mjs";
import { wbg } from "../tools/setup.mjs";

const folder = at(".artifacts/breakdown");
mkdirSync(folder, { recursive: true });
// As the build does it, but with the names of functions.
const compiled = at("target/wasm32-unknown-unknown/release/ag_ui_wasm.wasm");
await run(wbg, [compiled, "--target", "web", "--omit-default-module-path", "--remove-producers-section", "--out-dir", folder, "--out-name", "core"], {
  log: "breakdown",
});
await run("node", [at("node_modules/binaryen/bin/wasm-opt"), "-O3", "-g", join(folder, "core_bg.wasm"), "-o", join(folder, "named.wasm")], {
  log: "breakdown",
});
const bytes = readFileSync(join(folder, "named.wasm"));

let place = 8;
function leb() {
  let [value, shift] = [0, 0];
  for (;;) {
    const byte = /** @type {number} */ (bytes[place++]);
    value += (byte & 127) * 2 ** shift;
    if (byte < 128) return value;
    shift += 7;
  }
}
const word = () => {
  const length = leb();
  return bytes.toString("utf8", place, place += length);
};

/** @type {Record<string, number>} */
const sections = {};
/** @type {[from: number, to: number][]} */
const bodies = [];
/** @type {Map<number, string>} */
const names = new Map();
let imported = 0;
const kinds = ["custom", "types", "imports", "functions", "tables", "memory", "globals", "exports", "start", "elements", "code", "data", "data count"];
while (place < bytes.length) {
  const kind = /** @type {number} */ (bytes[place++]);
  const length = leb();
  const end = place + length;
  if (kind === 2) {
    for (let count = leb(); count > 0; count--) {
      word();
      word();
      const what = bytes[place++];
      if (what === 0) {
        imported++;
        leb();
      } else throw new Error("An import that is no function.");
    }
  } else if (kind === 10) {
    for (let count = leb(); count > 0; count--) {
      const size = leb();
      bodies.push([place, place += size]);
    }
  } else if (kind === 0 && word() === "name") {
    while (place < end) {
      const [sub, size] = [bytes[place++], leb()];
      const next = place + size;
      if (sub === 1) { for (let count = leb(); count > 0; count--) names.set(leb(), word().replace(/\[[0-9a-f]{5,16}\]/g, "")); }
      place = next;
    }
  }
  if (kind !== 0) sections[kinds[kind] ?? kind] = length;
  place = end;
}

const crates =
  "serde_json|json_patch|jsonptr|serde_wasm_bindgen|serde_core|serde|wasm_bindgen|js_sys|web_sys|dlmalloc|memchr|simdutf8|indexmap|hashbrown|itoa|std|alloc|core";

/**
 * The crate and room of a function: a generic one of the library belongs to the library, whatever it was made for.
 *
 * @param {string} name
 */
function room(name) {
  if (name.includes("drop_in_place")) return "Rust: dropping";
  if (name.includes("::btree::")) return "Rust: BTreeMap";
  const [, crate, module] = name.match(new RegExp(`\\b(ag_ui_wasm|${crates})::(\\w+)`)) ?? [];
  if (crate === "ag_ui_wasm") return `ours: ${module}`;
  if (crate === "std" || crate === "alloc" || crate === "core") return `Rust: ${crate}`;
  if (crate) return crate;
  if (/rust_|^mem(cpy|cmp|set|move)/.test(name)) return "Rust: std";
  if (name.startsWith("__wbg") || name.includes("wbindgen")) return "wasm_bindgen";
  // An export with what was inlined into it.
  return / shim$|^(session|body|exchange|compact)/.test(name) ? "ours: exports with what is inlined in them" : "other";
}

/** @type {Map<string, { size: number, count: number, parts: Buffer[] }>} */
const rooms = new Map();
const functions = bodies.map(([from, to], index) => ({ name: names.get(index + imported) ?? `#${index}`, size: to - from, body: bytes.subarray(from, to) }));
for (const { name, size, body } of functions) {
  const entry = rooms.get(room(name)) ?? { size: 0, count: 0, parts: [] };
  rooms.set(room(name), entry);
  entry.size += size;
  entry.count++;
  entry.parts.push(body);
}

const kilo = (/** @type {number} */ size) => (size / 1000).toFixed(1).padStart(7);
console.log("    kB  gzip  functions");
for (const [name, { size, count, parts }] of [...rooms].sort((a, b) => b[1].size - a[1].size)) {
  console.log(`${kilo(size)}${kilo(gzipSync(Buffer.concat(parts), { level: 9 }).length)}${String(count).padStart(6)}  ${name}`);
}
console.log(`\nsections: ${Object.entries(sections).map(([name, size]) => `${name} ${kilo(size).trim()}`).join(", ")} kB`);
const most = Number(process.argv[process.argv.indexOf("--functions") + 1]);
if (process.argv.includes("--functions")) {
  for (const { name, size } of functions.sort((a, b) => b.size - a.size).slice(0, most || 30)) console.log(`${kilo(size)}  ${name}`);
}
