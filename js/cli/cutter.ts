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

const LF = 10;
const CR = 13;
const [QUOTE, ESCAPE, OPENS, CLOSES, OPENS_LIST, CLOSES_LIST] = [...'"\\{}[]'].map((character) => character.charCodeAt(0));
const blanks: readonly number[] = [..." \t\r\n"].map((character) => character.charCodeAt(0));
// A part of a frame is kept up to here; after that it is emitted in parts.
const heldBytes = 64 * 1024;

/** Takes what is read, and gives the frames that are whole. */
export function createCutter(framing: Framing) {
  const ends = endsOf[framing]();
  let held: Uint8Array = new Uint8Array(0);
  let within = false;
  return {
    /** The last piece ended within a frame, which the next one continues. */
    get within(): boolean {
      return within;
    },
    push: (bytes: Uint8Array): Uint8Array[] => {
      const pieces: Uint8Array[] = [];
      const give = (piece: Uint8Array, isPart: boolean): void => {
        if (piece.length > 0) pieces.push(piece);
        held = new Uint8Array(0);
        within = isPart;
      };
      let from = 0;
      for (const end of ends(bytes)) {
        give(joined(held, bytes.subarray(from, end)), false);
        from = end;
      }
      held = joined(held, bytes.subarray(from));
      if (held.length > heldBytes) give(held, true);
      return pieces;
    },
    /** The bytes of a frame that is not whole. */
    rest: (): Uint8Array | undefined => {
      const rest = held;
      held = new Uint8Array(0);
      return rest.length > 0 ? rest : undefined;
    },
  };
}

type Ends = (bytes: Uint8Array) => number[];

const endsOf: Record<Framing, () => Ends> = { binary: binaryEnds, sse: blankLines, lines: () => lineFeeds, unknown: firstCharacter };

/** Of a body that does not say what it is, the first character decides, as for the core. */
function firstCharacter(): Ends {
  let ends: Ends | undefined;
  return (bytes) => {
    const first = bytes.find((byte) => !blanks.includes(byte));
    if (first !== undefined) ends ??= first === OPENS_LIST ? elements() : first === OPENS ? lineFeeds : blankLines();
    return ends?.(bytes) ?? [];
  };
}

/** Before and after each object in a list. */
function elements(): Ends {
  let [depth, quoted, escaped] = [0, false, false];
  return (bytes) => {
    const ends: number[] = [];
    for (const [at, byte] of bytes.entries()) {
      if (quoted) {
        if (!escaped && byte === QUOTE) quoted = false;
        escaped = !escaped && byte === ESCAPE;
      } else if (byte === QUOTE) quoted = true;
      else if (byte === OPENS || byte === OPENS_LIST) {
        if (depth === 1) ends.push(at);
        depth++;
      } else if (byte === CLOSES || byte === CLOSES_LIST) {
        depth--;
        if (depth === 1) ends.push(at + 1);
      }
    }
    return ends;
  };
}

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
  let remaining = 0;
  return (bytes) => {
    const ends: number[] = [];
    for (let at = 0; at < bytes.length;) {
      if (head.length < 4) {
        head.push(bytes[at++]!);
        if (head.length < 4) continue;
        remaining = head.reduce((sum, byte) => sum * 256 + byte, 0);
      }
      const length = Math.min(remaining, bytes.length - at);
      remaining -= length;
      at += length;
      if (remaining > 0) break;
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
