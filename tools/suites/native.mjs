// The core, without JavaScript: its tests, its lints, its format.

import { cargoTest, check } from "./results.mjs";

/** @returns {AsyncGenerator<import("./results.mjs").Result>} */
export async function* native() {
  yield cargoTest("native tests", ["--no-fail-fast"], { log: "test-native", expected: 1 });

  const strict = ["--", "-D", "warnings"];
  yield check("rustfmt", "cargo", ["fmt", "--check", "--", "--color", "never"], { log: "test-fmt" });
  yield check("clippy", "cargo", ["clippy", "--locked", "--all-targets", ...strict], { log: "test-clippy" });
  const wasm = ["--target", "wasm32-unknown-unknown", "--lib", "--test", "web"];
  yield check("clippy, wasm32", "cargo", ["clippy", "--locked", ...wasm, ...strict], { log: "test-clippy-wasm32" });
}
