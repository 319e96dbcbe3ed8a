// Installs the browsers of the tests: on Debian as root by apt, elsewhere it says what to install.

import { engineNames, engines, firstExecutable, locate } from "../tests/webdriver/engines.mjs";
import { aptInstall, canUseApt } from "./apt.mjs";
import { toolsFolder } from "./paths.mjs";
import { Failure, run, step } from "./run.mjs";
import { geckodriverVersion } from "./versions.mjs";

/** @typedef {import("../tests/webdriver/engines.mjs").EngineName} EngineName */

// A page without a font for its script shows boxes: the screenshots should show what people see.
const fonts = ["fonts-dejavu-core", "fonts-noto-color-emoji"];

/**
 * Makes the engines usable as far as this machine lets us.
 *
 * @param {EngineName[]} [names]
 * @returns {Promise<Map<EngineName, string>>} the engines that cannot be used, each with what to do
 */
export async function ensureBrowsers(names = engineNames) {
  const packages = names.filter(lacksPackages).flatMap((name) => engines[name].packages);
  let problem = "";
  try {
    if (packages.length > 0 && canUseApt()) await aptInstall([...packages, ...fonts]);
    if (names.includes("firefox") && locate("firefox").browser) await ensureGeckodriver();
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    problem = error.message;
  }

  const unusable = new Map();
  for (const name of names) {
    const { missing } = locate(name);
    if (missing.length === 0) continue;
    const advice = problem || `install ${engines[name].packages.join(" ")} (the names of Debian's packages)`;
    unusable.set(name, `${missing.join(" and ")} not found: ${advice}`);
  }
  return unusable;
}

/** @param {EngineName} name Firefox's driver does not come from a package. */
function lacksPackages(name) {
  const { browser, missing } = locate(name);
  return name === "firefox" ? !browser : missing.length > 0;
}

/** A driver for Firefox, if none is there. */
async function ensureGeckodriver() {
  if (firstExecutable(engines.firefox.driver)) return;
  await step(
    "Compiling geckodriver (once, one or two minutes)",
    () =>
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
