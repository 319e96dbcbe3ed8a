// The binary form of WebAssembly, as far as `pack.mjs` and `split.mjs` read it.

/** The kinds of an operation's immediates. */
export const kinds = /** @type {const} */ ({
  rare: 4,
  blocks: 5,
  labels: 6,
  calls: 7,
  gets: 8,
  sets: 9,
  tees: 10,
  alignments: 11,
  offsets: 12,
  ints: 13,
  longs: 14,
  raw: 15,
});
const { rare, blocks, labels, calls, gets, sets, tees, alignments, offsets, ints, longs, raw } = kinds;

/** The kinds of an operation's numbers. @param {number} operation @returns {readonly number[]} */
function numbersOf(operation) {
  if (operation >= 0x02 && operation <= 0x04) return [blocks];
  if (operation >= 0x28 && operation <= 0x3e) return [alignments, offsets];
  if ((operation >= 0x23 && operation <= 0x26) || [0x3f, 0x40, 0xd0, 0xd2].includes(operation)) return [rare];
  const others = { 0x0c: [labels], 0x0d: [labels], 0x10: [calls], 0x11: [rare, rare], 0x20: [gets], 0x21: [sets], 0x22: [tees], 0x41: [ints], 0x42: [longs] };
  return others[/** @type {keyof typeof others} */ (operation)] ?? [];
}

/** Reads bytes from a place on. */
export class Reader {
  /** @param {Uint8Array} bytes @param {number} [place] */
  constructor(bytes, place = 0) {
    this.bytes = bytes;
    this.place = place;
  }

  byte() {
    return this.bytes[this.place++] ?? 0;
  }

  /** A number, seven bits a byte. */
  number() {
    let value = 0;
    for (let shift = 0, byte = 128; byte > 127; shift += 7) {
      byte = this.byte();
      value |= (byte & 127) << shift;
    }
    return value >>> 0;
  }

  /** The same, of which one bit is the sign. */
  signed() {
    const from = this.place;
    const value = this.number();
    const bits = 7 * (this.place - from);
    return bits < 32 ? (value << (32 - bits)) >> (32 - bits) : value | 0;
  }

  /** @param {number} count */
  take(count) {
    this.place += count;
    return this.bytes.subarray(this.place - count, this.place);
  }

  /** Bytes after their length. */
  block() {
    return this.take(this.number());
  }

  /** @template Item @param {(at: number) => Item} read @returns {Item[]} */
  list(read) {
    return Array.from({ length: this.number() }, (_, at) => read(at));
  }

  /**
   * Passes an operation, and hands on where each of its immediates stands.
   *
   * @param {(kind: number, from: number, to: number, operation: number) => void} take
   */
  operation(take) {
    const operation = this.byte();
    /** @param {number} kind */
    const number = (kind) => {
      const from = this.place;
      const value = this.number();
      take(kind, from, this.place, operation);
      return value;
    };
    /** @param {number} count */
    const bytes = (count) => {
      this.place += count;
      take(raw, this.place - count, this.place, operation);
    };
    for (const kind of numbersOf(operation)) number(kind);
    if (operation === 0x0e) { for (let left = number(labels) + 1; left; left--) number(labels); }
    if (operation === 0x1c) { for (let left = number(rare); left; left--) number(rare); }
    if (operation === 0x43) bytes(4);
    if (operation === 0x44) bytes(8);
    if (operation === 0xfc) {
      const which = number(rare);
      for (let left = which < 8 ? 0 : [8, 10, 12, 14].includes(which) ? 2 : 1; left; left--) number(rare);
    }
    if (operation === 0xfd) {
      const vector = number(rare);
      if (vector < 12 || (vector > 83 && vector < 94)) { for (const kind of [alignments, offsets]) number(kind); }
      if (vector === 12 || vector === 13) bytes(16);
      if ((vector > 20 && vector < 35) || (vector > 83 && vector < 92)) bytes(1);
    }
  }
}
