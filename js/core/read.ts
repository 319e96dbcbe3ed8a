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
  new BodyReader(reader, body, createInput(body, memory, task), lost, task).next();
}

class BodyReader {
  // When this slice began, and when the core was last given something.
  #began = 0;
  #last = -Infinity;
  #size = pieceBytes;

  constructor(
    readonly reader: ReadableStreamDefaultReader<Uint8Array>,
    readonly body: Body,
    readonly take: (piece: Uint8Array, now: number) => number,
    readonly lost: (trap: unknown) => void,
    readonly task: { until: number },
  ) {}

  readonly next = (): void => {
    try {
      void this.reader.read().then(this.#come, this.#fail);
    } catch (error) {
      this.#fail(error);
    }
  };

  readonly #fail = (error: unknown): void => this.#close(() => this.body.fail(error));

  readonly #come = ({ done, value }: ReadableStreamReadResult<Uint8Array>): void => {
    if (done) return this.#close(() => this.body.end());
    if (!ArrayBuffer.isView(value)) return this.#fail(new TypeError("the body of the response is not made of bytes"));
    const now = performance.now();
    if (now - this.#last > pauseMs) this.#began = now;
    this.#last = now;
    this.#give(value);
  };

  #give(chunk: Uint8Array): void {
    try {
      for (let rest = chunk;;) {
        const bytes = this.#size;
        const whole = rest.length <= bytes;
        // A view costs a small read more than its copy does.
        const wanted = this.take(whole ? rest : rest.subarray(0, bytes), this.#last);
        if (!wanted) return this.body.free();
        if (wanted === steps) return this.#goOn(whole ? undefined : rest.subarray(bytes));
        const now = performance.now();
        this.#size = now - this.#last > slowMs ? leastBytes : Math.min(this.#size * 2, pieceBytes);
        // A small piece may take long as well: who listens is called from inside.
        this.#last = now;
        if (!whole) rest = rest.subarray(bytes);
        if (this.#last - this.#began > sliceMs) return whole ? this.#wait(this.next) : this.#giveLater(rest);
        if (whole) return this.next();
      }
    } catch (error) {
      this.#trapped(error);
    }
  }

  // A long event is read in steps, each a task of its own: the last one may take as long as all before it.
  #goOn(rest: Uint8Array | undefined): void {
    this.#wait(() => {
      try {
        const wanted = this.take(nothing, this.#last);
        if (!wanted) this.body.free();
        else if (wanted === steps) this.#goOn(rest);
        else this.#wait(rest ? () => this.#give(rest) : this.next);
      } catch (error) {
        this.#trapped(error);
      }
    });
  }

  // A closure in the loop would cost every read.
  #giveLater(rest: Uint8Array): void {
    this.#wait(() => this.#give(rest));
  }

  #wait(resume: () => void): void {
    turn(() => {
      this.#began = this.#last = performance.now();
      resume();
    });
  }

  #close(report: () => void): void {
    this.task.until = performance.now() + sliceMs;
    try {
      report();
      this.body.free();
      this.task.until = Infinity;
    } catch (error) {
      this.#trapped(error);
    }
  }

  #trapped(error: unknown): void {
    this.task.until = Infinity;
    this.lost(error);
  }
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
