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

/** Of what a sorted module consists: what is no code, the operations, sizes, locals, and the kinds of immediates. */
const [rest, operations, sizes, locals, rare, blocks, labels, calls, gets, sets, tees, alignments, offsets, ints, longs, raw] =
  /** @type {const} */ ([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]);
const parts = 16;

/** The parts of an operation's immediates. @type {(operation: number) => readonly number[]} */
function immediates(operation) {
  if (operation >= 0x02 && operation <= 0x04) return [blocks];
  if (operation >= 0x28 && operation <= 0x3e) return [alignments, offsets];
  if ((operation >= 0x23 && operation <= 0x26) || [0x3f, 0x40, 0xd0, 0xd2].includes(operation)) return [rare];
  const others = { 0x0c: [labels], 0x0d: [labels], 0x10: [calls], 0x11: [rare, rare], 0x20: [gets], 0x21: [sets], 0x22: [tees], 0x41: [ints], 0x42: [longs] };
  return others[/** @type {keyof typeof others} */ (operation)] ?? [];
}

/**
 * The module sorted, with the numbers before it that tools/unpack.rs reads.
 *
 * @param {Uint8Array} module
 * @returns {Uint8Array}
 */
export function sort(module) {
  /** @type {number[][]} */
  const sorted = Array.from({ length: parts }, () => []);
  let place = 8;
  /** A number, seven bits a byte, put into a part. @param {number} [part] */
  const number = (part) => {
    const from = place;
    let value = 0;
    for (let shift = 0, byte = 128; byte > 127; shift += 7) {
      byte = module[place++] ?? 0;
      value |= (byte & 127) << shift;
    }
    if (part !== undefined) sorted[part]?.push(...module.subarray(from, place));
    return value;
  };
  /** @param {number} part @param {number} count */
  const bytes = (part, count) => void sorted[part]?.push(...module.subarray(place, place += count));
  const operation = () => {
    const opcode = module[place] ?? 0;
    bytes(operations, 1);
    for (const part of immediates(opcode)) number(part);
    if (opcode === 0x0e) { for (let left = number(labels) + 1; left; left--) number(labels); }
    if (opcode === 0x1c) { for (let left = number(rare); left; left--) number(rare); }
    if (opcode === 0x43) bytes(raw, 4);
    if (opcode === 0x44) bytes(raw, 8);
    if (opcode === 0xfc) {
      const which = number(rare);
      for (let left = which < 8 ? 0 : [8, 10, 12, 14].includes(which) ? 2 : 1; left; left--) number(rare);
    }
    if (opcode === 0xfd) {
      const vector = number(rare);
      if (vector < 12 || (vector > 83 && vector < 94)) { for (const part of [alignments, offsets]) number(part); }
      if (vector === 12 || vector === 13) bytes(raw, 16);
      if ((vector > 20 && vector < 35) || (vector > 83 && vector < 92)) bytes(raw, 1);
    }
  };

  // Up to the section of code.
  while (module[place++] !== 10) {
    const length = number();
    place += length;
  }
  number();
  const functions = number();
  const before = place;
  for (let left = functions; left; left--) {
    const end = number(sizes) + place;
    for (let groups = 2 * number(locals); groups; groups--) number(locals);
    while (place < end) operation();
  }
  sorted[rest] = [...module.subarray(0, before), ...module.subarray(place)];
  const head = Uint32Array.of(module.length, before, functions, ...sorted.map(({ length }) => length));
  return Uint8Array.from([...new Uint8Array(head.buffer), ...sorted.flat()]);
}

/**
 * The module sorted; before it the program that puts it back; before both, how long the program is, and where the module begins.
 *
 * @param {Uint8Array} module
 * @param {Uint8Array} program
 */
export function pack(module, program) {
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
    "-Copt-level=z",
    "-Cpanic=abort",
    "-Clink-arg=-zstack-size=1024",
  ];
  await run("rustc", [...flags, "-o", file, at("tools/unpack.rs")], { log: "build-unpack" });
  const strip = ["--strip-producers", "--strip-debug", "--strip-target-features"];
  await run("node", [at("node_modules/binaryen/bin/wasm-opt"), "-Oz", ...strip, file, "-o", file], { log: "build-unpack" });
  return readFileSync(file);
}
