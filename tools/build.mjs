// `npm run build`: from a fresh clone to the publishable package in pkg/, and nothing else there.
//
//   src/ ──cargo──► .wasm ──wasm-bindgen──► core_bg.wasm ──wasm-opt──► pkg/core.wasm
//                              │                                └──deflate, base64──► pkg/glue/bytes.js
//                              └──────────► core.js, core.d.ts ────────────────────► pkg/glue/
//   js/ ──tsc──► pkg/*.js, pkg/*.d.ts          pkg-template/, README, licences ──► pkg/
//
// Each step is skipped when its inputs are what they were.

import "./node-version.mjs";
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { deflateRawSync } from "node:zlib";
import { fingerprint, whenChanged } from "./fingerprint.mjs";
import { at, packageFolder } from "./paths.mjs";
import { Failure, isMain, main, run, step } from "./run.mjs";
import { ensureBuildTools, wbg } from "./setup.mjs";
import { crateVersion } from "./versions.mjs";

const compiled = at("target/wasm32-unknown-unknown/release/ag_ui_wasm.wasm");
const scratch = at(".tools/build");
const glue = join(scratch, "glue");
const optimised = join(scratch, "core.wasm");
const staging = join(scratch, "pkg");

/** Files of the repository that are published as they are. */
const documents = ["README.md", "LICENSE-MIT", "LICENSE-APACHE", "docs/rules.md"];

/** Sets up what is missing and brings pkg/ up to date. */
export async function build() {
  await ensureBuildTools();
  await compile();
  await optimise();
  await assemble();
  linkPackage();
}

async function compile() {
  const args = [
    ...["rustc", "--locked", "--release", "--target", "wasm32-unknown-unknown", "--lib"],
    // Asking for the cdylib alone lets cargo optimise across crates, which saves a seventh of the size.
    ...["--crate-type", "cdylib"],
    ...["--config", `target.wasm32-unknown-unknown.rustflags = ${JSON.stringify(shortPaths())}`],
  ];
  // Cargo knows by itself what has changed. A first time takes long enough to be announced.
  const compile = () => run("cargo", args, { log: "build-cargo" });
  if (existsSync(compiled)) await compile();
  else await step("Compiling the core", compile);
}

/** Messages of panics name source files: without this, by their place on the machine that made the package. */
function shortPaths() {
  const cargoHome = process.env.CARGO_HOME ?? join(homedir(), ".cargo");
  return [`--remap-path-prefix=${cargoHome}=cargo`, `--remap-path-prefix=${at()}=`];
}

async function optimise() {
  const lock = at("package-lock.json");
  await whenChanged("core", { inputs: fingerprint([compiled, wbg, lock]), outputs: [glue, optimised] }, () =>
    step("Optimising the core", async () => {
      rmSync(scratch, { recursive: true, force: true });
      const flags = ["--target", "web", "--omit-default-module-path", "--remove-name-section", "--remove-producers-section"];
      await run(wbg, [compiled, ...flags, "--out-dir", glue, "--out-name", "core"], { log: "build-wasm-bindgen" });
      const made = join(glue, "core_bg.wasm");
      // No single --enable-* flags: the module says itself which features it uses.
      await run("node", [at("node_modules/binaryen/bin/wasm-opt"), "-O3", made, "-o", optimised], { log: "build-wasm-opt" });
      rmSync(made);
      rmSync(join(glue, "core_bg.wasm.d.ts"), { force: true });
    }),
  );
}

async function assemble() {
  const sources = [at("js"), at("pkg-template"), glue, optimised, at("package-lock.json"), ...documents.map((name) => at(name))];
  const inputs = fingerprint(sources, { extra: crateVersion() });
  await whenChanged("package", { inputs, outputs: [packageFolder] }, () =>
    step("Assembling the package", async () => {
      rmSync(staging, { recursive: true, force: true });
      mkdirSync(join(staging, "glue"), { recursive: true });
      await run("node", [at("node_modules/typescript/bin/tsc"), "-p", at("js"), "--outDir", staging], { log: "build-tsc" });

      cpSync(optimised, join(staging, "core.wasm"));
      cpSync(glue, join(staging, "glue"), { recursive: true });
      writeFileSync(join(staging, "glue/bytes.js"), inlineBytes(readFileSync(optimised)));
      cpSync(at("js/glue/bytes.d.ts"), join(staging, "glue/bytes.d.ts"));

      cpSync(at("pkg-template"), staging, { recursive: true });
      for (const name of documents) {
        if (existsSync(at(name)) && !existsSync(join(staging, name))) cpSync(at(name), join(staging, name));
      }
      stampVersion(join(staging, "package.json"));

      rmSync(packageFolder, { recursive: true, force: true });
      renameSync(staging, packageFolder);
    }),
  );
}

/**
 * The module as a string: raw deflate, then base64. Compressing first matters although servers
 * compress too: base64 of the bare module is a third larger on the wire.
 *
 * @param {Buffer} wasm
 */
function inlineBytes(wasm) {
  return `export const bytes = "${deflateRawSync(wasm, { level: 9 }).toString("base64")}";\n`;
}

/** @param {string} file */
function stampVersion(file) {
  const { name, version: _template, ...rest } = JSON.parse(readFileSync(file, "utf8"));
  writeFileSync(file, JSON.stringify({ name, version: crateVersion(), ...rest }, null, 2) + "\n");
}

/** Lets www/ and the tests import `ag-ui-wasm` by its name, as an application does. */
function linkPackage() {
  const link = at("node_modules/ag-ui-wasm");
  if (existsSync(join(link, "package.json"))) return;
  rmSync(link, { recursive: true, force: true });
  symlinkSync("../pkg", link, "junction");
}

if (isMain(import.meta.url)) {
  await main(async () => {
    await build();
    const { printSizes } = await import("./size.mjs");
    const tooLarge = await printSizes();
    if (tooLarge.length > 0) throw new Failure(`${tooLarge.join("\n")}\nRaise tools/size-limits.json if it is worth it, and say why in the commit.`);
  });
}
