// The package against an agent server that is not ours. tests/real-server/run.mjs finds the Python
// that has it in PYTHON.

import { at } from "../paths.mjs";
import { Failure } from "../run.mjs";
import { ensurePython } from "../setup.mjs";
import { absent, nodeTest } from "./results.mjs";
import { quickServers } from "./servers.mjs";

/** @returns {AsyncGenerator<import("./results.mjs").Result>} */
export async function* real() {
  let python;
  try {
    python = await ensurePython();
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    yield absent("real server", error.message);
    return;
  }
  yield nodeTest("real server", [at("tests/real-server/run.mjs")], { log: "test-real", env: { PYTHON: python } });
  yield* quickServers();
}
