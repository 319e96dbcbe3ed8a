// The page's half of tests/growth/main.rs: what goes to the page costs it in proportion to what came. Each row of that table is
// played to the mirror, with every checkpoint and a listener that reads: a patch after each event with `notify: "sync"`, and one
// patch at the end. Counted are the blocks of our modules that run; and for one patch the bytes that JavaScript allocates. A listener
// that reads after each event gets copies of what changes: js/snapshot/mirror.ts bounds them (tests/js/core/patches.test.mjs).
//
// `ROW=name node --test tests/growth/mirror.test.mjs` prints the table, of the rows whose names contain it.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { Session } from "node:inspector/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { it } from "node:test";
import { fileURLToPath } from "node:url";
import { getHeapSpaceStatistics } from "node:v8";
import { attempt } from "../../tools/run.mjs";

const here = fileURLToPath(import.meta.url);

/** The most that the longest may cost, as a multiple of the shortest, which is an eighth as long; and of the one half as long. */
const ratio = 12;
const lastRatio = 2.6;

/** Costs that are ignored. */
const small = { bytes: 60_000, blocks: 5000 };

/** Events between two frames. */
const eventsOfFrame = 100;

// The same file counts, in a process of its own: its heap is so large that nothing is collected.
if (process.argv[2] === "count") process.stdout.write(JSON.stringify(await count(/** @type {string} */ (process.argv[3]))));
else {
  it("what goes to the page grows with what comes, and so does what it costs there", async () => {
    const folder = mkdtempSync(join(tmpdir(), "growth-"));
    try {
      const args = ["test", "--locked", "--test", "growth", "--", "--ignored", "--exact", "what_goes_to_the_page"];
      const { ok, tail } = await attempt("cargo", args, { log: "growth-page", env: { GROWTH_PAGE: folder } });
      assert.ok(ok, tail);
      const flags = ["--expose-gc", "--min-semi-space-size=256", "--max-semi-space-size=256", "--no-opt", "--no-sparkplug"];
      const { status, stdout, stderr } = spawnSync("node", [...flags, here, "count", folder], { encoding: "utf8", maxBuffer: 1e8 });
      assert.equal(status, 0, stderr);
      const rows = JSON.parse(stdout);
      assert.ok(rows.length > 0);
      assert.deepEqual(tooFast(rows), []);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
}

/** The rows that grow faster than their input. @param {{ name: string, counts: Record<string, number>[] }[]} rows */
function tooFast(rows) {
  const found = [];
  for (const { name, counts } of rows) {
    for (const what of Object.keys(counts[0] ?? {})) {
      const spare = small[/** @type {keyof small} */ (what)];
      const all = counts.map((one) => /** @type {number} */ (one[what]));
      const [first, , half, last] = /** @type {[number, number, number, number]} */ (all.map((one) => one + spare));
      const line = `${name}: ${what} ${all.join(", ")}  ×${(last / first).toFixed(1)}, the last ×${(last / half).toFixed(2)}`;
      if (process.env.ROW) console.log(line);
      if (last / first > ratio || last / half > lastRatio) found.push(line);
    }
  }
  return found;
}

/** The bytes of young objects. An old one may come with a whole page of 256 kB that others share. */
function young() {
  const spaces = getHeapSpaceStatistics().filter(({ space_name }) => space_name.startsWith("new_"));
  return spaces.reduce((sum, { space_used_size }) => sum + space_used_size, 0);
}

/** The rows of a folder, each in four lengths. @param {string} folder */
async function count(folder) {
  const page = await import("./page.mjs");
  const inspector = new Session();
  inspector.connect();
  await inspector.post("Profiler.enable");
  await inspector.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });
  /** How many blocks have run since this was asked last. */
  const blocks = async () => {
    const { result } = await inspector.post("Profiler.takePreciseCoverage");
    const ours = result.filter(({ url }) => page.modules.includes(url));
    return ours.flatMap(({ functions }) => functions.flatMap(({ ranges }) => ranges)).reduce((sum, range) => sum + range.count, 0);
  };
  const rows = new Map();
  for (const file of readdirSync(folder).sort()) {
    const [name, shown, ...patches] = readFileSync(join(folder, file), "utf8").split("\n");
    if (!name.includes(process.env.ROW ?? "")) continue;
    if (!rows.has(name)) rows.set(name, { name, counts: [] });
    const play = page.play(shown, patches, eventsOfFrame);
    /** @type {any} */ (globalThis).gc();
    await blocks();
    const before = young();
    play();
    const bytes = young() - before;
    rows.get(name).counts.push({ ...(patches.length === 1 && { bytes }), blocks: await blocks() });
  }
  return [...rows.values()];
}
