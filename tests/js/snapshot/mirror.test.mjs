import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { load } from "../lib.mjs";

const { applyPatch, Patching } = await load("snapshot/mirror");
const { AgentError } = await load("api/error");

const apply = (root, ...operations) => applyPatch(root, JSON.stringify(operations));

/** Freezes deeply: whatever writes to a published snapshot throws. */
function frozen(value) {
  if (typeof value === "object" && value && !Object.isFrozen(value)) Object.values(Object.freeze(value)).forEach(frozen);
  return value;
}

const thread = (text = "a") =>
  frozen({
    messages: [
      { id: "1", content: text },
      { id: "2", content: "b" },
    ],
    state: { rows: [{ n: 0 }, { n: 1 }, { n: 2 }], other: { deep: true } },
    error: undefined,
  });

describe("=", () => {
  it("sets, and leaves everything beside the path as it was", () => {
    const before = thread();
    const after = apply(before, ["=", ["state", "rows", 1, "n"], 10]);
    assert.deepEqual(after.state.rows, [{ n: 0 }, { n: 10 }, { n: 2 }]);
    assert.equal(after.messages, before.messages);
    assert.equal(after.state.other, before.state.other);
    assert.equal(after.state.rows[0], before.state.rows[0]);
    assert.notEqual(after.state.rows, before.state.rows);
    assert.equal(before.state.rows[1].n, 1);
  });

  it("appends to a list at its length, and refuses to leave a gap", () => {
    assert.equal(apply(thread(), ["=", ["messages", 2], { id: "3" }]).messages.length, 3);
    assert.throws(() => apply(thread(), ["=", ["messages", 3], { id: "3" }]), /does not fit/);
  });

  it("copies each container once, however many operations go through it", () => {
    let copies = 0;
    const list = new Proxy([{ n: 0 }, { n: 1 }], {
      get: (target, key) => (key === "slice" ? () => (copies++, target.slice()) : Reflect.get(target, key)),
    });
    const after = apply({ list }, ["=", ["list", 0, "n"], 5], ["=", ["list", 1, "n"], 6], ["=", ["list", 0, "n"], 7]);
    assert.deepEqual(after.list, [{ n: 7 }, { n: 6 }]);
    assert.equal(copies, 1);
  });

  it("makes a real error at the root, and undefined of null", () => {
    const failed = apply(thread(), ["=", ["error"], { kind: "http", message: "no", retryable: true, status: 500 }]);
    assert.ok(AgentError.is(failed.error));
    assert.ok(failed.error instanceof Error);
    assert.equal(failed.error.status, 500);
    assert.ok(AgentError.is(apply(failed, ["~", ["error"], { kind: "run", message: "no" }]).error));
    assert.equal(apply(failed, ["=", ["error"], null]).error, undefined);
    assert.equal(apply(failed, ["=", ["state"], null]).state, null);
    const inside = apply(thread(), ["=", ["state", "error"], { kind: "http" }]);
    assert.deepEqual(inside.state.error, { kind: "http" });
  });
});

describe("~", () => {
  it("gives the old value back when nothing has changed", () => {
    const before = thread();
    const after = apply(before, ["~", ["state"], { other: { deep: true }, rows: [{ n: 0 }, { n: 1 }, { n: 2 }] }]);
    assert.equal(after.state, before.state);
  });

  it("keeps every equal part of what has changed", () => {
    const before = thread();
    const after = apply(before, ["~", ["state"], { rows: [{ n: 0 }, { n: 9 }, { n: 2 }, { n: 3 }], other: { deep: true } }]);
    assert.notEqual(after.state, before.state);
    assert.equal(after.state.other, before.state.other);
    assert.equal(after.state.rows[0], before.state.rows[0]);
    assert.equal(after.state.rows[2], before.state.rows[2]);
    assert.deepEqual(after.state.rows[1], { n: 9 });
  });

  it("tells lists, objects, null and missing members apart", () => {
    const before = frozen({ state: { a: [], b: {}, c: null, d: 1 } });
    const after = apply(before, ["~", ["state"], { a: {}, b: [], c: {}, d: "1" }]);
    assert.deepEqual(after.state, { a: {}, b: [], c: {}, d: "1" });
    assert.ok(Array.isArray(after.state.b));
    assert.deepEqual(apply(before, ["~", ["state"], { a: [] }]).state, { a: [] });
    assert.equal(apply(before, ["~", ["state"], { a: [] }]).state.a, before.state.a);
    assert.deepEqual(apply(frozen({ state: { a: 1 } }), ["~", ["state"], { toString: 1 }]).state, { toString: 1 });
  });
});

describe("+", () => {
  it("appends text, at several places at once", () => {
    const before = thread();
    const after = apply(before, ["+", ["messages", 0, "content"], "-x", ["messages", 1, "content"], ["state", "log"]]);
    assert.deepEqual(after.messages.map(({ content }) => content), ["a-x", "b-x"]);
    assert.equal(after.state.log, "-x");
    assert.equal(before.messages[0].content, "a");
  });

  it("joins the halves of a surrogate pair", () => {
    let at = apply(thread(""), ["+", ["messages", 0, "content"], "\ud83d"]);
    assert.equal(at.messages[0].content, "\ud83d");
    at = apply(at, ["+", ["messages", 0, "content"], "\ude42"]);
    assert.equal(at.messages[0].content, "🙂");
  });

  it("keeps the other messages", () => {
    const before = thread();
    const after = apply(before, ["+", ["messages", 1, "content"], "c"]);
    assert.equal(after.messages[0], before.messages[0]);
    assert.equal(after.state, before.state);
  });
});

describe("-", () => {
  it("deletes a member, and keeps the shape of the snapshot itself", () => {
    const before = thread();
    const after = apply(before, ["-", ["state", "other"]], ["-", ["error"]]);
    assert.deepEqual(Object.keys(after.state), ["rows"]);
    assert.ok("error" in after);
    assert.ok("other" in before.state);
  });
});

describe("o", () => {
  it("rebuilds a list out of old and new elements", () => {
    const before = thread();
    const after = apply(before, ["o", ["state", "rows"], [[2, 3], { n: 7 }, [0, 2]]]);
    assert.deepEqual(after.state.rows, [{ n: 2 }, { n: 7 }, { n: 0 }, { n: 1 }]);
    assert.equal(after.state.rows[0], before.state.rows[2]);
    assert.equal(after.state.rows[3], before.state.rows[1]);
    assert.equal(before.state.rows.length, 3);
  });

  it("can be followed by changes of what it has placed", () => {
    const before = thread();
    const after = apply(before, ["o", ["messages"], [[1, 2], [0, 1]]], ["+", ["messages", 0, "content"], "!"]);
    assert.deepEqual(after.messages.map(({ content }) => content), ["b!", "a"]);
    assert.equal(before.messages[1].content, "b");
  });
});

describe("p", () => {
  const patch = (state, ...operations) => apply(frozen({ state }), ["p", ["state"], operations]).state;

  for (const [name, state, operations, expected] of [
    ["add to an object", {}, [{ op: "add", path: "/a", value: 1 }], { a: 1 }],
    ["add over a member", { a: 1 }, [{ op: "add", path: "/a", value: [2] }], { a: [2] }],
    ["add in a list", [1, 3], [{ op: "add", path: "/1", value: 2 }], [1, 2, 3]],
    ["add at the end", [1], [{ op: "add", path: "/-", value: 2 }, { op: "add", path: "/2", value: 3 }], [1, 2, 3]],
    ["add in a list within", { a: [[]] }, [{ op: "add", path: "/a/0/-", value: 1 }], { a: [[1]] }],
    ["add the root", { a: 1 }, [{ op: "add", path: "", value: [1] }], [1]],
    ["replace", { a: { b: 1 } }, [{ op: "replace", path: "/a/b", value: null }], { a: { b: null } }],
    ["replace in a list", [1, 2], [{ op: "replace", path: "/1", value: 3 }], [1, 3]],
    ["replace the root", { a: 1 }, [{ op: "replace", path: "", value: 5 }], 5],
    ["remove", { a: 1, b: 2 }, [{ op: "remove", path: "/a" }], { b: 2 }],
    ["remove in a list", [1, 2, 3], [{ op: "remove", path: "/1" }], [1, 3]],
    ["remove the root", { a: 1 }, [{ op: "remove", path: "" }], null],
    ["move", { a: { x: 1 }, b: {} }, [{ op: "move", from: "/a/x", path: "/b/y" }], { a: {}, b: { y: 1 } }],
    ["move in a list", [1, 2, 3], [{ op: "move", from: "/0", path: "/2" }], [2, 3, 1]],
    ["move past the end of a list", [1, 2], [{ op: "move", from: "/0", path: "/2" }], [2, 1]],
    ["move onto itself", { a: 1 }, [{ op: "move", from: "/a", path: "/a" }], { a: 1 }],
    ["move to the root", { a: { b: 1 } }, [{ op: "move", from: "/a", path: "" }], { b: 1 }],
    ["copy", { a: [1] }, [{ op: "copy", from: "/a", path: "/b" }], { a: [1], b: [1] }],
    ["copy, then change one", { a: [1] }, [{ op: "copy", from: "/a", path: "/b" }, { op: "add", path: "/b/-", value: 2 }, {
      op: "add",
      path: "/a/0",
      value: 0,
    }], { a: [0, 1], b: [1, 2] }],
    [
      "change, copy, change",
      { a: [1] },
      [{ op: "add", path: "/a/-", value: 2 }, { op: "copy", from: "/a", path: "/b" }, { op: "add", path: "/a/-", value: 3 }],
      { a: [1, 2, 3], b: [1, 2] },
    ],
    ["copy into itself", { a: { x: 1 } }, [{ op: "copy", from: "/a", path: "/a/b" }], { a: { x: 1, b: { x: 1 } } }],
    ["copy from the root", { a: 1 }, [{ op: "copy", from: "", path: "/b" }], { a: 1, b: { a: 1 } }],
    ["test is passed over", { a: 1 }, [{ op: "test", path: "/a", value: 2 }], { a: 1 }],
    ["escapes", {}, [{ op: "add", path: "/a~1b~0c~01", value: 1 }], { "a/b~c~1": 1 }],
    ["an empty key", {}, [{ op: "add", path: "/", value: 1 }], { "": 1 }],
    ["later operations see earlier ones", {}, [{ op: "add", path: "/a", value: {} }, { op: "add", path: "/a/b", value: 1 }], { a: { b: 1 } }],
  ]) {
    it(name, () => assert.deepEqual(patch(state, ...operations), expected));
  }

  it("leaves the other rows of a long list identical", () => {
    const before = frozen({ state: { rows: Array.from({ length: 10_000 }, (_, n) => ({ n })) } });
    const after = apply(before, ["p", ["state"], [{ op: "replace", path: "/rows/5000/n", value: -1 }]]);
    const changed = after.state.rows.flatMap((row, i) => (row === before.state.rows[i] ? [] : [i]));
    assert.deepEqual(changed, [5000]);
  });
});

describe("what a patch costs", () => {
  /** How many elements are copied while a list of `n` gets `n` operations. @param {number} n @param {(at: number) => object} operation */
  const copied = (n, operation) => {
    const rows = Array.from({ length: n }, (_, id) => ({ id }));
    const root = frozen({ state: { rows, other: [...rows], small: { a: [1] } } });
    const slice = Array.prototype.slice;
    let count = 0;
    Array.prototype.slice = function (...range) {
      const copy = slice.apply(this, range);
      count += copy.length;
      return copy;
    };
    try {
      applyPatch(root, JSON.stringify([["p", ["state"], Array.from({ length: n }, (_, at) => operation(at))]]));
    } finally {
      Array.prototype.slice = slice;
    }
    return count;
  };

  for (const [name, operation] of [
    ["inserts in front", () => ({ op: "add", path: "/rows/0", value: {} })],
    ["inserts at the end", () => ({ op: "add", path: "/rows/-", value: {} })],
    ["removes in front", () => ({ op: "remove", path: "/rows/0" })],
    ["moves within a list", () => ({ op: "move", from: "/rows/0", path: "/rows/9" })],
    ["moves from list to list", () => ({ op: "move", from: "/rows/0", path: "/other/0" })],
    ["changes of elements", (at) => ({ op: "replace", path: `/rows/${at}/id`, value: "new" })],
    ["copies of something else", () => ({ op: "copy", from: "/small", path: "/rows/-" })],
    ["copies of elements", () => ({ op: "copy", from: "/rows/0", path: "/rows/-" })],
    ["copies of what was made", (at) => (at % 2 ? { op: "copy", from: "/small", path: `/x${at}` } : { op: "add", path: "/rows/-", value: [at] })],
  ]) {
    it(`copies a list once for many ${name}`, () => {
      const counts = [100, 200, 400, 800].map((n) => copied(n, operation));
      counts.forEach((count, at) => assert.ok(count <= 2 * (100 << at) + 10, `${counts}`));
    });
  }

  it("shares what was copied with nothing that changes later", () => {
    const steps = [
      { op: "add", path: "/a/b/-", value: 2 },
      { op: "copy", from: "/a", path: "/c" },
      { op: "add", path: "/a/b/-", value: 3 },
      { op: "add", path: "/c/b/-", value: 4 },
      { op: "copy", from: "/c/b", path: "/d" },
      { op: "add", path: "/c/b/0", value: 0 },
    ];
    const after = apply(frozen({ state: { a: { b: [1] } } }), ["p", ["state"], steps]);
    assert.deepEqual(after.state, { a: { b: [1, 2, 3] }, c: { b: [0, 1, 2, 4] }, d: [1, 2, 4] });
  });
});

describe("hostile keys", () => {
  const keys = ["__proto__", "constructor", "prototype", "toString", "hasOwnProperty", "valueOf"];

  it("are plain data for every operation", () => {
    for (const key of keys) {
      const root = frozen({ state: {}, error: undefined });
      let at = applyPatch(root, `[["=",["state","${key}"],{"x":{"polluted":1}}]]`);
      assert.deepEqual(Object.keys(at.state), [key]);
      assert.equal(Object.getPrototypeOf(at.state), Object.prototype);
      at = applyPatch(at, `[["=",["state","${key}","x","more"],"a"],["+",["state","${key}","x","more"],"b"]]`);
      const own = (value, name) => Object.getOwnPropertyDescriptor(value, name).value;
      assert.deepEqual(own(at.state, key).x, { polluted: 1, more: "ab" });
      at = applyPatch(at, `[["p",["state"],[{"op":"add","path":"/${key}/y","value":2},{"op":"copy","from":"/${key}","path":"/twin"}]]]`);
      assert.deepEqual(at.state.twin, own(at.state, key));
      const same = applyPatch(at, `[["~",["state"],${JSON.stringify(at.state)}]]`);
      assert.equal(same.state, at.state);
      at = applyPatch(at, `[["-",["state","${key}"]]]`);
      assert.deepEqual(Object.keys(at.state), ["twin"]);
    }
    assert.equal({}.polluted, undefined);
    assert.equal({}.x, undefined);
    assert.equal({}.y, undefined);
    assert.equal(Object.more, undefined);
  });

  it("never read a prototype", () => {
    const root = frozen({ state: {} });
    for (const key of keys) {
      assert.throws(() => applyPatch(root, `[["=",["state","${key}","polluted"],1]]`), /does not fit/);
    }
    assert.equal({}.polluted, undefined);
  });

  it("survive being copied", () => {
    let at = applyPatch({ state: {} }, `[["=",["state"],{"__proto__":{"a":1},"b":1}]]`);
    at = applyPatch(at, `[["=",["state","b"],2]]`);
    assert.deepEqual(Object.keys(at.state), ["__proto__", "b"]);
    assert.equal(at.state.a, undefined);
  });
});

describe("a patch", () => {
  it("that is empty changes nothing", () => {
    const before = thread();
    assert.equal(applyPatch(before, "[]"), before);
  });

  it("that does not fit throws and leaves the snapshot alone", () => {
    const before = thread();
    assert.throws(() => apply(before, ["=", ["state", "other", "x"], 1], ["=", ["nowhere", "at", "all"], 1]), /does not fit/);
    assert.equal(before.state.other.x, undefined);
    assert.throws(() => apply(before, ["?", ["state"], 1]), /does not fit/);
  });

  it("that copies what it has changed into itself makes a copy", () => {
    const steps = [{ op: "add", path: "/a/c", value: 1 }, { op: "copy", from: "/a", path: "/a/d" }, { op: "add", path: "/a/d/e", value: 2 }];
    const after = apply({ state: { a: { b: [1, 2] } } }, ["p", ["state"], steps]);
    assert.deepEqual(after.state, { a: { b: [1, 2], c: 1, d: { b: [1, 2], c: 1, e: 2 } } });
  });

  it("that copies an element to its own place has it twice", () => {
    const after = apply({ state: { list: [{ n: 1 }, 2] } }, ["p", ["state"], [{ op: "copy", from: "/list/0", path: "/list/0" }]]);
    assert.deepEqual(after.state, { list: [{ n: 1 }, { n: 1 }, 2] });
  });

  it("reads integers past 2^53 as JSON.parse does", () => {
    assert.equal(applyPatch({ state: 0 }, `[["=",["state"],9007199254740993]]`).state, JSON.parse("9007199254740993"));
  });
});

describe("checkpoints", () => {
  const patch = (count) => JSON.stringify(Array.from({ length: count }, (_, at) => [["=", ["steps", at], { at }], ["c", [], { at }]]).flat());

  it("are told with the snapshot as it was there", () => {
    const seen = [];
    const after = applyPatch(frozen({ steps: [], runId: "r" }), patch(3), (mark, then) => seen.push([mark, then().steps.length]));
    assert.deepEqual(seen, [0, 1, 2].map((at) => [{ at, runId: "r" }, at + 1]));
    assert.equal(after.steps.length, 3);
  });

  it("copy nothing until one is read", () => {
    let copied = 0;
    const slice = Array.prototype.slice;
    Array.prototype.slice = function (...args) {
      copied++;
      return slice.apply(this, args);
    };
    try {
      const marks = [];
      const before = frozen({ steps: [], runId: "r" });
      const after = applyPatch(before, patch(1000), (_, then) => marks.push(then));
      assert.equal(copied, 1);
      assert.equal(after.steps.length, 1000);
      assert.deepEqual([marks[999]().steps.length, marks[4]().steps.length], [1000, 5]);
      assert.equal(marks[4](), marks[4]());
    } finally {
      Array.prototype.slice = slice;
    }
  });

  it("copy no list for each of many additions in between", () => {
    const additions = Array.from({ length: 500 }, (_, at) => [["o", ["steps"], [[0, at], { at }]], ["c", [], { at }]]).flat();
    const { flatMap } = Array.prototype;
    let made = 0;
    Array.prototype.flatMap = function (...args) {
      made++;
      return flatMap.apply(this, args);
    };
    try {
      const marks = [];
      const after = applyPatch(frozen({ steps: [], runId: "r" }), JSON.stringify(additions), (_, then) => marks.push(then));
      assert.equal(made, 1);
      assert.deepEqual([after.steps.length, marks[7]().steps.length], [500, 8]);
    } finally {
      Array.prototype.flatMap = flatMap;
    }
  });

  it("stay as they were, with the parts that the snapshot has, whatever comes after them", () => {
    const root = frozen({ runId: "r", state: { a: { n: 1 }, b: [{ x: 1 }] }, text: "t" });
    const marks = [];
    const operations = [
      ["=", ["state", "a", "n"], 2],
      // Equal to what the operation before has made.
      ["~", ["state", "a"], { n: 2 }],
      ["~", ["state"], { a: { n: 2 }, b: [{ x: 1 }], more: {} }],
      ["c", [], { kind: "one" }],
      ["=", ["state", "a", "n"], 3],
      ["p", ["state"], [{ op: "add", path: "/b/-", value: [1] }, { op: "copy", from: "/b", path: "/more/b" }]],
      ["c", [], { kind: "two" }],
      ["p", ["state"], [{ op: "add", path: "/more/b/1/-", value: 2 }, { op: "add", path: "/b/2", value: 5 }]],
      ["+", ["text"], "!"],
    ];
    const after = applyPatch(root, JSON.stringify(operations), (_, then) => marks.push(then));
    const expected = {
      after: { runId: "r", state: { a: { n: 3 }, b: [{ x: 1 }, [1], 5], more: { b: [{ x: 1 }, [1, 2]] } }, text: "t!" },
      two: { runId: "r", state: { a: { n: 3 }, b: [{ x: 1 }, [1]], more: { b: [{ x: 1 }, [1]] } }, text: "t" },
      one: { runId: "r", state: { a: { n: 2 }, b: [{ x: 1 }], more: {} }, text: "t" },
    };
    assert.deepEqual({ after, two: marks[1](), one: marks[0]() }, expected);
    assert.equal(marks[0]().state.b, root.state.b);
    assert.deepEqual(after, expected.after);
  });
});

describe("a patch that comes in parts", () => {
  /** As src/wire/cutter.rs cuts `[["=",["a"],[1,2,3,{"__proto__":[4],"x":{"y":[5,6]}}]],["=",["b"],7],["+",["t"],"!"]]`. */
  const parts = [
    { steps: [[[["=", ["a"], [1, 2]]], 0]], path: [null, null] },
    { steps: [[[3, JSON.parse('{"__proto__":[4],"x":{"y":[5]}}')], 0]], path: [null, "x", "y"] },
    { steps: [[[6], 1], [{}, 1], [{}, 1], [[], 1], [[], 1], [[["=", ["b"], 7]], 0]], path: [] },
    { steps: [[[["+", ["t"], "!"]], 1]], path: [] },
  ];
  const before = frozen({ a: 0, b: 0, t: "t" });

  it("is applied operation by operation, and shown as a whole", () => {
    const patching = new Patching(before);
    const applied = parts.map((part) => {
      patching.take(JSON.stringify(part));
      let steps = 0;
      while (patching.step()) steps++;
      return [steps, patching.whole];
    });
    assert.deepEqual(applied, [[0, false], [0, false], [1, false], [2, true]]);
    assert.deepEqual(patching.snapshot, { a: [1, 2, 3, JSON.parse('{"__proto__":[4],"x":{"y":[5,6]}}')], b: 7, t: "t!" });
    assert.deepEqual(before, { a: 0, b: 0, t: "t" });
  });
});
