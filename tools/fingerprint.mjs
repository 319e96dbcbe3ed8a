// Says whether work has to be done again: by content, not by time, so that a fresh checkout, a
// touched file or a switched branch does not fool it.

import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { at, root } from "./paths.mjs";

/**
 * @param {string[]} paths  files and folders; what does not exist counts as such
 * @param {{ skip?: string[], extra?: string }} [options]  names of folders to leave out; text to mix in
 */
export function fingerprint(paths, { skip = [], extra = "" } = {}) {
  const hash = createHash("sha256").update(extra);
  for (const path of paths) {
    for (const file of files(path, skip)) {
      hash.update(`\0${relative(root, file)}\0`).update(readFileSync(file));
    }
  }
  return hash.digest("hex");
}

/**
 * Every file below a path, sorted; the path itself if it is a file, nothing if it is not there.
 *
 * @param {string} path
 * @param {string[]} [skip]
 * @returns {string[]}
 */
export function files(path, skip = []) {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (!stats) return [];
  if (!stats.isDirectory()) return [path];
  return readdirSync(path)
    .filter((name) => !skip.includes(name))
    .sort()
    .flatMap((name) => files(join(path, name), skip));
}

/**
 * Does the work unless it was done for the same inputs and its outputs are still as it left them.
 *
 * @param {string} name
 * @param {{ inputs: string, outputs: string[] }} what  the fingerprint of the inputs, and the paths it makes
 * @param {() => Promise<void>} work
 * @returns {Promise<boolean>} whether it had to be done
 */
export async function whenChanged(name, { inputs, outputs }, work) {
  const stamp = at(".tools/stamps", name);
  const now = () => `${inputs} ${fingerprint(outputs)}`;
  if (read(stamp) === now()) return false;
  await work();
  mkdirSync(at(".tools/stamps"), { recursive: true });
  writeFileSync(stamp, now());
  return true;
}

/** @param {string} file */
function read(file) {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}
