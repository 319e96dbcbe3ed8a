import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { deferred, load } from "../lib.mjs";

const [{ SessionExchange }, { Driver }] = await Promise.all(["core/exchange", "core/driver"].map(load));

/** Reads a stream into a core that notes what it is given; `took` answers whether more is wanted. */
function read(stream, { took = () => true, end = () => {} } = {}) {
  const memory = new WebAssembly.Memory({ initial: 1 });
  const over = deferred();
  const log = { text: "", reads: [], rooms: 0 };
  const page = 65536;
  const core = {
    // After everything that was there before, as a module that has grown.
    room(bytes) {
      log.rooms++;
      const at = memory.buffer.byteLength;
      memory.grow(Math.ceil(bytes / page));
      return new Uint8Array(memory.buffer, at, bytes);
    },
    read(_, length, now) {
      const from = memory.buffer.byteLength - page * Math.ceil(Math.max(length, 1) / page);
      log.text += new TextDecoder().decode(new Uint8Array(memory.buffer, from, length));
      log.reads.push([length, now]);
      const wanted = took(length, memory);
      if (!wanted) exchange.close();
      return wanted === 2 ? 1 : 0;
    },
    end() {
      log.end = true;
      end();
    },
    init: () => ({}),
    head() {},
    fail() {},
    effect() {},
  };
  const host = {
    task: { until: Infinity },
    request: () => ({ url: "/agent", fetch: async () => new Response(stream) }),
    head() {},
    failed: (error) => void (log.failure = error),
    lost: (trap) => over.resolve({ ...log, trap }),
  };
  const exchange = new SessionExchange(Object.assign(new Driver(core, host), { closed: () => over.resolve(log) }), 1);
  void exchange.send();
  return over.promise;
}

const bytes = (text) => new TextEncoder().encode(text);
const streamOf = (...chunks) =>
  new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk);
      controller.close();
    },
  });

describe("reading a body", () => {
  it("gives every read with the time, and closes the request at the end", async () => {
    const { text, reads, rooms, end } = await read(streamOf(bytes("a"), bytes(""), bytes("bcd")));
    assert.equal(text, "abcd");
    assert.deepEqual(reads.map(([length]) => length), [1, 0, 3]);
    for (const [, now] of reads) assert.ok(Math.abs(now - Date.now()) < 60_000, `${now} is a time since 1970`);
    assert.deepEqual({ rooms, end }, { rooms: 1, end: true });
  });

  it("asks for room again when the module's memory has grown", async () => {
    const grow = (_, memory) => memory.grow(0) >= 0;
    const { text, rooms } = await read(streamOf(bytes("a"), bytes("b"), bytes("c")), { took: grow });
    assert.equal(text, "abc");
    assert.equal(rooms, 3);
    const { text: also, trap } = await read(streamOf(bytes("a"), bytes(""), bytes("b")), { took: grow });
    assert.deepEqual([also, trap], ["ab", undefined], "an empty read is nothing special");
  });

  it("takes each step of a long event in a turn of its own, and what came after it then", async (test) => {
    // On a machine that is busy a piece takes long, and the next one is smaller.
    test.mock.method(performance, "now", () => 1000);
    const [turns, answers] = [[], [1, 2, 2, 1]];
    let turn = 0;
    const count = () => void setImmediate(() => ++turn < 50 && count());
    count();
    const took = () => {
      turns.push(turn);
      return answers.shift() ?? 1;
    };
    const { text, reads } = await read(streamOf(bytes("a".repeat(40_000)), bytes("b")), { took });
    assert.deepEqual(reads.map(([length]) => length), [32_768, 7_232, 0, 0, 1]);
    assert.equal(text, `${"a".repeat(40_000)}b`);
    assert.ok(turns[2] < turns[3] || turns[1] < turns[2], `in turns ${turns}`);
  });

  it("leaves the page its turn where small reads take long", async () => {
    let count = 0;
    const took = () => {
      count++;
      for (const end = performance.now() + 3; performance.now() < end;);
      return true;
    };
    const seen = new Promise((turned) => setImmediate(() => turned(count)));
    await read(streamOf(...Array.from({ length: 12 }, () => bytes("a"))), { took });
    assert.equal(count, 12);
    assert.ok((await seen) < 12, "the page had no turn before the end");
  });

  it("gives a long chunk in pieces", async () => {
    const long = "0123456789".repeat(10_000);
    const { text, reads } = await read(streamOf(bytes(long)));
    assert.equal(text, long);
    assert.ok(reads.length > 1 && reads.every(([length]) => length <= 32 * 1024));
  });

  it("gives smaller pieces of what takes long, and looks at the clock after each", async (t) => {
    let now = 1000;
    t.mock.method(performance, "now", () => now);
    let turns = 0;
    const turn = t.mock.method(MessagePort.prototype, "postMessage");
    const lengths = [];
    const msPerByte = 20 / (32 * 1024);
    const took = (length) => {
      lengths.push(length);
      // The second half is as fast as anything.
      if (lengths.reduce((sum, one) => sum + one, 0) <= 500_000) now += length * msPerByte;
      turns = turn.mock.callCount();
      return true;
    };
    const long = "0123456789".repeat(100_000);
    const { text } = await read(streamOf(bytes(long)), { took });
    assert.equal(text, long);
    const slow = lengths.slice(5, 100);
    assert.ok(slow.every((length) => length * msPerByte <= 4), `${slow}`);
    assert.ok(turns > 500_000 * msPerByte / 12, `${turns} turns`);
    assert.ok(lengths.filter((length) => length === 32 * 1024).length > 10, "it is fast again");
  });

  it("stops where nothing more is wanted", async () => {
    const { text, end } = await read(streamOf(bytes("a"), bytes("b")), { took: () => false });
    assert.deepEqual({ text, end }, { text: "a", end: undefined });
  });

  it("tells of a stream that breaks", async () => {
    const broken = new ReadableStream({ pull: (controller) => controller.error(new TypeError("gone")) });
    const { failure } = await read(broken);
    assert.equal(failure.message, "gone");
  });

  it("tells what the core throws, wherever it does", async () => {
    const trap = new WebAssembly.RuntimeError("unreachable");
    const fail = () => {
      throw trap;
    };
    assert.equal((await read(streamOf(bytes("a")), { took: fail })).trap, trap);
    assert.equal((await read(streamOf(bytes("a")), { end: fail })).trap, trap);
  });
});
