// `npm run example NAME`: starts an example of this clone over the package that is built here.
//
//   npm run example vite-react -- --port 4000       what follows goes to the example's own start script

import "./node-version.mjs";
import { spawn } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "./build.mjs";
import { at, packageFolder } from "./paths.mjs";
import { Failure, isMain, main, run, step } from "./run.mjs";

/**
 * Copies an example to `.tools`, and installs its modules there with the built package in place of the published one.
 *
 * @param {string} name
 * @returns {Promise<string>} the folder
 */
export async function prepareExample(name) {
  const names = readdirSync(at("examples"), { withFileTypes: true }).filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  if (!names.includes(name)) throw new Failure(`Unknown example: ${name || "none"}. Examples: ${names.join(", ")}.`);
  await build();
  const folder = at(".tools/example", name);
  for (const entry of existsSync(folder) ? readdirSync(folder) : []) if (entry !== "node_modules") rmSync(join(folder, entry), { recursive: true });
  mkdirSync(folder, { recursive: true });
  cpSync(at("examples", name), folder, { recursive: true, filter: (path) => !/node_modules|\.next|\.svelte-kit|dist$/.test(path) });
  const file = join(folder, "package.json");
  const manifest = JSON.parse(readFileSync(file, "utf8"));
  manifest.dependencies = { ...manifest.dependencies, "ag-ui-wasm": `file:${packageFolder}` };
  writeFileSync(file, JSON.stringify(manifest, null, 2));
  const quiet = ["--ignore-scripts", "--no-audit", "--no-fund", "--no-package-lock", "--install-links"];
  await step(
    `Installing the modules of ${name}`,
    () => run(process.platform === "win32" ? "npm.cmd" : "npm", ["install", ...quiet], { log: "example-npm", cwd: folder }),
  );
  return folder;
}

if (isMain(import.meta.url)) {
  await main(async () => {
    const [name = "", ...args] = process.argv.slice(2);
    const folder = await prepareExample(name);
    const npm = process.platform === "win32" ? "npm.cmd" : "npm";
    const child = spawn(npm, ["start", "--", ...args], { cwd: folder, stdio: "inherit" });
    process.exitCode = await new Promise((resolve) => child.once("exit", (code) => resolve(code ?? 1)));
  });
}
