import { build } from "esbuild";
import { mkdir } from "node:fs/promises";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { folder } from "./lib.mjs";

const here = new URL("./", import.meta.url);
const out = fileURLToPath(new URL("../../.tools/js-bundles/", import.meta.url));

/** The modules of the package, by the names under which an application imports them. */
export const names = Object.fromEntries(
  [
    "agent/agent",
    "react",
    "svelte",
    "slim",
    "core/driver",
    "blocks/react",
    "blocks/svelte",
    "bindings/react",
    "bindings/svelte",
    "threads/index",
    "threads/react",
    "threads/svelte",
    "attachments/svelte",
    "announcer/svelte",
  ].map((name) => [`ag-ui-wasm/${name === "agent/agent" ? "agent" : name.replace("/index", "")}`, fileURLToPath(new URL(`${name}.js`, folder))]),
);

/** Bundles a file of this folder or of one in it, and gives its exports. */
export async function bundled(file, name, { alias, ...options } = {}) {
  await mkdir(out, { recursive: true });
  const outfile = `${out}${name}.cjs`;
  await build({
    entryPoints: [fileURLToPath(new URL(file, here))],
    outfile,
    bundle: true,
    format: "cjs",
    platform: "node",
    target: "node20",
    logLevel: "error",
    alias: { ...names, ...alias },
    ...options,
  });
  return createRequire(import.meta.url)(outfile);
}
