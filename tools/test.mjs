// `npm test`: sets up what is missing and runs every test there is.
//
//   npm test                                  all suites
//   npm run test:web                          one of them: native, js, conformance, packaging, real, speed, web, e2e, examples
//   npm run test:servers                      every server of tests/servers, which `npm test` runs from recordings
//   npm run test:e2e -- --engine firefox      in one engine: chromium, firefox, webkit
//
// A part that cannot run is counted and named as skipped. With CI=true that is a failure, because a
// machine of ours has no reason to lack anything.

import "./node-version.mjs";
import { parseArgs } from "node:util";
import { closeDisplay } from "../tests/webdriver/display.mjs";
import { engineNames } from "../tests/webdriver/engines.mjs";
import { ensureBrowsers } from "./browsers.mjs";
import { build } from "./build.mjs";
import { Failure, main, seconds } from "./run.mjs";
import { ensureRust } from "./setup.mjs";
import { conformance } from "./suites/conformance.mjs";
import { e2e } from "./suites/e2e.mjs";
import { examples } from "./suites/examples.mjs";
import { js } from "./suites/js.mjs";
import { native } from "./suites/native.mjs";
import { packaging } from "./suites/packaging.mjs";
import { real } from "./suites/real.mjs";
import { absent } from "./suites/results.mjs";
import { servers } from "./suites/servers.mjs";
import { speed } from "./suites/speed.mjs";
import { web } from "./suites/web.mjs";

/** @typedef {import("./suites/results.mjs").Result} Result */
/** @typedef {import("./suites/results.mjs").Context} Context */
/**
 * `apart`: each engine is a piece of work of its own.
 *
 * @typedef {{ run(context: Context): AsyncGenerator<Result>, builds?: boolean, browsers?: boolean, apart?: boolean }} Suite
 */

/** Suites that run only when they are named. @type {Record<string, Suite>} */
const extra = { servers: { run: servers, builds: true } };

/** In this order: the tests that fail soonest come first. @type {Record<string, Suite>} */
const regular = {
  native: { run: native },
  js: { run: js, builds: true },
  conformance: { run: conformance, builds: true },
  packaging: { run: packaging, builds: true, browsers: true },
  e2e: { run: e2e, builds: true, browsers: true, apart: true },
  speed: { run: speed, builds: true },
  examples: { run: examples, builds: true, browsers: true },
  web: { run: web, browsers: true },
  real: { run: real, builds: true },
};

/** @type {Record<string, Suite>} */
const suites = { ...regular, ...extra };

const inCi = ["true", "1"].includes(process.env.CI ?? "");

await main(async () => {
  const { names, engines } = arguments_();
  await ensureRust();
  /** @type {Result[]} */
  const results = [];
  /** Prints each result with the time since the one before, from now on. */
  const clocked = () => {
    let start = Date.now();
    return (/** @type {Result} */ result) => {
      results.push(result);
      print(result, seconds(start));
      start = Date.now();
    };
  };
  const prepare = async () => {
    const note = clocked();
    const broken = await tryBuild();
    note(broken ? { name: "build", passed: 0, failed: 1, skipped: 0, tail: broken } : await size());
    return broken;
  };
  /** @param {"builds" | "browsers"} what */
  const needed = (what) => names.some((name) => suites[name]?.[what]);
  // Both take minutes on a new machine, so what needs neither has begun meanwhile.
  const found = needed("browsers") ? ensureBrowsers(engines) : Promise.resolve(new Map());
  const built = needed("builds") ? prepare() : Promise.resolve(undefined);
  const play = async (/** @type {Piece} */ { name, of }) => {
    const suite = /** @type {Suite} */ (suites[name]);
    const broken = suite.builds && (await built);
    const unusable = suite.browsers ? await found : new Map();
    const note = clocked();
    if (broken) return note(absent(name, "the package could not be built"));
    try {
      for await (const result of suite.run({ engines: of, unusable })) note(result);
    } catch (error) {
      note({ name, passed: 0, failed: 1, skipped: 0, tail: error instanceof Failure ? error.message : String(/** @type {Error} */ (error).stack) });
    }
  };
  // Two at a time: most of them wait for one program or one page.
  const left = pieces(names, engines);
  const lane = async () => {
    for (let piece = left.shift(); piece; piece = left.shift()) await play(piece);
  };
  await Promise.all([lane(), lane()]);
  await closeDisplay();
  summarize(results);
});

/**
 * The work, in pieces that may run beside each other.
 *
 * @typedef {{ name: string, of: Context["engines"] }} Piece
 * @param {string[]} names
 * @param {Context["engines"]} of  in which engines
 * @returns {Piece[]}
 */
function pieces(names, of) {
  return names.flatMap((name) => (suites[name]?.apart ? of.map((engine) => ({ name, of: [engine] })) : [{ name, of }]));
}

/** The build is part of what is tested: when it fails, what does not need it still runs. */
async function tryBuild() {
  try {
    await build();
  } catch (error) {
    if (error instanceof Failure) return error.message;
    throw error;
  }
}

/** @returns {Promise<Result>} whether the package keeps its limits */
async function size() {
  const { printSizes } = await import("./size.mjs");
  const tooLarge = await printSizes();
  const failed = tooLarge.length;
  return { name: "size of the package", passed: failed ? 0 : 1, failed, skipped: 0, tail: tooLarge.join("\n") };
}

/** @param {Result} result @param {string} time */
function print({ name, passed, failed, skipped, absent: missing, tail }, time) {
  const counts = [`${passed} passed`, failed && `${failed} failed`, skipped && `${skipped} skipped`].filter(Boolean).join(", ");
  console.log(`${failed > 0 ? "✗" : missing ? "-" : "✓"} ${name.padEnd(28)} ${counts}  ${missing ? "(see below)" : time}`);
  if (failed > 0 && tail) console.log(tail.replace(/^/gm, "    "));
}

/** @param {Result[]} results */
function summarize(results) {
  let [passed, failed, skipped] = [0, 0, 0];
  /** @type {string[]} */
  const skips = [];
  for (const result of results) {
    const demanded = inCi && result.absent !== undefined;
    passed += result.passed;
    failed += result.failed + (demanded ? result.skipped : 0);
    skipped += demanded ? 0 : result.skipped;
    if (result.absent) skips.push(`${result.name}: ${result.absent}${demanded ? " (a failure in CI)" : ""}`);
    for (const skip of result.skips ?? []) skips.push(`${result.name}: ${skip}`);
  }
  if (skips.length > 0) console.log(`\nNot run:\n${skips.map((skip) => `- ${skip}`).join("\n")}`);
  console.log(`\n${passed} passed, ${failed} failed, ${skipped} skipped`);
  if (failed > 0) process.exitCode = 1;
}

function arguments_() {
  let parsed;
  try {
    parsed = parseArgs({ allowPositionals: true, options: { engine: { type: "string", multiple: true } } });
  } catch (error) {
    throw new Failure(/** @type {Error} */ (error).message);
  }
  const names = parsed.positionals.length > 0 ? parsed.positionals : Object.keys(regular);
  const engines = engineNames.filter((name) => parsed.values.engine?.includes(name) ?? true);
  const unknown = [
    ...names.filter((name) => !(name in suites)),
    ...(parsed.values.engine ?? []).filter((name) => !engineNames.some((known) => known === name)),
  ];
  if (unknown.length > 0) {
    throw new Failure(`Unknown: ${unknown.join(", ")}. Suites: ${Object.keys(suites).join(", ")}; engines: ${engineNames.join(", ")}.`);
  }
  return { names, engines };
}
