import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it, mock } from "node:test";
import { load } from "../lib.mjs";

const { createScheduler } = await load("snapshot/notify");

let frames;

beforeEach(() => {
  mock.timers.enable({ apis: ["setTimeout", "Date"] });
  frames = new Map();
  globalThis.requestAnimationFrame = (callback) => (frames.set(frames.size + 1, callback), frames.size);
  globalThis.cancelAnimationFrame = (id) => frames.delete(id);
});

afterEach(() => {
  mock.timers.reset();
  delete globalThis.requestAnimationFrame;
  delete globalThis.cancelAnimationFrame;
  delete globalThis.document;
});

function frame() {
  const [first] = frames;
  frames.delete(first[0]);
  first[1]();
}

describe("frame", () => {
  it("publishes once a frame", () => {
    const publish = mock.fn();
    const { schedule } = createScheduler(undefined, publish);
    schedule();
    schedule();
    assert.equal(frames.size, 1);
    frame();
    assert.equal(publish.mock.callCount(), 1);
    schedule();
    frame();
    assert.equal(publish.mock.callCount(), 2);
    mock.timers.tick(10_000);
    assert.equal(publish.mock.callCount(), 2);
  });

  it("takes a timer while the page is hidden", () => {
    globalThis.document = { hidden: true };
    const publish = mock.fn();
    createScheduler("frame", publish).schedule();
    assert.equal(frames.size, 0);
    mock.timers.tick(1000);
    assert.equal(publish.mock.callCount(), 1);
  });

  it("does not wait for ever for a frame of a page that gets hidden", () => {
    const publish = mock.fn();
    createScheduler("frame", publish).schedule();
    mock.timers.tick(1000);
    assert.equal(publish.mock.callCount(), 1);
    assert.equal(frames.size, 0);
  });

  it("takes a timer where there are no frames", () => {
    delete globalThis.requestAnimationFrame;
    const publish = mock.fn();
    createScheduler("frame", publish).schedule();
    mock.timers.tick(16);
    assert.equal(publish.mock.callCount(), 1);
  });
});

describe("microtask", () => {
  it("publishes once the stack is empty", async () => {
    const publish = mock.fn();
    const { schedule } = createScheduler("microtask", publish);
    schedule();
    schedule();
    assert.equal(publish.mock.callCount(), 0);
    await null;
    assert.equal(publish.mock.callCount(), 1);
  });
});

describe("sync", () => {
  it("publishes every time", () => {
    const publish = mock.fn();
    const { schedule } = createScheduler("sync", publish);
    schedule();
    schedule();
    assert.equal(publish.mock.callCount(), 2);
  });
});

describe("throttleMs", () => {
  it("publishes soon after a pause, then at most once in that time", () => {
    const publish = mock.fn();
    const { schedule } = createScheduler({ throttleMs: 100 }, publish);
    schedule();
    mock.timers.tick(1);
    assert.equal(publish.mock.callCount(), 1);
    for (let ms = 0; ms < 300; ms += 10) {
      schedule();
      mock.timers.tick(10);
    }
    assert.equal(publish.mock.callCount(), 4);
  });

  it("survives a clock that is put back", () => {
    const publish = mock.fn();
    const { schedule } = createScheduler({ throttleMs: 100 }, publish);
    mock.timers.setTime(1_000_000);
    schedule();
    mock.timers.tick(1);
    mock.timers.setTime(0);
    schedule();
    mock.timers.tick(100);
    assert.equal(publish.mock.callCount(), 2);
  });
});

for (const notify of ["frame", "microtask", { throttleMs: 50 }]) {
  it(`${JSON.stringify(notify)}: what was published in the meantime is not published again`, async () => {
    const publish = mock.fn();
    const { schedule, clear } = createScheduler(notify, publish);
    schedule();
    clear();
    await null;
    mock.timers.tick(10_000);
    assert.equal(frames.size, 0);
    assert.equal(publish.mock.callCount(), 0);
    schedule();
    await null;
    mock.timers.tick(10_000);
    assert.equal(publish.mock.callCount(), 1);
  });
}
