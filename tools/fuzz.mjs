// `npm run fuzz`: plays the targets of fuzz/ under libFuzzer, with the nightly Rust and the cargo-fuzz that are pinned here.
//
//   npm run fuzz                                         every target, a minute each
//   npm run fuzz -- --seconds 600 --target sse           one of them, ten minutes; --target may come several times
//   npm run fuzz -- --bytes 1e9                          until each has read so many bytes, in inputs of up to 64 KiB
//   npm run fuzz -- --sanitizer none                     without AddressSanitizer, about twice as fast
//   npm run fuzz -- --minimize                           keeps in fuzz/corpus the smallest inputs that reach what all have reached
//
// Runs libFuzzer. Its corpus is kept in .tools/fuzz; an input that fails is in fuzz/artifacts.

import "./node-version.mjs";
import { copyFileSync, existsSync, mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { targets, writeSeeds } from "./fuzz-seeds.mjs";
import { at, toolsFolder } from "./paths.mjs";
import { attempt, Failure, main, probe, run, step } from "./run.mjs";
import { cargoFuzzVersion, fuzzToolchain } from "./versions.mjs";

/** Of one target in fuzz/corpus, in bytes. */
const KEPT = 30_000;
/** Of one input, where bytes are counted. */
const LONG = 65_536;
const cargoFuzz = join(toolsFolder, "cargo-fuzz/bin/cargo-fuzz");
const env = { RUSTUP_TOOLCHAIN: fuzzToolchain, ASAN_OPTIONS: "detect_leaks=0" };

await main(async () => {
  const { seconds, bytes, sanitizer, names, minimize } = arguments_();
  await ensureFuzzer();
  await step(`Compiling ${names.length} fuzz targets`, () => run(cargoFuzz, ["fuzz", "build", "-s", sanitizer], { log: "fuzz-build", env }));
  let failed = false;
  for (const name of names) {
    const found = join(toolsFolder, "fuzz", name);
    const long = `${found}-long`;
    if (bytes) writeSeeds(name, long, LONG);
    else writeSeeds(name, found);
    if (minimize) {
      await keepSmallest(name, found, sanitizer);
      continue;
    }
    const total = { bytes: 0, runs: 0, seconds: 0, ok: true, tail: "" };
    do {
      const flags = bytes ? [`-max_len=${LONG}`, "-len_control=0"] : ["-max_len=16384"];
      const start = Date.now();
      const args = [`-max_total_time=${seconds}`, "-timeout=30", "-rss_limit_mb=4096", `-dict=${at("fuzz/ag-ui.dict")}`, "-print_final_stats=0", ...flags];
      const { ok, output, tail } = await attempt(cargoFuzz, [
        "fuzz",
        "run",
        "-s",
        sanitizer,
        name,
        ...(bytes ? [long] : [found, at("fuzz/corpus", name)]),
        "--",
        ...args,
      ], { log: `fuzz-${name}`, env });
      const [, more, runs] = output.match(/^fuzzed: (\d+) bytes in (\d+) runs$/m) ?? [];
      total.bytes += Number(more ?? 0);
      total.runs += Number(runs ?? 0);
      total.seconds += (Date.now() - start) / 1000;
      Object.assign(total, { ok, tail });
    } while (total.ok && total.bytes < bytes);
    const numbers = `${total.bytes.toLocaleString("en")} bytes in ${total.runs.toLocaleString("en")} inputs, ${total.seconds.toFixed(0)} s`;
    console.log(`${total.ok ? "✓" : "✗"} ${name.padEnd(12)} ${numbers}`);
    if (!total.ok) console.log(total.tail.replace(/^/gm, "    "));
    failed ||= !total.ok;
  }
  if (failed) throw new Failure("A target has failed: its input is in fuzz/artifacts.");
});

/** The nightly Rust that libFuzzer's instrumentation needs, and cargo-fuzz. */
async function ensureFuzzer() {
  if (!probe("rustup", "--version")) throw new Failure("Fuzzing needs rustup, which installs a nightly Rust beside yours: https://rustup.rs");
  if (!probe("rustc", `+${fuzzToolchain}`, "--version")) {
    const install = ["toolchain", "install", fuzzToolchain, "--profile", "minimal"];
    await step(`Installing ${fuzzToolchain}`, () => run("rustup", install, { log: "setup-fuzz-rust" }));
  }
  if (!probe(cargoFuzz, "fuzz", "--version")?.includes(cargoFuzzVersion)) {
    const install = ["install", "cargo-fuzz", "--version", cargoFuzzVersion, "--locked", "--force", "--root", join(toolsFolder, "cargo-fuzz")];
    await step("Compiling cargo-fuzz (once, one or two minutes)", () => run("cargo", install, { log: "setup-cargo-fuzz" }));
  }
}

/**
 * The smallest inputs that together reach what all inputs reach, as many as there is room for.
 *
 * @param {string} name @param {string} found @param {string} sanitizer
 */
async function keepSmallest(name, found, sanitizer) {
  const merged = `${found}-merged`;
  rmSync(merged, { recursive: true, force: true });
  mkdirSync(merged, { recursive: true });
  const kept = at("fuzz/corpus", name);
  mkdirSync(kept, { recursive: true });
  const args = ["-set_cover_merge=1", "-max_len=3000", "-timeout=30", "-rss_limit_mb=4096"];
  await step(
    `Minimizing ${name}`,
    () => run(cargoFuzz, ["fuzz", "run", "-s", sanitizer, name, merged, found, kept, "--", ...args], { log: `fuzz-minimize-${name}`, env }),
  );
  rmSync(kept, { recursive: true });
  mkdirSync(kept, { recursive: true });
  const size = (/** @type {string} */ file) => statSync(join(merged, file)).size;
  const inputs = readdirSync(merged).sort((a, b) => size(a) - size(b) || (a < b ? -1 : 1));
  // Where there is no room for all of them: small ones and large ones alike.
  const share = Math.min(1, KEPT / inputs.reduce((sum, file) => sum + size(file), 0));
  for (const [i, file] of inputs.entries()) {
    if (Math.floor((i + 1) * share) === Math.floor(i * share)) continue;
    // Names of 40 digits say nothing more.
    copyFileSync(join(merged, file), join(kept, file.slice(0, 16)));
  }
}

function arguments_() {
  let values;
  try {
    ({ values } = parseArgs({
      options: {
        seconds: { type: "string", default: "60" },
        bytes: { type: "string", default: "0" },
        sanitizer: { type: "string", default: "address" },
        target: { type: "string", multiple: true },
        minimize: { type: "boolean", default: false },
      },
    }));
  } catch (error) {
    throw new Failure(/** @type {Error} */ (error).message);
  }
  const names = values.target ?? targets;
  const unknown = names.filter((name) => !existsSync(at("fuzz/fuzz_targets", `${name}.rs`)));
  if (unknown.length > 0) throw new Failure(`Unknown: ${unknown.join(", ")}. Targets: ${targets.join(", ")}.`);
  const [seconds, bytes] = [Number(values.seconds), Number(values.bytes)];
  if (!(seconds > 0) || !(bytes >= 0)) throw new Failure("--seconds and --bytes expect numbers.");
  return { seconds, bytes, sanitizer: values.sanitizer, names, minimize: values.minimize };
}
