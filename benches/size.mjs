// What a page loads, ours and the neighbour's, bundled and minified the same way.

import { build } from "esbuild";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { measure } from "../tools/size.mjs";

/** @typedef {{ name: string, min: number, gzip: number, brotli: number }} Size */

/** @returns {Promise<Size[]>} */
export async function sizes() {
  const { wasm, entries } = await measure();
  const neighbour = await build({
    stdin: { contents: 'export { HttpAgent } from "@ag-ui/client";', resolveDir: import.meta.dirname },
    bundle: true,
    format: "esm",
    target: "es2022",
    minify: true,
    write: false,
    logLevel: "error",
    platform: "browser",
  });
  const bytes = /** @type {import("esbuild").OutputFile} */ (neighbour.outputFiles[0]).contents;
  return [
    { name: "core.wasm", ...wasm },
    ...Object.entries(entries).map(([name, { together }]) => ({ name: `ag-ui-wasm, ${name} with WebAssembly`, ...together })),
    ...Object.entries(entries).map(([name, { javascript }]) => ({ name: `ag-ui-wasm, ${name} without`, ...javascript })),
    { name: "@ag-ui/client, HttpAgent", min: bytes.length, gzip: gzipSync(bytes, { level: 9 }).length, brotli: brotliCompressSync(bytes).length },
  ];
}
