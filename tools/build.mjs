// `npm run build`: from a fresh clone to the publishable package in pkg/.
//
//   src/ ──cargo──► .wasm ──wasm-bindgen──► core_bg.wasm ──wasm-opt──► pkg/core.wasm
//                              │                                └──sort, zopfli, base64──► pkg/glue/bytes.js
//                              └──────────► core.js, core.d.ts ────────────────────► pkg/glue/
//   the same with all features ───────────────────────────────────────► pkg/full.wasm, glue/full.js
//                                   └──split──► base, add-ons ──sort, …──► pkg/glue/base-bytes.js, add-ons/*.js, base.js
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
import { deflateRawSync } from "node:zlib";
import { documents } from "./documents.mjs";
import { compileUnpacker, pack } from "./pack.mjs";
import { fingerprint, whenChanged } from "./fingerprint.mjs";
import { licenses } from "./licenses.mjs";
import { at, packageFolder } from "./paths.mjs";
import { rulesModule } from "./rules.mjs";
import { Failure, isMain, main, run, step } from "./run.mjs";
import { ensureBuildTools, wbg } from "./setup.mjs";
import { followNames, shortenInit, shortNames, takeStringsOnly } from "./short-names.mjs";
import { addOns, arranged, doors, split, withoutClosures } from "./split.mjs";
import { compileSources, writeOneFile } from "./sources.mjs";
import { crateVersion } from "./versions.mjs";

const scratch = at(".tools/build");
const glue = join(scratch, "glue");
const staging = join(scratch, "pkg");

/**
 * The modules of the package. Each has a target folder of its own, so that cargo finds what it made the last time. A page without
 * `ag-ui-wasm/slim` gets the parts of the full one that it needs.
 *
 * @typedef {{ name: string, features: string[], target: string, divided: boolean }} Module
 * @type {Module[]}
 */
const modules = [
  { name: "core", features: ["--no-default-features"], target: at("target"), divided: false },
  { name: "full", features: [], target: at("target/full"), divided: true },
];

/** The modules that travel as text: their names in the scratch folder, and their files in pkg/glue. */
const inlined = [["core", "bytes"], ["base", "base-bytes"], ...Object.keys(addOns).map((name) => [`add-ons/${name}`, `add-ons/${name}`])];

/** @param {Module} module */
const compiled = ({ target }) => join(target, "wasm32-unknown-unknown/release/ag_ui_wasm.wasm");

/** @param {Module} module */
const optimized = ({ name }) => join(scratch, `${name}.wasm`);

/** Sets up what is missing and brings pkg/ up to date. */
export async function build() {
  await ensureBuildTools();
  // One cargo would take it away from the other, if both made it at once.
  mkdirSync(at("target"), { recursive: true });
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
  const flags = [...forSize, ...apart, ...shortPaths(), ...(module.divided ? ["-Clink-arg=--emit-relocs"] : [])];
  const args = [
    ...["rustc", "--locked", "--release", "--target", "wasm32-unknown-unknown", "--lib"],
    ...["--target-dir", module.target, ...module.features],
    // Asking for the cdylib alone lets cargo optimize across crates, which saves a seventh of the size.
    ...["--crate-type", "cdylib"],
    ...["-Zbuild-std=std,panic_abort", "-Zbuild-std-features=optimize_for_size"],
    ...["--config", `target.wasm32-unknown-unknown.rustflags = ${JSON.stringify(flags)}`],
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

/**
 * A function of more than 500 instructions stays one where it has one caller. An engine compiles a function when it is first called, all of
 * it, and the first text needs little of what the largest could do: what it needs compiles 10% faster so, and the module is half a kilobyte
 * smaller. LLVM has no option for such a limit: an instruction costs six times what it would, and so does the call that inlining
 * saves. With a limit of 190 instructions the tokens of an answer would take 6% longer.
 */
const apart = ["-Cllvm-args=-inline-instr-cost=30", "-Cllvm-args=-inline-call-penalty=150"];

/** Sources are named by macros: without this, by their place on the machine that made the package. */
function shortPaths() {
  const cargoHome = process.env.CARGO_HOME ?? join(homedir(), ".cargo");
  return [`--remap-path-prefix=${cargoHome}=cargo`, `--remap-path-prefix=${at()}=`];
}

/** @param {Module} module */
async function optimize(module) {
  const { name, divided } = module;
  const inputs = fingerprint([
    compiled(module),
    wbg,
    at("package-lock.json"),
    ...["build", "short-names", "pack", "wasm", "split", "split-data", "alike"].map((tool) => at(`tools/${tool}.mjs`)),
    at("tools/unpack.rs"),
  ]);
  const parts = inlined.filter(([part]) => (part === "core") !== divided);
  const texts = parts.map(([, file]) => join(glue, `${file}.js`));
  const outputs = [join(glue, `${name}.js`), optimized(module), ...texts];
  await whenChanged(name, { inputs, outputs }, () =>
    step(`Optimizing ${name}.wasm`, async () => {
      mkdirSync(glue, { recursive: true });
      const flags = ["--target", "web", "--omit-default-module-path", "--remove-producers-section"];
      await run(wbg, [compiled(module), ...flags, "--out-dir", glue, "--out-name", name], { log: `build-wasm-bindgen-${name}` });
      const made = join(glue, `${name}_bg.wasm`);
      writeFileSync(made, withoutClosures(readFileSync(made), readFileSync(join(glue, `${name}.js`), "utf8")));
      // No single --enable-* flags: the module says itself which features it uses.
      // Nothing stands in the first kilobyte of the memory, which is the end of the stack: offsets may be added by the loads.
      // Inlining what has several callers makes it larger by 1%, and row 1 of the benchmark no faster.
      const inlining = ["--flexible-inline-max-function-size=0", "--one-caller-inline-max-function-size=60"];
      const smaller = [...inlining, "--low-memory-unused", "-O3", "--flatten", "--rereloop", "-Oz", "-Oz", "--dealign", shortNames];
      const parted = divided ? ["-g", ...doors.map((door) => `--no-inline=${door}`)] : [];
      const command = [at("node_modules/binaryen/bin/wasm-opt"), ...parted, ...smaller, made, "-o", optimized(module)];
      takeStringsOnly(join(glue, `${name}.js`));
      shortenInit(join(glue, `${name}.js`));
      followNames(join(glue, `${name}.js`), await run("node", command, { log: `build-wasm-opt-${name}` }));
      if (divided) divide(module);
      writeFileSync(optimized(module), arranged(readFileSync(optimized(module))));
      for (const [part, file] of parts) writeFileSync(join(glue, `${file}.js`), await inlineBytes(part));
      rmSync(made);
      rmSync(join(glue, `${name}_bg.wasm.d.ts`), { force: true });
    }));
}

/** Puts the base and the add-ons of a module beside it. The base has a glue of its own: a page may load both. @param {Module} module */
function divide(module) {
  const parts = split(readFileSync(optimized(module)), readFileSync(compiled(module)));
  writeFileSync(join(scratch, "base.wasm"), parts.base);
  for (const folder of [scratch, glue]) mkdirSync(join(folder, "add-ons"), { recursive: true });
  for (const [name, bytes] of Object.entries(parts.addOns)) writeFileSync(join(scratch, `add-ons/${name}.wasm`), bytes);
  cpSync(join(glue, `${module.name}.js`), join(glue, "base.js"));
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
      for (const module of modules) cpSync(optimized(module), join(staging, `${module.name}.wasm`));
      for (const name of ["base", ...inlined.map(([, file]) => file)]) cpSync(at(`js/glue/${name}.d.ts`), join(staging, `glue/${name}.d.ts`));

      writeFileSync(join(staging, "glue/rules.js"), rulesModule());
      cpSync(at("js/glue/rules.d.ts"), join(staging, "glue/rules.d.ts"));

      cpSync(at("pkg-template"), staging, { recursive: true });
      for (const [part, file] of inlined) await checkBytes(part, file);
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
 * How often Zopfli tries. Each number gives nearly the same bytes, of which brotli, which most hosts send, makes a quarter of a percent more or less:
 * these are the best of some.
 *
 * @param {string} part
 */
const iterations = (part) => (part === "base" ? 100 : 75);

/**
 * The module as a string: sorted where that is shorter, then raw deflate, then base64. Compressing first matters although servers compress
 * too: base64 of the bare module is a third larger on the wire. Zopfli deflates 5% better than zlib, and
 * takes a quarter of a minute for it: zlib, in a tenth of a second, finds out which form it is to deflate. As many blocks as it likes, and
 * not 15, are 1% of that. An add-on comes after its base, which has brought the program that puts it back.
 *
 * @param {string} [part]
 */
async function inlineBytes(part = "") {
  const { deflateAsync } = await import("@gfx/zopfli");
  const wasm = readFileSync(join(scratch, `${part}.wasm`));
  // Each in a file of its own: both modules may get here at the same time.
  const program = part.startsWith("add-ons/") ? undefined : await compileUnpacker(join(scratch, `unpack-${part}.wasm`));
  const sorted = pack(wasm, program);
  const quickly = (/** @type {Uint8Array} */ form) => deflateRawSync(form, { level: 9 }).length;
  const form = quickly(sorted) <= quickly(wasm) ? sorted : wasm;
  const deflated = await deflateAsync(form, { numiterations: iterations(part), blocksplittingmax: 0 });
  return `export const bytes = "${Buffer.from(deflated).toString("base64")}";\n`;
}

/**
 * Checks that a page makes the module of the inline bytes; otherwise the build fails.
 *
 * @param {string} [part] @param {string} [file]
 */
async function checkBytes(part, file) {
  const load = (/** @type {string} */ name) => import(pathToFileURL(join(staging, name)).href);
  const [{ inflate }, { bytes }] = await Promise.all([load("core/unpack.js"), load(`glue/${file}.js`)]);
  if (Buffer.compare(Buffer.from(await inflate(bytes)), readFileSync(join(scratch, `${part}.wasm`))) === 0) return;
  throw new Failure(`${part}.wasm does not come back from its inline bytes: tools/wasm.mjs does not know all of its operations.`);
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
