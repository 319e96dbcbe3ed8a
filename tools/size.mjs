// What the package costs who loads it: minified, gzip and brotli, for each entry.

import { build } from "esbuild";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { packageFolder } from "./paths.mjs";

const entries = /** @type {const} */ (["index.js", "slim.js", "react.js", "svelte.js", "full/index.js"]);
const limitsFile = new URL("size-limits.json", import.meta.url);

/** @typedef {{ min: number, gzip: number, brotli: number }} Size in bytes */
/** @typedef {{ javascript: Size, together: Size }} EntrySize */

/**
 * Measures every entry. `javascript` leaves the WebAssembly out; `together` is what travels: the
 * inlined bytes are part of the bundle, slim loads the bare module beside it.
 *
 * @returns {Promise<{ wasm: Size, full: Size, entries: Record<string, EntrySize> }>}
 */
export async function measure() {
  const wasm = sizeOf(readFileSync(join(packageFolder, "core.wasm")));
  const full = sizeOf(readFileSync(join(packageFolder, "full.wasm")));
  /** @type {Record<string, EntrySize>} */
  const measured = {};
  for (const entry of entries) {
    const javascript = sizeOf(await bundle(entry, ["./glue/bytes.js", "../glue/full-bytes.js"]));
    const whole = sizeOf(await bundle(entry, []));
    measured[entry] = { javascript, together: entry === "slim.js" ? sum(javascript, wasm) : whole };
  }
  // The page's part and the worker's; what the page would load if it had no worker is left out.
  const page = sizeOf(await bundle("worker.js", ["./core.js", "./glue/bytes.js"]));
  const [script, worker] = [sizeOf(await bundle("worker-main.js", ["./glue/bytes.js"])), sizeOf(await bundle("worker-main.js", []))];
  measured["worker.js"] = { javascript: sum(page, script), together: sum(page, worker) };
  return { wasm, full, entries: measured };
}

/**
 * Prints the table.
 *
 * @returns {Promise<string[]>} what is over its limit
 */
export async function printSizes() {
  const { wasm, full, entries } = await measure();
  /** @type {Record<string, Record<string, number>>} */
  const limits = JSON.parse(readFileSync(limitsFile, "utf8"));
  const rows = [
    ["", "min", "gzip", "brotli", "(limit)"],
    row("core.wasm", wasm, limits["core.wasm"]),
    row("full.wasm", full, limits["full.wasm"]),
    ...Object.entries(entries).flatMap(([name, { javascript, together }]) => [
      row(`${name}, JavaScript`, javascript),
      row(`${name}, together`, together, limits[name]),
    ]),
  ];
  const widths = [26, 10, 10, 10, 12];
  for (const cells of rows) {
    console.log(cells.map((cell, i) => (i === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[i] ?? 0))).join("").trimEnd());
  }

  /** @type {Record<string, Size>} */
  const sizes = { "core.wasm": wasm, "full.wasm": full, ...Object.fromEntries(Object.entries(entries).map(([name, { together }]) => [name, together])) };
  return Object.entries(limits).flatMap(([name, { brotli: limit }]) => {
    const size = sizes[name]?.brotli ?? 0;
    return limit !== undefined && size > limit ? [`${name} has ${kilobytes(size)} with brotli; its limit is ${kilobytes(limit)}.`] : [];
  });
}

/** @param {string} entry @param {string[]} external */
async function bundle(entry, external) {
  const result = await build({
    entryPoints: [join(packageFolder, entry)],
    bundle: true,
    format: "esm",
    target: "es2022",
    minify: true,
    write: false,
    logLevel: "error",
    external: [...external, "react", "react-dom", "svelte", "svelte/*"],
  });
  return Buffer.from(/** @type {import("esbuild").OutputFile} */ (result.outputFiles[0]).contents);
}

/** @param {Buffer} bytes @returns {Size} */
function sizeOf(bytes) {
  return {
    min: bytes.length,
    gzip: gzipSync(bytes, { level: 9 }).length,
    brotli: brotliCompressSync(bytes, {
      params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length },
    }).length,
  };
}

/** @param {Size} a @param {Size} b @returns {Size} */
const sum = (a, b) => ({ min: a.min + b.min, gzip: a.gzip + b.gzip, brotli: a.brotli + b.brotli });

/** @param {string} name @param {Size} size @param {Record<string, number>} [limit] */
const row = (name, { min, gzip, brotli }, limit) => [name, ...[min, gzip, brotli].map(kilobytes), limit?.brotli ? `(${kilobytes(limit.brotli)})` : ""];

/** @param {number} bytes */
const kilobytes = (bytes) => `${(bytes / 1000).toFixed(1)} kB`;
