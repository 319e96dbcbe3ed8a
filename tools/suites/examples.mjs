// The examples over the packed package, each started as its readers start it.

import { at } from "../paths.mjs";
import { Failure } from "../run.mjs";
import { ensureNodeModules, ensurePython } from "../setup.mjs";
import { absent, check, nodeTest } from "./results.mjs";

/** @returns {AsyncGenerator<import("./results.mjs").Result>} */
export async function* examples() {
  yield check("lint of the examples", "node", [at("node_modules/oxlint/bin/oxlint"), "--deny-warnings", at("examples")], { log: "test-lint-examples" });
  // The libraries that two of them show, and the server of one.
  await ensureNodeModules("tests/ag-ui-client/pages");
  let python;
  try {
    python = await ensurePython();
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    yield absent("the Python example", error.message);
  }
  yield nodeTest("examples", ["examples", "install", "tutorial", "site"].map((name) => at(`tests/examples/${name}.test.mjs`)), {
    log: "test-examples",
    concurrency: 1,
    ...(python && { env: { PYTHON: python } }),
  });
}
