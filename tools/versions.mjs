// The versions that belong together, read from the files that pin them.

import { readFileSync } from "node:fs";
import { Failure } from "./run.mjs";
import { at } from "./paths.mjs";

/** A WebDriver for Firefox; no Debian release has a package of it. */
export const geckodriverVersion = "0.37.1";

/** The nightly Rust that the fuzz targets are compiled with: libFuzzer needs instrumentation that stable Rust has not. */
export const fuzzToolchain = "nightly-2026-05-20";
export const cargoFuzzVersion = "0.13.2";

/** The version of uv, which installs the Python servers of the suite "servers". */
export const uvVersion = "0.13.9";

/** The spell checker. */
export const typosVersion = "1.49.0";

/** The version of the crate, which is the version of the package. */
export function crateVersion() {
  return manifestValue("version");
}

/** The Rust that makes the package, with what it needs beside the compiler: rust-toolchain.toml. */
export function pinnedRust() {
  const text = readFileSync(at("rust-toolchain.toml"), "utf8");
  /** @param {string} key @returns {string[]} */
  const strings = (key) => [...(text.match(new RegExp(`^${key} = (.+)$`, "m"))?.[1] ?? "").matchAll(/"([^"]+)"/g)].map(([, value]) => value ?? "");
  const [version] = strings("channel");
  if (!version) throw new Failure("rust-toolchain.toml has no channel.");
  return { version, components: strings("components"), targets: strings("targets") };
}

/**
 * The `wasm-bindgen` that the crate is compiled with and the command line that reads its output
 * share an unstable format: different versions fail, at best with a message.
 */
export function requireMatchingBindgen(crateLock = at("Cargo.lock"), toolsLock = at("tools/Cargo.lock")) {
  const crate = lockedVersion(crateLock, "wasm-bindgen");
  const cli = lockedVersion(toolsLock, "wasm-bindgen-cli");
  if (crate === cli) return crate;
  throw new Failure(
    `The wasm-bindgen crate is ${crate} (Cargo.lock), its command line is ${cli} (tools/Cargo.lock); they must be the same version.\n` +
      `Either pin the crate:         wasm-bindgen = "=${cli}" in Cargo.toml, then cargo update wasm-bindgen --precise ${cli}\n` +
      `or pin the command line:      wasm-bindgen-cli = "=${crate}" in tools/Cargo.toml, then cargo update --manifest-path tools/Cargo.toml`,
  );
}

/** @param {string} file @param {string} name */
export function lockedVersion(file, name) {
  const entry = readFileSync(file, "utf8").match(new RegExp(`\\[\\[package\\]\\]\\nname = "${name}"\\nversion = "([^"]+)"`));
  if (!entry) throw new Failure(`${file} has no package "${name}".`);
  return /** @type {string} */ (entry[1]);
}

/** @param {string} key */
function manifestValue(key) {
  const value = readFileSync(at("Cargo.toml"), "utf8").match(new RegExp(`^${key} = "([^"]+)"`, "m"))?.[1];
  if (!value) throw new Failure(`Cargo.toml has no ${key}.`);
  return value;
}
