// The neighbors, as an application ships them: bundled and minified for production by esbuild, each from what
// package-lock.json pins. The same files run in Node and in Chromium.

import { build } from "esbuild";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build as vite } from "vite";
import { at } from "../tools/paths.mjs";

const folder = at(".artifacts/bench");

/** @typedef {"ag-ui-wasm" | "@ag-ui/client" | "ai" | "@ai-sdk/react" | "@tanstack/ai-client" | "@tanstack/ai-react" | "streamdown" | "react"} Name */

/** @type {Name[]} */
const names = ["ag-ui-wasm", "@ag-ui/client", "ai", "@ai-sdk/react", "@tanstack/ai-client", "@tanstack/ai-react", "streamdown", "react"];

/** @returns {Record<Name, string>} */
export const versions = () => /** @type {any} */ (
  Object.fromEntries(names.map((name) => [name, JSON.parse(readFileSync(at("node_modules", name, "package.json"), "utf8")).version]))
);

/**
 * Bundles a text of a module for production.
 *
 * @param {string} contents
 * @param {import("esbuild").BuildOptions} [options]
 * @returns {Promise<Uint8Array>}
 */
export async function bundle(contents, options = {}) {
  const result = await build({ ...production(options), stdin: { contents, resolveDir: import.meta.dirname, loader: "jsx" }, write: false });
  return /** @type {import("esbuild").OutputFile} */ (result.outputFiles?.[0]).contents;
}

/**
 * Bundles files into one folder, whose name is returned.
 *
 * @param {Record<string, string>} entries  name → file
 */
export async function bundleFiles(entries) {
  mkdirSync(folder, { recursive: true });
  await build({ ...production(), entryPoints: entries, outdir: folder, jsx: "automatic" });
  return folder;
}

/**
 * Builds an application of one script with Vite, which splits: chunks come when they are imported. The script sets
 * `globalThis.start`.
 *
 * @param {string} name  its folder, in the one that `bundleFiles` returns
 * @param {string} file
 * @returns {Promise<{ entry: string, preload: string[] }>} paths in that folder: the script, and what docs/loading.md has preloaded
 */
export async function buildPage(name, file) {
  const [root, outDir] = [join(folder, "sources", name), join(folder, name)];
  for (const path of [root, outDir]) rmSync(path, { recursive: true, force: true });
  mkdirSync(root, { recursive: true });
  writeFileSync(join(root, "index.html"), '<!doctype html><script type="module" src="./main.js"></script>');
  writeFileSync(join(root, "main.js"), `import { start } from ${JSON.stringify(file)};\nglobalThis.start = start;\n`);
  await vite({ root, base: `/${name}/`, configFile: false, logLevel: "error", plugins: [preloadCore()], build: { outDir } });
  const html = readFileSync(join(outDir, "index.html"), "utf8");
  const [entry = ""] = [...html.matchAll(/<script[^>]* src="([^"]+)"/g)].map(([, path = ""]) => path);
  return { entry, preload: [...html.matchAll(/<link rel="modulepreload"[^>]* href="([^"]+)"/g)].map(([, path = ""]) => path) };
}

/** The plugin of docs/loading.md. @returns {import("vite").Plugin} */
function preloadCore() {
  let base = "/";
  return {
    name: "preload-core",
    configResolved: (config) => void (base = config.base),
    transformIndexHtml: {
      order: "post",
      handler: (_html, { bundle: output = {} }) =>
        ["live", "core-inline"]
          .flatMap((chunk) => Object.values(output).filter(({ name, type }) => type === "chunk" && name === chunk))
          .map(({ fileName }) => ({ tag: "link", attrs: { rel: "modulepreload", crossorigin: true, href: base + fileName }, injectTo: "head" })),
    },
  };
}

/** @param {import("esbuild").BuildOptions} [options] @returns {import("esbuild").BuildOptions} */
function production(options = {}) {
  return {
    bundle: true,
    minify: true,
    format: "esm",
    platform: "browser",
    target: "es2022",
    define: { "process.env.NODE_ENV": '"production"' },
    logLevel: "error",
    ...options,
  };
}

/** A module of the neighbors for Node. @param {string} name @param {string} file @returns {Promise<any>} */
export async function imported(name, file) {
  const made = await bundleFiles({ [name]: file });
  return import(`${pathToFileURL(join(made, `${name}.js`))}?${Date.now()}`);
}
