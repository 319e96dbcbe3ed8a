// Installs what is missing, each tool by a function of its own. With nothing missing all of them
// together take milliseconds. Uses Node's built-ins only: it is what brings everything else.

import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { aptInstall, canUseApt } from "./apt.mjs";
import { fingerprint, whenChanged } from "./fingerprint.mjs";
import { at, toolsBin, toolsFolder } from "./paths.mjs";
import { Failure, probe, run, step } from "./run.mjs";
import { minimalRust, requireMatchingBindgen } from "./versions.mjs";

const RUST = "Install Rust with rustup, see https://rustup.rs, and run this again.";
const wasmTarget = "wasm32-unknown-unknown";

/** The wasm-bindgen command line and the runner of its tests. They cannot bear the names that they have elsewhere. */
export const wbg = join(toolsBin, "wbg");
export const wbgTestRunner = join(toolsBin, "wbg-test-runner");

/** Rust, new enough, with the WebAssembly target. */
export async function ensureRust() {
  const version = probe("rustc", "--version")?.match(/\d+\.\d+\.\d+/)?.[0];
  if (!version || !probe("cargo", "--version")) throw new Failure(`Rust was not found. ${RUST}`);
  const needed = minimalRust();
  if (older(version, needed)) throw new Failure(`Rust ${version} is too old, ${needed} is needed. Run: rustup update stable`);

  const library = () => existsSync(join(probe("rustc", "--print", "sysroot") ?? "", "lib/rustlib", wasmTarget));
  if (library()) return;
  if (!probe("rustup", "--version")) throw new Failure(`Rust has no target ${wasmTarget}, and there is no rustup to add it. ${RUST}`);
  await step(`Adding Rust's target ${wasmTarget}`, () => run("rustup", ["target", "add", wasmTarget], { log: "setup-rust" }));
  if (!library()) throw new Failure(`Rust's target ${wasmTarget} was added but is not there: is "rustc" another one than rustup's?`);
}

/** Clippy and rustfmt, which a minimal rustup profile leaves out. */
export async function ensureRustComponents() {
  const missing = ["clippy", "rustfmt"].filter((name) => !probe("cargo", name === "clippy" ? "clippy" : "fmt", "--version"));
  if (missing.length === 0) return;
  await step(`Adding ${missing.join(" and ")}`, () => run("rustup", ["component", "add", ...missing], { log: "setup-rust" }));
}

/** The wasm-bindgen command line, compiled from `tools/`, in the version of the crate's. */
export async function ensureBindgen() {
  requireMatchingBindgen();
  const target = join(toolsFolder, "target");
  const inputs = fingerprint([at("tools/Cargo.toml"), at("tools/Cargo.lock"), at("tools/src")]);
  await whenChanged("wasm-bindgen", { inputs, outputs: [wbg, wbgTestRunner] }, () =>
    step("Compiling the wasm-bindgen command line (once, one or two minutes)", async () => {
      await run("cargo", ["build", "--locked", "--manifest-path", at("tools/Cargo.toml"), "--target-dir", target], { log: "setup-wasm-bindgen" });
      mkdirSync(toolsBin, { recursive: true });
      for (const file of [wbg, wbgTestRunner]) {
        copyFileSync(join(target, "debug", file.slice(toolsBin.length + 1)), file);
        chmodSync(file, 0o755);
      }
      // The two programs are 30 MB, what they were made of is 400.
      rmSync(target, { recursive: true, force: true });
    }),
  );
}

/** Node modules, exactly those of package-lock.json. */
export async function ensureNodeModules() {
  if (nodeModulesMatch()) return;
  const npm = process.platform === "win32" ? "npm.cmd" : "npm";
  await step("Installing node modules", () => run(npm, ["ci", "--ignore-scripts"], { log: "setup-npm" }));
}

/** npm leaves a copy of the lock file beside what it has installed, without what other platforms need. */
function nodeModulesMatch() {
  const installed = packages(at("node_modules/.package-lock.json"));
  const wanted = packages(at("package-lock.json"));
  if (!installed || !wanted) return false;
  return Object.entries(wanted).every(
    ([path, { version, integrity, optional }]) =>
      path === "" || (installed[path] ? installed[path].version === version && installed[path].integrity === integrity : optional),
  );
}

/**
 * @param {string} file
 * @returns {Record<string, { version: string, integrity?: string, optional?: boolean }> | undefined}
 */
function packages(file) {
  try {
    return JSON.parse(readFileSync(file, "utf8")).packages;
  } catch {
    return undefined;
  }
}

/** All that a build needs. */
export async function ensureBuildTools() {
  await ensureRust();
  await ensureBindgen();
  await ensureNodeModules();
}

/**
 * Python for the test against a real server, in an environment of its own.
 *
 * @returns {Promise<string>} the interpreter
 */
export async function ensurePython() {
  const folder = join(toolsFolder, "python");
  const python = join(folder, "bin/python");
  const requirements = at("tests/real-server/requirements.txt");
  const packages = ["python3", "python3-venv"];
  // Debian keeps the module that makes environments in a package of its own.
  const usable = () => probe("python3", "-c", "import sys, venv, ensurepip; assert sys.version_info >= (3, 10)") !== undefined;
  if (!usable() && canUseApt()) await aptInstall(packages);
  if (!usable()) throw new Failure(`Python 3.10 or newer with venv was not found (Debian packages: ${packages.join(" ")}).`);
  await whenChanged("python", { inputs: fingerprint([requirements]), outputs: [join(folder, "pyvenv.cfg")] }, () =>
    step("Installing the real agent server into a Python environment", async () => {
      await run("python3", ["-m", "venv", "--clear", folder], { log: "setup-python" });
      await run(python, ["-m", "pip", "install", "--quiet", "-r", requirements], { log: "setup-python" });
    }),
  );
  return python;
}

/** @param {string} version @param {string} than */
function older(version, than) {
  const a = version.split(".").map(Number);
  const b = than.split(".").map(Number);
  for (let i = 0; i < b.length; i++) {
    if (a[i] !== b[i]) return /** @type {number} */ (a[i] ?? 0) < /** @type {number} */ (b[i]);
  }
  return false;
}
