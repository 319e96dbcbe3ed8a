// The core, without JavaScript: its tests, its lints, its format.

import { cargoTest, check } from "./results.mjs";

/** @returns {AsyncGenerator<import("./results.mjs").Result>} */
export async function* native() {
  const tests = cargoTest("native tests", ["--no-fail-fast"], { log: "test-native", expected: 1 });
  // Cargo makes these wait while it compiles the tests, and the last of those that it runs takes one core.
  const checks = lint();
  yield tests;
  yield* await checks;
}

async function lint() {
  const strict = ["--", "-D", "warnings"];
  const wasm = ["--target", "wasm32-unknown-unknown", "--lib", "--test", "web"];
  return [
    await check("rustfmt", "cargo", ["fmt", "--check", "--", "--color", "never"], { log: "test-fmt" }),
    await check("clippy", "cargo", ["clippy", "--locked", "--all-targets", ...strict], { log: "test-clippy" }),
    await check("clippy, wasm32", "cargo", ["clippy", "--locked", ...wasm, ...strict], { log: "test-clippy-wasm32" }),
  ];
}
