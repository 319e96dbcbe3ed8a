import assert from "node:assert/strict";
import { afterEach, beforeEach, it, mock } from "node:test";
import { load } from "../lib.mjs";

const { createPatches } = await load("core/patches");

let frames;

beforeEach(() => {
  frames = [];
  globalThis.requestAnimationFrame = (callback) => frames.push(callback);
  globalThis.cancelAnimationFrame = () => {};
  mock.timers.enable({ apis: ["setTimeout"] });
});

afterEach(() => {
  delete globalThis.requestAnimationFrame;
  delete globalThis.cancelAnimationFrame;
  mock.timers.reset();
});

/** An agent whose session brings one operation after the other; `told` counts the snapshots that its listeners were shown. */
function shown(notify, before) {
  const told = { last: before, count: 1 };
  let waiting = [];
  const session = {
    shows: () => true,
    check: () => {},
    takePatch: () => (waiting.length ? JSON.stringify(waiting.splice(0)) : undefined),
    explain: () => {},
    fail: (error) => assert.fail(error),
  };
  const client = { options: { notify }, read: () => told.last, publish: (next) => ((told.last = next), told.count++), checkpoint: () => {} };
  const patches = createPatches(client, session);
  const come = (operation) => {
    const before = waiting.length;
    waiting.push(operation);
    // The core says once that there is something to show.
    if (!before) patches.schedule();
  };
  return { told, come };
}

const member = (at) => ["=", ["state", `k${at}`], at];
const element = (at) => ["=", ["steps", at], at];

for (const [what, make, few] of [["an object", member, 1100], ["a list", element, 8300]]) {
  for (const notify of ["sync", "microtask"]) {
    it(`${notify}: ${what} that grows is copied for each event while it is small, and for each frame when it is large`, async () => {
      const { told, come } = shown(notify, { state: {}, steps: [] });
      const last = () => Object.keys(told.last.state).length + told.last.steps.length;
      for (let at = 0; at < 10_000; at++) {
        come(make(at));
        await undefined;
        if (at < 1000) assert.equal(last(), at + 1);
      }
      assert.ok(told.count <= few, `${told.count} notifications`);
      frames.shift()();
      assert.equal(last(), 10_000);
      // One that is shown with a frame was late enough.
      come(make(10_000));
      await undefined;
      assert.equal(last(), 10_000);
      frames.shift()();
      assert.equal(last(), 10_001);
    });
  }
}

it("sync: what else changes beside a large object is reported at once", () => {
  const state = Object.fromEntries(Array.from({ length: 4000 }, (_, at) => [`k${at}`, at]));
  const { told, come } = shown("sync", { state, status: "idle", steps: [] });
  come(["=", ["status"], "running"]);
  come(element(0));
  assert.deepEqual([told.count, told.last.status, told.last.steps.length], [3, "running", 1]);
});
