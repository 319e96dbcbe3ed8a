// The package as its users get it: packed, installed, imported, bundled, used as the README says, and fed with what real
// servers sent.

import { files } from "../fingerprint.mjs";
import { at } from "../paths.mjs";
import { nodeTest } from "./results.mjs";

/** @returns {AsyncGenerator<import("./results.mjs").Result>} */
export async function* packaging() {
  const tests = ["tests/packaging", "tests/readme", "tests/corpus"].flatMap((folder) => files(at(folder))).filter((file) => file.endsWith(".test.mjs"));
  yield nodeTest("packaging tests", tests, { log: "test-packaging" });
}
