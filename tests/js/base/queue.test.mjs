// A queue whose first element costs the same however many wait.
import assert from "node:assert/strict";
import { test } from "node:test";

const { createQueue } = await import("../../../pkg/base/queue.js");

test("what was pushed is taken in order", () => {
  const queue = createQueue();
  const taken = [];
  for (let at = 0; at < 1000; at++) {
    queue.push(at);
    if (at % 3 === 0) taken.push(queue.take());
  }
  assert.equal(queue.size, 1000 - taken.length);
  while (queue.size) taken.push(queue.take());
  assert.deepEqual(taken, [...Array(1000).keys()]);
  assert.equal(queue.take(), undefined);
  queue.push(1);
  queue.clear();
  assert.equal(queue.size, 0);
});
