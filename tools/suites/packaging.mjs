// The package as its users get it: packed, installed, imported, bundled.

import { files } from "../fingerprint.mjs";
import { at } from "../paths.mjs";
import { nodeTest } from "./results.mjs";

/**
 * @param {import("./results.mjs").Context} context
 * @returns {AsyncGenerator<import("./results.mjs").Result>}
 */
export async function* packaging({ unusable }) {
  const tests = files(at("tests/packaging")).filter((file) => file.endsWith(".test.mjs"));
  yield nodeTest("packaging tests", tests, { log: "test-packaging", env: { UNUSABLE_ENGINES: JSON.stringify([...unusable]) } });
}
