// A folder that knows the package as its users do: packed, and installed from the tarball, outside of the repository.

import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const execute = promisify(execFile);

export const root = fileURLToPath(new URL("../../", import.meta.url));
export const packageFolder = join(root, "pkg");
/** A program of the repository's node modules. @param {string} path */
export const moduleFile = (path) => join(root, "node_modules", path);

/**
 * @typedef {object} Consumer
 * @property {string} folder
 * @property {(name: string, text: string) => string} write  a source file; gives its path
 * @property {(script: string, ...args: string[]) => Promise<string>} node  runs a script; gives what it printed
 * @property {() => void} remove
 */

/**
 * Installs the package with nothing but itself, then puts the frameworks beside it: they are peers, and come from the
 * repository's own node modules instead of the network.
 *
 * @param {Record<string, string>} [peers]  what to call a module → its folder in the repository's node modules
 * @param {string} [place]  the folder around it; inside of the repository its modules are found without links
 * @returns {Promise<Consumer>}
 */
export async function install(peers = {}, place = tmpdir()) {
  mkdirSync(place, { recursive: true });
  const folder = realpathSync(mkdtempSync(join(place, "ag-ui-wasm-consumer-")));
  const write = (/** @type {string} */ name, /** @type {string} */ text) => {
    const file = join(folder, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    return file;
  };

  const tarball = await pack(folder);
  write("package.json", JSON.stringify({ name: "consumer", private: true, type: "module" }));
  const quiet = ["--offline", "--ignore-scripts", "--no-audit", "--no-fund", "--no-package-lock"];
  await execute("npm", ["install", ...quiet, tarball], { cwd: folder });

  for (const [name, source] of Object.entries(peers)) {
    const target = join(folder, "node_modules", name);
    mkdirSync(dirname(target), { recursive: true });
    // A module under another name than its own has to be a copy: a link would resolve its imports at home.
    if (name === source) symlinkSync(moduleFile(source), target, "junction");
    else cpSync(moduleFile(source), target, { recursive: true, dereference: true });
  }

  return {
    folder,
    write,
    async node(script, ...args) {
      const { stdout } = await execute(process.execPath, [script, ...args], { cwd: folder });
      return stdout.trim();
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** @param {string} destination a folder @returns {Promise<string>} the tarball */
export async function pack(destination) {
  const { stdout } = await execute("npm", ["pack", "--json", "--pack-destination", destination], { cwd: packageFolder });
  return join(destination, packed(stdout).filename);
}

/** @returns {Promise<string[]>} what the tarball holds, sorted */
export async function packedFiles() {
  const { stdout } = await execute("npm", ["pack", "--dry-run", "--json"], { cwd: packageFolder });
  return packed(stdout).files.map(({ path }) => path).sort();
}

/**
 * npm 10 and 11 print a list, later ones an object by name.
 *
 * @param {string} json
 * @returns {{ filename: string, files: { path: string }[] }}
 */
function packed(json) {
  const [first] = Object.values(JSON.parse(json));
  return first;
}
