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

/** An agent whose session tells of one operation after the other; `told` are the snapshots that its listeners were shown. */
function shown(notify, before) {
  const told = [before];
  let waiting = [];
  const session = {
    shows: () => true,
    takePatch: () => (waiting.length ? JSON.stringify(waiting.splice(0)) : undefined),
    explain: () => {},
    fail: (error) => assert.fail(error),
  };
  const client = { notify, read: () => told.at(-1), publish: (next) => told.push(next), checkpoint: () => {} };
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

for (const [what, make, few] of [["an object", member, 300], ["a list", element, 2200]]) {
  for (const notify of ["sync", "microtask"]) {
    it(`${notify}: ${what} that grows is copied for each event while it is small, and for each frame when it is large`, async () => {
      const { told, come } = shown(notify, { state: {}, steps: [] });
      const last = () => Object.keys(told.at(-1).state).length + told.at(-1).steps.length;
      for (let at = 0; at < 4000; at++) {
        come(make(at));
        await undefined;
        if (at < 200) assert.equal(last(), at + 1);
      }
      assert.ok(told.length <= few, `${told.length} notifications`);
      frames.shift()();
      assert.equal(last(), 4000);
      // One that is shown with a frame was late enough.
      come(make(4000));
      await undefined;
      assert.equal(last(), 4000);
      frames.shift()();
      assert.equal(last(), 4001);
    });
  }
}

it("sync: what else changes beside a large object is told of at once", () => {
  const state = Object.fromEntries(Array.from({ length: 4000 }, (_, at) => [`k${at}`, at]));
  const { told, come } = shown("sync", { state, status: "idle", steps: [] });
  come(["=", ["status"], "running"]);
  come(element(0));
  assert.deepEqual([told.length, told.at(-1).status, told.at(-1).steps.length], [3, "running", 1]);
});
