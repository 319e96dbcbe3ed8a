// Installs what is missing, each tool by a function of its own. With nothing missing all of them
// together take milliseconds. Uses Node's built-ins only: it is what brings everything else.

import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { aptInstall, canUseApt } from "./apt.mjs";
import { fingerprint, whenChanged } from "./fingerprint.mjs";
import { at, toolsBin, toolsFolder } from "./paths.mjs";
import { Failure, probe, run, step, together } from "./run.mjs";
import { pinnedRust, requireMatchingBindgen, typosVersion } from "./versions.mjs";

const RUST = "Install Rust with rustup, see https://rustup.rs, and run this again.";

/** The wasm-bindgen command line and the runner of its tests. They cannot bear the names that they have elsewhere. */
export const wbg = join(toolsBin, "wbg");
export const wbgTestRunner = join(toolsBin, "wbg-test-runner");

/** The Rust of rust-toolchain.toml, with its components. rustup picks it by itself in this folder. */
export async function ensureRust() {
  if (rustIsThere()) return;
  const { version, components, targets } = pinnedRust();
  if (!probe("rustup", "--version"))
    throw new Failure(`Rust ${version} was not found, with ${components.join(", ")} and the target ${targets.join(", ")}. ${RUST}`);
  const parts = [...components.flatMap((name) => ["--component", name]), ...targets.flatMap((name) => ["--target", name])];
  await step(
    `Installing Rust ${version}`,
    () => run("rustup", ["toolchain", "install", version, "--profile", "minimal", "--no-self-update", ...parts], { log: "setup-rust" }),
  );
  if (!rustIsThere()) throw new Failure(`Rust ${version} was installed but is not used: is "rustc" another one than rustup's, or RUSTUP_TOOLCHAIN set?`);
}

function rustIsThere() {
  const { version, targets } = pinnedRust();
  // In a folder with a toolchain file rustup would install what is missing without a word.
  if (probe("rustup", "toolchain", "list")?.includes(`${version}-`) === false) return false;
  if (probe("rustc", "--version")?.split(" ")[1] !== version) return false;
  const libraries = join(probe("rustc", "--print", "sysroot") ?? "", "lib/rustlib");
  const parts = ["src/rust/library/Cargo.lock", ...targets].every((path) => existsSync(join(libraries, path)));
  return parts && ["--version", "clippy --version", "fmt --version"].every((command) => probe("cargo", ...command.split(" ")));
}

/** The wasm-bindgen command line, compiled from `tools/`, in the version of the crate's. */
export const ensureBindgen = () => together("wasm-bindgen", installBindgen);

async function installBindgen() {
  requireMatchingBindgen();
  const target = join(toolsFolder, "target");
  const inputs = fingerprint([at("tools/Cargo.toml"), at("tools/Cargo.lock"), at("tools/src")]);
  await whenChanged(
    "wasm-bindgen",
    { inputs, outputs: [wbg, wbgTestRunner] },
    () =>
      step("Compiling the wasm-bindgen command line (once, one or two minutes)", async () => {
        // CI sets this for the tests; a profile of tools/Cargo.toml yields to it.
        const env = { CARGO_PROFILE_DEV_DEBUG: "0" };
        const args = ["build", "--locked", "--manifest-path", at("tools/Cargo.toml"), "--target-dir", target];
        await run("cargo", args, { log: "setup-wasm-bindgen", env });
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

/** The spell checker of `tests/prose`. */
export const typos = join(toolsFolder, "typos/bin/typos");

/** The spell checker, a Rust program: PyPI has it compiled, which crates.io has not. */
export const ensureTypos = () => together("typos", installTypos);

async function installTypos() {
  if (probe(typos, "--version")?.endsWith(` ${typosVersion}`)) return;
  const python = await ensurePython();
  const install = ["-m", "pip", "install", "--quiet", "--no-deps", "--upgrade", "--target", join(toolsFolder, "typos"), `typos==${typosVersion}`];
  await step("Installing the spell checker", () => run(python, install, { log: "setup-typos" }));
}

/** Node modules, exactly those of package-lock.json; of a folder of the repository. */
export const ensureNodeModules = (folder = ".") => together(`modules of ${folder}`, () => installNodeModules(folder));

/** @param {string} folder */
async function installNodeModules(folder) {
  if (nodeModulesMatch(folder)) return;
  const npm = process.platform === "win32" ? "npm.cmd" : "npm";
  const of = folder === "." ? "" : ` of ${folder}`;
  await step(`Installing node modules${of}`, () => run(npm, ["ci", "--ignore-scripts", "--prefix", at(folder)], { log: "setup-npm" }));
}

/** npm leaves a copy of the lock file beside what it has installed, without what other platforms need. */
function nodeModulesMatch(/** @type {string} */ folder) {
  const installed = packages(at(folder, "node_modules/.package-lock.json"));
  const wanted = packages(at(folder, "package-lock.json"));
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
  // One computes, the other waits for the network.
  await Promise.all([ensureBindgen(), ensureNodeModules()]);
}

/**
 * Python for the test against a real server, in an environment of its own.
 *
 * @returns {Promise<string>} the interpreter
 */
export const ensurePython = () => together("python", makePython);

async function makePython() {
  const folder = join(toolsFolder, "python");
  const program = join(folder, "bin/python");
  const requirements = at("tests/real-server/requirements.txt");
  const debianPackages = ["python3", "python3-venv"];
  // Debian keeps the module that makes environments in a package of its own.
  const usable = () => probe("python3", "-c", "import sys, venv, ensurepip; assert sys.version_info >= (3, 10)") !== undefined;
  if (!usable() && canUseApt()) await aptInstall(debianPackages);
  if (!usable()) throw new Failure(`Python 3.10 or newer with venv was not found (Debian packages: ${debianPackages.join(" ")}).`);
  await whenChanged(
    "python",
    { inputs: fingerprint([requirements]), outputs: [join(folder, "pyvenv.cfg")] },
    () =>
      step("Installing the real agent server into a Python environment", async () => {
        await run("python3", ["-m", "venv", "--clear", folder], { log: "setup-python" });
        await run(program, ["-m", "pip", "install", "--quiet", "-r", requirements], { log: "setup-python" });
      }),
  );
  return program;
}
