// The border, tests/web: wasm-bindgen-test in Node and headless in the browsers. One test file runs
// everywhere: it does not say where, the environment does.

import { readFileSync } from "node:fs";
import { displayEnvironment } from "../../tests/webdriver/display.mjs";
import { engines, locate } from "../../tests/webdriver/engines.mjs";
import { files } from "../fingerprint.mjs";
import { at } from "../paths.mjs";
import { ensureBindgen, ensureRust, wbgTestRunner } from "../setup.mjs";
import { absent, cargoTest } from "./results.mjs";

const args = ["--target", "wasm32-unknown-unknown", "--test", "web"];

/** The runner takes the first of these that is set, so exactly one may be. */
const driverVariables = ["CHROMEDRIVER", "GECKODRIVER", "SAFARIDRIVER"].flatMap((name) => [name, `${name}_REMOTE`]);

/**
 * @param {import("./results.mjs").Context} context
 * @returns {AsyncGenerator<import("./results.mjs").Result>}
 */
export async function* web({ engines: names, unusable }) {
  await ensureRust();
  await ensureBindgen();
  const expected = writtenTests();
  const env = {
    ...Object.fromEntries(driverVariables.map((name) => [name, undefined])),
    CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUNNER: wbgTestRunner,
    // For the whole file, and for a driver to start; their defaults are short for a busy machine.
    WASM_BINDGEN_TEST_TIMEOUT: "180",
    WASM_BINDGEN_TEST_DRIVER_TIMEOUT: "60",
  };

  yield cargoTest("web tests in Node", args, { log: "test-web-node", env, expected });
  for (const name of names) {
    const { title, driverVariable, needsDisplay } = engines[name];
    const reason = unusable.get(name);
    if (reason) {
      yield absent(`web tests in ${title}`, reason, expected);
      continue;
    }
    const browser = {
      WASM_BINDGEN_USE_BROWSER: "1",
      [driverVariable]: locate(name).driver,
      ...(needsDisplay ? await displayEnvironment() : {}),
    };
    yield cargoTest(`web tests in ${title}`, args, { log: `test-web-${name}`, env: { ...env, ...browser }, expected });
    if (name !== "chromium") continue;
    // Where there is no window. One engine is enough to find out that somebody leaned on it.
    const worker = { ...browser, WASM_BINDGEN_USE_BROWSER: undefined, WASM_BINDGEN_USE_DEDICATED_WORKER: "1" };
    yield cargoTest("web tests in a worker", args, { log: "test-web-worker", env: { ...env, ...worker }, expected });
  }
}

/** How many tests the sources hold: so many must run everywhere. A plain `#[test]` never runs here, so it counts too. */
function writtenTests() {
  const sources = files(at("tests/web")).filter((file) => file.endsWith(".rs"));
  const count = sources.reduce((sum, file) => sum + (readFileSync(file, "utf8").match(/^\s*#\[(?:wasm_bindgen_test|test)\b/gm)?.length ?? 0), 0);
  return Math.max(1, count);
}
