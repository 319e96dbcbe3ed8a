// `npm run build`: from a fresh clone to the publishable package in pkg/.
//
//   src/ ──cargo──► .wasm ──wasm-bindgen──► core_bg.wasm ──wasm-opt──► pkg/core.wasm
//                              │                                └──sort, zopfli, base64──► pkg/glue/bytes.js
//                              └──────────► core.js, core.d.ts ────────────────────► pkg/glue/
//   the same with all features ───────────────────────────────────────► pkg/full.wasm, glue/full-bytes.js, full.js
//   docs/rules.md ──► pkg/glue/rules.js
//   js/ ──tsc──► pkg/*.js, *.d.ts, *.js.map ──esbuild──► pkg/ag-ui-wasm.min.js
//   pkg-template/, README, licenses ──► pkg/
//   cargo's registry ──► pkg/THIRD-PARTY-LICENSES.txt
//
// Each step is skipped when its inputs are what they were.

import "./node-version.mjs";
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { documents } from "./documents.mjs";
import { compileUnpacker, pack } from "./pack.mjs";
import { fingerprint, whenChanged } from "./fingerprint.mjs";
import { licenses } from "./licenses.mjs";
import { at, packageFolder } from "./paths.mjs";
import { rulesModule } from "./rules.mjs";
import { Failure, isMain, main, run, step } from "./run.mjs";
import { ensureBuildTools, wbg } from "./setup.mjs";
import { followNames, shortNames, takeStringsOnly } from "./short-names.mjs";
import { compileSources, writeOneFile } from "./sources.mjs";
import { crateVersion } from "./versions.mjs";

const scratch = at(".tools/build");
const glue = join(scratch, "glue");
const staging = join(scratch, "pkg");

/**
 * The modules of the package. Each has a target folder of its own, so that cargo finds what it made the last time.
 *
 * @typedef {{ name: string, bytes: string, features: string[], target: string }} Module
 * @type {Module[]}
 */
const modules = [
  { name: "core", bytes: "bytes.js", features: ["--no-default-features"], target: at("target") },
  { name: "full", bytes: "full-bytes.js", features: [], target: at("target/full") },
];

/** @param {Module} module */
const compiled = ({ target }) => join(target, "wasm32-unknown-unknown/release/ag_ui_wasm.wasm");

/** @param {Module} module */
const optimized = ({ name }) => join(scratch, `${name}.wasm`);

/** Sets up what is missing and brings pkg/ up to date. */
export async function build() {
  await ensureBuildTools();
  // Each takes one core: all is one unit of code there.
  await Promise.all(modules.map(async (module) => {
    await compile(module);
    await optimize(module);
  }));
  await assemble();
  linkPackage();
}

/** @param {Module} module */
async function compile(module) {
  const args = [
    ...["rustc", "--locked", "--release", "--target", "wasm32-unknown-unknown", "--lib"],
    ...["--target-dir", module.target, ...module.features],
    // Asking for the cdylib alone lets cargo optimize across crates, which saves a seventh of the size.
    ...["--crate-type", "cdylib"],
    ...["-Zbuild-std=std,panic_abort", "-Zbuild-std-features=optimize_for_size"],
    ...["--config", `target.wasm32-unknown-unknown.rustflags = ${JSON.stringify([...forSize, ...shortPaths()])}`],
  ];
  // Cargo knows by itself what has changed. A first time takes long enough to be announced.
  const runCargo = () => run("cargo", args, { log: `build-cargo-${module.name}`, env: { RUSTC_BOOTSTRAP: "1" } });
  if (existsSync(compiled(module))) await runCargo();
  else await step(`Compiling ${module.name}.wasm`, runCargo);
}

/**
 * A panic is a trap at once, without a message or the place that it would name, and nothing is written for `{:?}`: 6% of the
 * module. The pinned compiler has these only for those that build it, which RUSTC_BOOTSTRAP claims, as it does for the
 * standard library made anew for size.
 */
const forSize = ["-Zunstable-options", "-Cpanic=immediate-abort", "-Zlocation-detail=none", "-Zfmt-debug=none"];

/** Sources are named by macros: without this, by their place on the machine that made the package. */
function shortPaths() {
  const cargoHome = process.env.CARGO_HOME ?? join(homedir(), ".cargo");
  return [`--remap-path-prefix=${cargoHome}=cargo`, `--remap-path-prefix=${at()}=`];
}

/** @param {Module} module */
async function optimize(module) {
  const { name } = module;
  const inputs = fingerprint([
    compiled(module),
    wbg,
    at("package-lock.json"),
    ...["build", "short-names", "pack"].map((tool) => at(`tools/${tool}.mjs`)),
    at("tools/unpack.rs"),
  ]);
  const outputs = [join(glue, `${name}.js`), join(glue, module.bytes), optimized(module)];
  await whenChanged(name, { inputs, outputs }, () =>
    step(`Optimizing ${name}.wasm`, async () => {
      mkdirSync(glue, { recursive: true });
      const flags = ["--target", "web", "--omit-default-module-path", "--remove-name-section", "--remove-producers-section"];
      await run(wbg, [compiled(module), ...flags, "--out-dir", glue, "--out-name", name], { log: `build-wasm-bindgen-${name}` });
      const made = join(glue, `${name}_bg.wasm`);
      // No single --enable-* flags: the module says itself which features it uses.
      // Nothing stands in the first kilobyte of the memory, which is the end of the stack: offsets may be added by the loads.
      // Inlining what has several callers makes it larger by 1%, and row 1 of the benchmark no faster.
      const smaller = ["--flexible-inline-max-function-size=0", "--low-memory-unused", "-O3", "-Oz", shortNames];
      const command = [at("node_modules/binaryen/bin/wasm-opt"), ...smaller, made, "-o", optimized(module)];
      takeStringsOnly(join(glue, `${name}.js`));
      followNames(join(glue, `${name}.js`), await run("node", command, { log: `build-wasm-opt-${name}` }));
      writeFileSync(join(glue, module.bytes), await inlineBytes(readFileSync(optimized(module))));
      rmSync(made);
      rmSync(join(glue, `${name}_bg.wasm.d.ts`), { force: true });
    }));
}

async function assemble() {
  const sources = [
    at("js"),
    at("pkg-template"),
    glue,
    ...modules.map(optimized),
    at("package-lock.json"),
    at("Cargo.lock"),
    at("tools/licenses"),
    at("tools/licenses.mjs"),
    at("tools/rules.mjs"),
    at("tools/sources.mjs"),
    ...documents.map((name) => at(name)),
  ];
  const inputs = fingerprint(sources, { extra: crateVersion() });
  await whenChanged("package", { inputs, outputs: [packageFolder] }, () =>
    step("Assembling the package", async () => {
      rmSync(staging, { recursive: true, force: true });
      mkdirSync(join(staging, "glue"), { recursive: true });
      await compileSources(staging);

      cpSync(glue, join(staging, "glue"), { recursive: true });
      for (const module of modules) {
        const { name, bytes } = module;
        cpSync(optimized(module), join(staging, `${name}.wasm`));
        const types = bytes.replace(".js", ".d.ts");
        cpSync(at("js/glue", types), join(staging, "glue", types));
      }

      writeFileSync(join(staging, "glue/rules.js"), rulesModule());
      cpSync(at("js/glue/rules.d.ts"), join(staging, "glue/rules.d.ts"));

      cpSync(at("pkg-template"), staging, { recursive: true });
      for (const module of modules) await checkBytes(module);
      for (const name of documents) {
        if (existsSync(at(name)) && !existsSync(join(staging, name))) cpSync(at(name), join(staging, name), { recursive: true });
      }
      await writeOneFile(staging);
      writeFileSync(join(staging, "THIRD-PARTY-LICENSES.txt"), await licenses());
      stampVersion(join(staging, "package.json"));

      rmSync(packageFolder, { recursive: true, force: true });
      renameSync(staging, packageFolder);
    }));
}

/**
 * The module as a string: sorted, then raw deflate, then base64. Compressing first matters although servers compress too: base64 of
 * the bare module is a third larger on the wire. Zopfli deflates 5% better than zlib, and takes seconds for it.
 *
 * @param {Buffer} wasm
 */
async function inlineBytes(wasm) {
  const { deflateAsync } = await import("@gfx/zopfli");
  const deflated = await deflateAsync(pack(wasm, await compileUnpacker(join(scratch, "unpack.wasm"))), { numiterations: 15 });
  return `export const bytes = "${Buffer.from(deflated).toString("base64")}";\n`;
}

/**
 * Checks that a page makes the module of the inline bytes; otherwise the build fails.
 *
 * @param {Module} module
 */
async function checkBytes(module) {
  const load = (/** @type {string} */ name) => import(pathToFileURL(join(staging, name)).href);
  const [{ inflate }, { bytes }] = await Promise.all([load("core/unpack.js"), load(`glue/${module.bytes}`)]);
  if (Buffer.compare(Buffer.from(await inflate(bytes)), readFileSync(optimized(module))) === 0) return;
  throw new Failure(`${module.name}.wasm does not come back from its inline bytes: tools/pack.mjs does not know all of its operations.`);
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
