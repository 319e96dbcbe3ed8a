// Cuts a body into its frames, so that what the core says of one has a place. It judges nothing: the core reads the bytes
// however they are cut.

/** How a body frames its events, by its content type. */
export type Framing = "sse" | "binary" | "lines" | "unknown";

export function framingOf(contentType: string): Framing {
  const type = contentType.split(";")[0]!.trim().toLowerCase();
  if (type === "text/event-stream") return "sse";
  if (type === "application/vnd.ag-ui.event+proto") return "binary";
  return /ndjson|jsonl/.test(type) ? "lines" : "unknown";
}

/** Takes what is read, and gives the frames that are whole. */
export interface Cutter {
  push(bytes: Uint8Array): Uint8Array[];
  /** What has come of a frame that is not whole. */
  rest(): Uint8Array | undefined;
}

const LF = 10;
const CR = 13;
// What has come of a frame is kept up to here; after that it is given in parts.
const heldBytes = 64 * 1024;

export function createCutter(framing: Framing): Cutter {
  const ends = framing === "binary" ? binaryEnds() : framing === "sse" ? blankLines() : framing === "lines" ? lineFeeds : everything;
  let held: Uint8Array = new Uint8Array(0);
  return {
    push: (bytes) => {
      const pieces: Uint8Array[] = [];
      let from = 0;
      for (const end of ends(bytes)) {
        pieces.push(joined(held, bytes.subarray(from, end)));
        held = new Uint8Array(0);
        from = end;
      }
      held = joined(held, bytes.subarray(from));
      if (held.length > heldBytes) {
        pieces.push(held);
        held = new Uint8Array(0);
      }
      return pieces;
    },
    rest: () => {
      const rest = held;
      held = new Uint8Array(0);
      return rest.length > 0 ? rest : undefined;
    },
  };
}

type Ends = (bytes: Uint8Array) => number[];

const everything: Ends = (bytes) => (bytes.length > 0 ? [bytes.length] : []);

const lineFeeds: Ends = (bytes) => [...bytes].flatMap((byte, at) => (byte === LF ? [at + 1] : []));

/** After the empty line of an event stream, with any line end. */
function blankLines(): Ends {
  let empty = true;
  let last = 0;
  let ended = false;
  return (bytes) => {
    const ends: number[] = [];
    for (const [at, byte] of bytes.entries()) {
      const second = byte === LF && last === CR;
      if (ended && !second) ends.push(at);
      if (!second) {
        const isEnd = byte === LF || byte === CR;
        ended = isEnd && empty;
        empty = isEnd;
      } else if (ended) {
        ends.push(at + 1);
        ended = false;
      }
      if (ended && byte === LF) {
        ends.push(at + 1);
        ended = false;
      }
      last = byte;
    }
    // A line feed that follows in the next read is an empty line of its own, which means nothing.
    if (ended) ends.push(bytes.length);
    ended = false;
    return ends.filter((end) => end > 0);
  };
}

/** After each frame with its length of four bytes. */
function binaryEnds(): Ends {
  let head: number[] = [];
  let left = 0;
  return (bytes) => {
    const ends: number[] = [];
    for (let at = 0; at < bytes.length; ) {
      if (head.length < 4) {
        head.push(bytes[at++]!);
        if (head.length < 4) continue;
        left = head.reduce((sum, byte) => sum * 256 + byte, 0);
      }
      const taken = Math.min(left, bytes.length - at);
      left -= taken;
      at += taken;
      if (left > 0) break;
      ends.push(at);
      head = [];
    }
    return ends;
  };
}

function joined(one: Uint8Array, other: Uint8Array): Uint8Array {
  if (one.length === 0) return other;
  const both = new Uint8Array(one.length + other.length);
  both.set(one);
  both.set(other, one.length);
  return both;
}
