// Reads the body of an answer into the core, in slices that leave the page its turn.
//
//   read() ──► chunk ──► piece ──► piece ──► … ──► read()
//                 ▲        │ the slice is used up: the rest waits
//                 └─ turn ◄┘
//
// The loop is JavaScript's because every chunk passes it: from here it is one call into WebAssembly, from there ten out.

import type { Body } from "../glue/core.js";

/** How long is worked before the page has its turn: half of a frame. */
export const sliceMs = 8;
// Nothing came for so long: the page has had its turn. Chunks that are there already come without one in between.
const pauseMs = 2;
// The bytes that are read between two looks at the clock: a fraction of a millisecond of an agent's events. After a piece
// that took longer it is less, for small events may take long where the state is large; it doubles as long as pieces are
// fast.
const pieceBytes = 32 * 1024;
const leastBytes = 128;
const slowMs = sliceMs / 4;
// Room for small reads of any length.
const roomBytes = 1024;
// The core's answer while it has more work with its input.
const steps = 2;
const nothing = new Uint8Array();

/**
 * Reads to the end, or until nothing more is wanted. Calls `lost` with what the core throws, which is a trap. While the core
 * has its turn, `task.until` is the end of the slice.
 */
export function readBody(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  body: Body,
  memory: WebAssembly.Memory,
  lost: (trap: unknown) => void,
  task = { until: Infinity },
): void {
  const { performance } = globalThis;
  const take = createInput(body, memory, task);
  let [began, last] = [0, -Infinity];
  let size = pieceBytes;

  const next = (): void => {
    try {
      void reader.read().then(come, fail);
    } catch (error) {
      fail(error);
    }
  };
  const fail = (error: unknown): void => close(() => body.fail(error));

  const come = ({ done, value }: ReadableStreamReadResult<Uint8Array>): void => {
    if (done) return close(() => body.end());
    if (!ArrayBuffer.isView(value)) return fail(new TypeError("the body of the response is not made of bytes"));
    const now = performance.now();
    if (now - last > pauseMs) began = now;
    last = now;
    give(value);
  };

  const give = (chunk: Uint8Array): void => {
    try {
      for (let rest = chunk;;) {
        const bytes = size;
        const whole = rest.length <= bytes;
        // A view costs a small read more than its copy does.
        const wanted = take(whole ? rest : rest.subarray(0, bytes), last);
        if (!wanted) return body.free();
        if (wanted === steps) return goOn(whole ? undefined : rest.subarray(bytes));
        const now = performance.now();
        size = now - last > slowMs ? leastBytes : Math.min(size * 2, pieceBytes);
        // A small piece may take long as well: who listens is called from inside.
        last = now;
        if (!whole) rest = rest.subarray(bytes);
        if (last - began > sliceMs) return whole ? wait(next) : giveLater(rest);
        if (whole) return next();
      }
    } catch (error) {
      trapped(error);
    }
  };

  // A long event is read in steps, each a task of its own: the last one may take as long as all before it.
  const goOn = (rest: Uint8Array | undefined): void =>
    wait(() => {
      try {
        const wanted = take(nothing, last);
        if (!wanted) body.free();
        else if (wanted === steps) goOn(rest);
        else wait(rest ? () => give(rest) : next);
      } catch (error) {
        trapped(error);
      }
    });

  // A closure in the loop would cost every read.
  const giveLater = (rest: Uint8Array): void => wait(() => give(rest));

  const wait = (resume: () => void): void =>
    turn(() => {
      began = last = performance.now();
      resume();
    });

  const close = (report: () => void): void => {
    task.until = performance.now() + sliceMs;
    try {
      report();
      body.free();
      task.until = Infinity;
    } catch (error) {
      trapped(error);
    }
  };

  const trapped = (error: unknown): void => {
    task.until = Infinity;
    lost(error);
  };

  next();
}

/** Gives the core pieces, each at a time of `performance.now`. The result is 0 when nothing more is wanted, 2 when it has more to do. */
function createInput(body: Body, memory: WebAssembly.Memory, task: { until: number }): (piece: Uint8Array, now: number) => number {
  const { timeOrigin } = performance;
  let room = new Uint8Array(0);
  return (piece, now) => {
    // Where the module's memory has grown, the old room has no length, and takes not even an empty piece.
    if (room.length < Math.max(piece.length, 1)) {
      const bytes = Math.max(piece.length, roomBytes);
      const at = body.room(bytes);
      room = new Uint8Array(memory.buffer, at, bytes);
    }
    room.set(piece);
    task.until = now + sliceMs;
    const wanted = body.read(piece.length, timeOrigin + now);
    task.until = Infinity;
    return wanted;
  };
}

/** Calls back when the page has had its turn. By a message: nested timers wait for 4 ms, those of a hidden page for a second. */
export function turn(callback: () => void): void {
  // jsdom has none.
  if (typeof MessageChannel !== "function") return void setTimeout(callback);
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => {
    // A port that listens keeps Node alive.
    port1.close();
    callback();
  };
  port2.postMessage(undefined);
}
