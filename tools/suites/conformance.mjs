// The package judged by the protocol's rulebook and by the official client: cases, recordings, streams made by chance, and
// the surface of the official client.

import { files } from "../fingerprint.mjs";
import { at } from "../paths.mjs";
import { nodeTest } from "./results.mjs";

/** @returns {AsyncGenerator<import("./results.mjs").Result>} */
export async function* conformance() {
  const tests = [...files(at("tests/conformance")), ...files(at("tests/ag-ui-client"), ["pages"])].filter((file) => file.endsWith(".test.mjs"));
  yield nodeTest("conformance tests", tests, { log: "test-conformance" });
}
