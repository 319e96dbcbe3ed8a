// js/ as JavaScript: a file for each, with its types and its map, and all that a page without a bundler needs in one file.

import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, sep } from "node:path";
import { at } from "./paths.mjs";
import { run } from "./run.mjs";

/** The file that `unpkg` and `jsdelivr` of package.json name. */
export const oneFileName = "ag-ui-wasm.min.js";

/** Folders without maps: the command line and the inspector are no part of what an application debugs, and their maps were 0.1 MB. */
export const withoutMaps = /^(cli|inspector)[/\\]/;

/** @param {string} folder where to */
export async function compileSources(folder) {
  // The program knows Node, which what runs in pages must not.
  for (const project of ["js/cli", "js"]) {
    await run("node", [at("node_modules/typescript/bin/tsc"), "-p", at(project), "--outDir", folder], { log: `build-tsc-${project.replace("/", "-")}` });
  }
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((found) => found.endsWith(".js.map"))) {
    const file = join(folder, name);
    if (withoutMaps.test(name)) {
      rmSync(file);
      const code = file.replace(/\.map$/, "");
      writeFileSync(code, readFileSync(code, "utf8").replace(/\/\/# sourceMappingURL=.*\s*$/, ""));
      continue;
    }
    const map = JSON.parse(readFileSync(file, "utf8"));
    // The text is in the map: the address only names it, and says nothing of the machine that made it.
    const sources = [`ag-ui-wasm:///js/${name.split(sep).join("/").replace(/\.js\.map$/, ".ts")}`];
    writeFileSync(file, JSON.stringify({ ...map, sources }));
  }
}

/**
 * `ag-ui-wasm` in one file, for pages without a bundler. It has the full module in place of both: it does what the small one does.
 *
 * @param {string} folder of the package
 */
export async function writeOneFile(folder) {
  const { build } = await import("esbuild");
  await build({
    entryPoints: [join(folder, "index.js")],
    outfile: join(folder, oneFileName),
    bundle: true,
    format: "esm",
    target: "es2022",
    minify: true,
    logLevel: "error",
    banner: { js: "// ag-ui-wasm, MIT or Apache-2.0. Licenses of what it contains: THIRD-PARTY-LICENSES.txt of the package." },
    plugins: [
      {
        name: "full module only",
        setup: ({ onResolve }) => onResolve({ filter: /\/core-inline\.js$/ }, () => ({ path: join(folder, "core/full-inline.js") })),
      },
    ],
  });
}
