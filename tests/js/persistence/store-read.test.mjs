// An agent's questions to its store, and when the answer counts.

import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it, mock } from "node:test";
import { deferred, load } from "../lib.mjs";
import { turn } from "./over-stores.mjs";

const { createStoreRead } = await load("persistence/store-read");
const { isPromise } = await load("base/promise");

describe("a question to a store", () => {
  let heard;
  const answers = Object.fromEntries(
    ["now", "waits", "found", "refused", "late", "arrived", "lost"].map((name) => [name, (...given) => heard.push([name, ...given])]),
  );
  beforeEach(() => {
    heard = [];
    mock.timers.enable({ apis: ["setTimeout"] });
  });
  afterEach(() => mock.timers.reset());

  it("is answered at once, or refused", () => {
    const question = createStoreRead({ isPromise });
    question.ask(() => 1, 500, answers);
    question.ask(
      () => {
        throw "no";
      },
      500,
      answers,
    );
    mock.timers.tick(500);
    assert.deepEqual(heard, [["now", 1], ["refused", "no"]]);
  });

  it("is open until the answer comes, or is late; what comes after that has arrived or is lost", async () => {
    for (const [settle, after] of [["resolve", "arrived"], ["reject", "lost"]]) {
      heard = [];
      const question = createStoreRead({ isPromise });
      const answer = deferred();
      question.ask(() => answer.promise, 500, answers);
      assert.ok(question.open);
      mock.timers.tick(500);
      assert.ok(!question.open);
      answer[settle]("x");
      await turn();
      assert.deepEqual(heard.map(([name]) => name), ["waits", "late", after]);
    }
  });

  it("counts no more once the next one is asked", async () => {
    const question = createStoreRead({ isPromise });
    const [first, second, third] = [deferred(), deferred(), deferred()];
    for (const { promise } of [first, second, third]) question.ask(() => promise, Infinity, answers);
    heard = [];
    first.resolve(1);
    second.reject(new Error("2"));
    await turn();
    assert.deepEqual(heard, []);
  });

  it("is too late after the end, which hears that it has come", async () => {
    const question = createStoreRead({ isPromise });
    const answer = deferred();
    question.ask(() => answer.promise, 500, answers);
    question.end(() => heard.push(["ended"]));
    mock.timers.tick(500);
    answer.resolve(1);
    await turn();
    assert.deepEqual(heard, [["waits"], ["arrived", 1], ["ended"]]);
  });
});
