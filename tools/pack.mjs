// The inline bytes of a module, sorted so that deflate finds more that repeats: operations apart from their immediates, and each
// kind of immediate by itself. Deflated, that is a seventh smaller (docs/decisions/0031-sorted-bytes.md).
//
//   module:  local.get 3  i32.const 8  i32.add  local.get 4 …
//   sorted:  [local.get i32.const i32.add local.get …]  [3 4 …]  [8 …]  …
//
// tools/unpack.rs puts them back, as a small WebAssembly that stands before them. js/core/unpack.ts runs it.

import { readFileSync } from "node:fs";
import { at } from "./paths.mjs";
import { run } from "./run.mjs";
import { Reader } from "./wasm.mjs";

/** Of what a sorted module consists: what is no code, the operations, sizes, locals; then the kinds of immediates (`wasm.mjs`). */
const [rest, operations, sizes, locals] = /** @type {const} */ ([0, 1, 2, 3]);
const parts = 16;

/**
 * The module sorted, with the numbers before it that tools/unpack.rs reads.
 *
 * @param {Uint8Array} module
 * @returns {Uint8Array}
 */
export function sort(module) {
  /** @type {number[][]} */
  const sorted = Array.from({ length: parts }, () => []);
  const reader = new Reader(module, 8);
  /** @param {number} part @param {number} from @param {number} to */
  const put = (part, from, to) => void sorted[part]?.push(...module.subarray(from, to));
  /** A number, put into a part. @param {number} part */
  const number = (part) => {
    const from = reader.place;
    const value = reader.number();
    put(part, from, reader.place);
    return value;
  };

  // Up to the section of code.
  while (reader.byte() !== 10) reader.block();
  reader.number();
  const functions = reader.number();
  const before = reader.place;
  for (let left = functions; left; left--) {
    const end = number(sizes) + reader.place;
    for (let groups = 2 * number(locals); groups; groups--) number(locals);
    while (reader.place < end) {
      sorted[operations]?.push(module[reader.place] ?? 0);
      reader.operation(put);
    }
  }
  sorted[rest] = [...module.subarray(0, before), ...module.subarray(reader.place)];
  const head = Uint32Array.of(module.length, before, functions, ...sorted.map(({ length }) => length));
  return Uint8Array.from([...new Uint8Array(head.buffer), ...sorted.flat()]);
}

/**
 * The module sorted; before it the program that puts it back; before both, how long the program is, and where the module begins.
 *
 * @param {Uint8Array} module
 * @param {Uint8Array} [program] nothing where a module that comes before has brought it
 */
export function pack(module, program = new Uint8Array()) {
  // Numbers of 32 bits stand where they can be read.
  const filler = new Uint8Array(-program.length & 3);
  const head = Uint32Array.of(program.length, 8 + program.length + filler.length);
  return Buffer.concat([new Uint8Array(head.buffer), program, filler, sort(module)]);
}

/**
 * tools/unpack.rs as WebAssembly.
 *
 * @param {string} file where it is put
 */
export async function compileUnpacker(file) {
  const flags = [
    "--edition",
    "2024",
    "--target",
    "wasm32-unknown-unknown",
    "--crate-type",
    "cdylib",
    "-Copt-level=s",
    "-Cpanic=abort",
    "-Clink-arg=-zstack-size=1024",
  ];
  await run("rustc", [...flags, "-o", file, at("tools/unpack.rs")], { log: "build-unpack" });
  const strip = ["--strip-producers", "--strip-debug", "--strip-target-features"];
  await run("node", [at("node_modules/binaryen/bin/wasm-opt"), "-Oz", ...strip, file, "-o", file], { log: "build-unpack" });
  return readFileSync(file);
}
