// The size of the package for a page that loads it: minified, gzip and brotli, for each entry.

import { build } from "esbuild";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { packageFolder } from "./paths.mjs";

const entries = /** @type {const} */ (["index.js", "slim.js", "react.js", "svelte.js"]);
const limitsFile = new URL("size-limits.json", import.meta.url);

/** @typedef {{ min: number, gzip: number, brotli: number }} Size in bytes */
/**
 * `initial`: what a bundler that splits puts into the page's own bundle. `together`: with the chunks that an agent with plain
 * options loads; slim loads the bare module beside them. `full`: the same with the largest dialect. `file`: all of it in
 * one file, as bundlers without splitting make it.
 *
 * @typedef {{ initial: Size, together: Size, full: Size, file: Size }} EntrySize
 */

/**
 * Measures every entry.
 *
 * @returns {Promise<{ wasm: Size, full: Size, entries: Record<string, EntrySize> }>}
 */
export async function measure() {
  const wasm = sizeOf(readFileSync(join(packageFolder, "core.wasm")));
  const full = sizeOf(readFileSync(join(packageFolder, "full.wasm")));
  /** @type {Record<string, EntrySize>} */
  const measured = {};
  for (const entry of entries) {
    const slim = entry === "slim.js";
    const { initial, chunks } = await split(entry);
    const loaded = (/** @type {string[]} */ ...names) => sum(initial, ...names.map(chunks), chunks("agent/live.js"));
    const together = slim ? sum(loaded("core/core.js"), wasm) : loaded("core/core-inline.js");
    const everything = slim ? sum(loaded("core/full.js"), full) : loaded("core/full-inline.js", "glue/add-ons/hector.js", "glue/add-ons/dialects.js");
    measured[entry] = { initial, together, full: everything, file: sizeOf(await bundle(entry)) };
  }
  const stored = (await split(`export * from "./react.js"; export { localStorageStore } from "./index.js";`)).initial;
  measured["react.js + localStorageStore"] = { initial: stored, together: stored, full: stored, file: stored };
  // The page's part and the worker's; what the page would load if it had no worker is left out.
  const { initial, chunks } = await split("worker.js");
  const worker = async (/** @type {string} */ script) => sum(initial, chunks("agent/live.js"), sizeOf(await bundle(script)));
  measured["worker.js"] = { initial, together: await worker("worker-main.js"), full: await worker("worker-full.js"), file: sizeOf(await bundle("worker.js")) };
  for (const entry of [
    "a2ui/index.js",
    "ai-sdk/index.js",
    "announcer/index.js",
    "assistant-ui/index.js",
    "attachments/index.js",
    "blocks/index.js",
    "inspector/index.js",
    "servers/mastra.js",
    "threads/index.js",
    "mcp-apps/index.js",
    "traces/index.js",
  ]) {
    const whole = sizeOf(await bundle(entry));
    measured[entry] = { initial: whole, together: whole, full: whole, file: whole };
  }
  return { wasm, full, entries: measured };
}

/**
 * Prints the table.
 *
 * @returns {Promise<string[]>} what is over its limit
 */
export async function printSizes() {
  const { wasm, full, entries: measured } = await measure();
  /** @type {Record<string, Record<string, number>>} */
  const limits = JSON.parse(readFileSync(limitsFile, "utf8"));
  const rows = [
    ["", "min", "gzip", "brotli", "limit"],
    row("core.wasm", wasm, limits["core.wasm"]),
    row("full.wasm", full, limits["full.wasm"]),
    ...Object.entries(measured).flatMap(([name, { initial, together, full: everything, file }]) => [
      row(`${name}, initial`, initial, limits[`${name}, initial`]),
      row(`${name}, together`, together, limits[name]),
      row(`${name}, full`, everything, limits[`${name}, full`]),
      row(`${name}, one file`, file),
    ]),
  ];
  const widths = [26, 10, 10, 10, 24];
  for (const cells of rows) {
    console.log(cells.map((cell, i) => (i === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[i] ?? 0))).join("").trimEnd());
  }

  /** @type {Record<string, Size>} */
  const sizes = { "core.wasm": wasm, "full.wasm": full };
  for (const [name, { initial, together, full: everything }] of Object.entries(measured)) {
    Object.assign(sizes, { [name]: together, [`${name}, initial`]: initial, [`${name}, full`]: everything });
  }
  return Object.entries(limits).flatMap(([name, limit]) => {
    const size = sizes[name];
    if (!size) return [`tools/size-limits.json has a limit for ${name}, which is not there.`];
    return Object.entries(limit).flatMap(([kind, most]) => {
      const found = size[/** @type {keyof Size} */ (kind)];
      return found > most ? [`${name} has ${kilobytes(found)} with ${kind}; its limit is ${kilobytes(most)}.`] : [];
    });
  });
}

const options = {
  bundle: true,
  format: /** @type {const} */ ("esm"),
  target: "es2022",
  minify: true,
  write: /** @type {const} */ (false),
  logLevel: /** @type {const} */ ("error"),
  external: ["@assistant-ui/react", "react", "react-dom", "svelte", "svelte/*"],
};

/** An entry in one file. @param {string} entry */
async function bundle(entry) {
  const { outputFiles } = await build({ ...options, entryPoints: [join(packageFolder, entry)] });
  return Buffer.from(/** @type {import("esbuild").OutputFile} */ (outputFiles[0]).contents);
}

/**
 * An entry, or the text of one, in the files that a bundler with splitting makes of it: what comes at first, and what comes with an import
 * later.
 *
 * @param {string} entry
 * @returns {Promise<{ initial: Size, chunks: (name: string) => Size }>}
 */
async function split(entry) {
  const outdir = join(packageFolder, "split");
  const { outputFiles, metafile } = await build({
    ...options,
    ...(entry.endsWith(".js") ? { entryPoints: [join(packageFolder, entry)] } : { stdin: { contents: entry, resolveDir: packageFolder } }),
    splitting: true,
    metafile: true,
    outdir,
    absWorkingDir: packageFolder,
  });
  const { outputs } = metafile;
  /** @param {string} name @param {Set<string>} [found] the file with all that it imports at once */
  const whole = (name, found = new Set()) => {
    if (found.has(name)) return found;
    found.add(name);
    for (const { path, kind } of outputs[name]?.imports ?? []) if (kind === "import-statement" && path in outputs) whole(path, found);
    return found;
  };
  const sizes = new Map(outputFiles.map(({ path, contents }) => [path.slice(packageFolder.length).replace(/^[/\\]/, ""), sizeOf(Buffer.from(contents))]));
  const total = (/** @type {Iterable<string>} */ names) => sum(...[...names].map((name) => /** @type {Size} */ (sizes.get(name))));
  const of = (/** @type {string} */ source) => whole(Object.keys(outputs).find((name) => outputs[name]?.entryPoint === source) ?? "");
  const first = of(entry.endsWith(".js") ? entry : "<stdin>");
  return { initial: total(first), chunks: (source) => total([...of(source)].filter((name) => !first.has(name))) };
}

/** Sizes by the bytes: the entries have their largest chunks in common. @type {Map<string, Size>} */
const known = new Map();

/** @param {Buffer} bytes @returns {Size} */
function sizeOf(bytes) {
  const key = createHash("sha256").update(bytes).digest("hex");
  const size = known.get(key) ?? compressed(bytes);
  known.set(key, size);
  return size;
}

/** @param {Buffer} bytes @returns {Size} */
function compressed(bytes) {
  return {
    min: bytes.length,
    gzip: gzipSync(bytes, { level: 9 }).length,
    brotli: brotliCompressSync(bytes, {
      params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length },
    }).length,
  };
}

/** @param {...Size} sizes @returns {Size} */
const sum = (...sizes) => sizes.reduce((a, b) => ({ min: a.min + b.min, gzip: a.gzip + b.gzip, brotli: a.brotli + b.brotli }), { min: 0, gzip: 0, brotli: 0 });

/** @param {string} name @param {Size} size @param {Record<string, number>} [limit] */
const row = (
  name,
  { min, gzip, brotli },
  limit,
) => [name, ...[min, gzip, brotli].map(kilobytes), Object.entries(limit ?? {}).map(([kind, most]) => `(${kind} ≤ ${kilobytes(most)})`).join(" ")];

/** @param {number} bytes */
const kilobytes = (bytes) => `${(bytes / 1000).toFixed(1)} kB`;
