// Reads the body of an answer into the core, in slices that leave the page its turn.
//
//   read() ──► chunk ──► piece ──► piece ──► … ──► read()
//                 ▲        │ the slice is used up: the rest waits
//                 └─ turn ◄┘
//
// The loop is JavaScript's because every chunk passes it: from here it is one call into WebAssembly, from there ten out.

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
// The core's answer while it has more work with its input.
const steps = 2;
const nothing = new Uint8Array();

/** Takes the body of an answer. */
export interface Body {
  /** A piece of it has come, at a time of `performance.now`. 0: nothing more is wanted; 2: there is more to do with it. */
  take(piece: Uint8Array, now: number): number;
  /** The body has ended. */
  end(): void;
  /** It broke. */
  fail(error: unknown): void;
}

/** Reads to the end, or until nothing more is wanted. */
export function readBody(reader: ReadableStreamDefaultReader<Uint8Array>, body: Body): void {
  new BodyReader(reader, body).next();
}

class BodyReader {
  // When this slice began, and when the core was last given something.
  #began = 0;
  #last = -Infinity;
  #size = pieceBytes;

  constructor(
    readonly reader: ReadableStreamDefaultReader<Uint8Array>,
    readonly body: Body,
  ) {}

  readonly next = (): void => {
    try {
      void this.reader.read().then(this.#come, this.#fail);
    } catch (error) {
      this.#fail(error);
    }
  };

  readonly #fail = (error: unknown): void => this.body.fail(error);

  readonly #come = ({ done, value }: ReadableStreamReadResult<Uint8Array>): void => {
    if (done) return this.body.end();
    if (!ArrayBuffer.isView(value)) return this.#fail(new TypeError("the body of the response is not made of bytes"));
    const now = performance.now();
    if (now - this.#last > pauseMs) this.#began = now;
    this.#last = now;
    this.#give(value);
  };

  #give(chunk: Uint8Array): void {
    for (let rest = chunk;;) {
      const bytes = this.#size;
      const whole = rest.length <= bytes;
      // A view costs a small read more than its copy does.
      const wanted = this.body.take(whole ? rest : rest.subarray(0, bytes), this.#last);
      if (!wanted) return;
      if (wanted === steps) return this.#goOn(whole ? undefined : rest.subarray(bytes));
      const now = performance.now();
      this.#size = now - this.#last > slowMs ? leastBytes : Math.min(this.#size * 2, pieceBytes);
      // A small piece may take long as well: the listeners are called over it.
      this.#last = now;
      if (!whole) rest = rest.subarray(bytes);
      if (this.#last - this.#began > sliceMs) return whole ? this.#wait(this.next) : this.#giveLater(rest);
      if (whole) return this.next();
    }
  }

  // A long event is read in steps, each a task of its own: the last one may take as long as all before it.
  #goOn(rest: Uint8Array | undefined): void {
    this.#wait(() => {
      const wanted = this.body.take(nothing, this.#last);
      if (wanted === steps) this.#goOn(rest);
      else if (wanted) this.#wait(rest ? () => this.#give(rest) : this.next);
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
