// The package as its users get it: packed, installed, imported, bundled.

import { files } from "../fingerprint.mjs";
import { at } from "../paths.mjs";
import { nodeTest } from "./results.mjs";

/** @returns {AsyncGenerator<import("./results.mjs").Result>} */
export async function* packaging() {
  const tests = files(at("tests/packaging")).filter((file) => file.endsWith(".test.mjs"));
  yield nodeTest("packaging tests", tests, { log: "test-packaging" });
}
