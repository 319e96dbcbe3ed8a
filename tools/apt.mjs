// Debian's packages, for the few things that neither npm nor cargo bring.

import { existsSync, readFileSync } from "node:fs";
import { run, step } from "./run.mjs";

/** Whether we may install packages. Ubuntu has the same tools, but its packages of browsers only bring snaps. */
export function canUseApt() {
  return process.getuid?.() === 0 && existsSync("/usr/bin/apt-get") && /^ID=debian$/m.test(readFileSync("/etc/os-release", "utf8"));
}

/**
 * Installs packages, with a Failure when that does not work.
 *
 * @param {string[]} packages
 */
export function aptInstall(packages) {
  // apt takes a lock, and fails where another one has it.
  return (last = last.then(() => install(packages), () => install(packages)));
}

/** @type {Promise<void>} */
let last = Promise.resolve();

/** @param {string[]} packages */
async function install(packages) {
  const env = { DEBIAN_FRONTEND: "noninteractive" };
  await step(`Installing ${packages.join(", ")}`, async () => {
    await run("apt-get", ["update", "-q"], { log: "setup-apt", env });
    await run("apt-get", ["install", "-y", "-q", "--no-install-recommends", ...packages], { log: "setup-apt", env });
  });
}
