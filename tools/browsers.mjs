// Installs the browsers of the tests: on Debian as root by apt, elsewhere it says what to install.

import { existsSync, readFileSync } from "node:fs";
import { engineNames, engines, firstExecutable, locate } from "../tests/webdriver/engines.mjs";
import { toolsFolder } from "./paths.mjs";
import { Failure, run, step } from "./run.mjs";
import { geckodriverVersion } from "./versions.mjs";

/** @typedef {import("../tests/webdriver/engines.mjs").EngineName} EngineName */

/**
 * Makes the engines usable as far as this machine lets us.
 *
 * @param {EngineName[]} [names]
 * @returns {Promise<Map<EngineName, string>>} the engines that cannot be used, each with what to do
 */
export async function ensureBrowsers(names = engineNames) {
  const packages = names.filter((name) => needsPackages(name)).flatMap((name) => engines[name].packages);
  /** @type {string | undefined} */
  let failed;
  if (packages.length > 0 && canUseApt()) {
    // A page without a font for its script shows boxes: the screenshots should show what people see.
    failed = await apt([...packages, "fonts-dejavu-core", "fonts-noto-color-emoji"]);
  }
  if (names.includes("firefox") && locate("firefox").browser) {
    failed ??= await ensureGeckodriver().then(() => undefined, (error) => error.message);
  }

  const unusable = new Map();
  for (const name of names) {
    const { missing } = locate(name);
    if (missing.length === 0) continue;
    const advice = canUseApt() ? (failed ?? "") : `install ${engines[name].packages.join(" ")} (the names of the Debian packages)`;
    unusable.set(name, `${missing.join(" and ")} not found; ${advice}`);
  }
  return unusable;
}

/** @param {EngineName} name Firefox's driver does not come from a package. */
function needsPackages(name) {
  const { browser, missing } = locate(name);
  return name === "firefox" ? !browser : missing.length > 0;
}

/** A driver for Firefox, if none is there. */
async function ensureGeckodriver() {
  if (firstExecutable(engines.firefox.driver)) return;
  await step("Compiling geckodriver (once, one or two minutes)", () =>
    run("cargo", ["install", `geckodriver@${geckodriverVersion}`, "--locked", "--root", toolsFolder], {
      log: "setup-geckodriver",
      env: {
        // A driver waits most of its time: what counts is how soon it is there.
        CARGO_PROFILE_RELEASE_OPT_LEVEL: "0",
        CARGO_PROFILE_RELEASE_LTO: "off",
        CARGO_PROFILE_RELEASE_DEBUG: "0",
      },
    }),
  );
}

/** @param {string[]} packages @returns {Promise<string | undefined>} why it failed */
async function apt(packages) {
  const env = { DEBIAN_FRONTEND: "noninteractive" };
  try {
    await step(`Installing ${packages.join(", ")}`, async () => {
      await run("apt-get", ["update", "-q"], { log: "setup-apt", env });
      await run("apt-get", ["install", "-y", "-q", "--no-install-recommends", ...packages], { log: "setup-apt", env });
    });
  } catch (error) {
    if (error instanceof Failure) return error.message;
    throw error;
  }
}

/** Ubuntu has the same tools, but its packages of this name only bring snaps. */
function canUseApt() {
  return process.getuid?.() === 0 && existsSync("/usr/bin/apt-get") && /^ID=debian$/m.test(readFileSync("/etc/os-release", "utf8"));
}
