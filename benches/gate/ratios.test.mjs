// What the built package keeps on any machine: ratios of ways that take turns in one run. The limits are far from what
// is measured (docs/performance.md), so that another's work on the machine breaks none of them: they catch a cost that
// grows with the thread, or a path that is not the fast one any more.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { args, states, streams, threads } from "../node.mjs";

/** The median of the first figure that a row gives. @param {AsyncGenerator<import("../report.mjs").Line>} rows @param {string} work */
async function median(rows, work) {
  for await (const line of rows) if (line.work.includes(work)) return Number.parseFloat(line.ratio);
  throw new Error(`No row is about ${work}.`);
}

const scope = { full: false };

describe("the package", { concurrency: false }, () => {
  it("reads ten events a read faster than the least that JavaScript can do", async () => {
    const faster = await median(streams(scope), "10 a read");
    assert.ok(faster >= 2, `${faster} times as fast`);
  });

  it("takes no longer for a delta in a long thread", async () => {
    const slower = await median(threads(scope), "a delta in threads");
    assert.ok(slower <= 1.6, `${slower} times as long at 5,000 messages as at 5`);
  });

  it("takes no longer for a piece of long arguments", async () => {
    const slower = await median(args(scope), "parsed live");
    assert.ok(slower <= 1.6, `${slower} times as long at 1 MB as at 64 KB`);
  });

  it("takes no longer for a delta of a large state", async () => {
    const slower = await median(states(scope), "a state delta");
    assert.ok(slower <= 3, `${slower} times as long at 10,000 rows as at 100`);
  });
});
