// Which bytes of a module's data an add-on brings (tools/split.mjs): those that nothing but its functions name. And which functions are
// named by data: those of a trait object, which only code that names the object can call.
//
// Of which constant an address in the code is, the linker tells (`--emit-relocs`). The address alone does not: a loop may hold the
// one of the end of a list, and a table that begins with 97 the one 97 places before it.

import { kinds, Reader } from "./wasm.mjs";

/**
 * @typedef {{ from: number, to: number, names: Piece[], places: number[], fixed: boolean }} Piece
 *   a constant; `names`: those whose addresses it holds; `places`: those of the function table that it holds; `fixed`: the base has it,
 *   whoever names it
 * @typedef {{ pieces: Piece[], named: Map<number, Piece[]>, held: Set<number> }} Data
 *   `named`: the constants that an address in the code is of; `held`: places of the function table that no code names
 * @typedef {{ at: number, bytes: Uint8Array, place: number }} Segment  `place`: where its bytes stand in the section
 * @typedef {{ body: Uint8Array, code: number }} Body
 */

/** How far from a constant an address of it may be that wasm-opt has calculated, and not the linker. */
const far = 256;

/** A gap of fewer bytes than a segment has before its own is filled with what stands there. */
const smallest = 8;

/** The constants of a module that has the linker's notes. @param {Uint8Array} linked @returns {Data} */
export function dataOf(linked) {
  const reader = new Reader(linked, 8);
  /** @type {Map<number | string, Reader>} */
  const sections = new Map();
  while (reader.place < linked.length) {
    const id = reader.byte();
    const section = new Reader(reader.block());
    sections.set(id || Buffer.from(section.block()).toString(), section);
  }
  const of = (/** @type {number | string} */ id) => sections.get(id) ?? new Reader(Uint8Array.of(0));
  const segments = segmentsIn(of(11));
  const symbols = symbolsIn(of("linking"), segments);
  const pieces = symbols.filter((piece) => piece !== undefined);

  /** @type {Map<number, Piece[]>} */
  const named = new Map();
  /** @type {Set<number>} */
  const held = new Set();
  const [code, data] = [notesIn(of("reloc.CODE")), notesIn(of("reloc.DATA"))];
  for (const { kind, symbol, place } of data) {
    const segment = segments.findLast((each) => each.place <= place);
    const address = segment ? segment.at + place - segment.place : 0;
    const holders = pieces.filter(({ from, to }) => from <= address && address < to);
    const target = symbols[symbol];
    if (isAddress(kind) && target) holders.forEach(({ names }) => void names.push(target));
    if (kind !== function_ || !segment) continue;
    const at = new DataView(segment.bytes.buffer, segment.bytes.byteOffset).getUint32(place - segment.place, true);
    held.add(at);
    holders.forEach(({ places }) => void places.push(at));
  }
  for (const { kind, symbol, place, addend } of code) {
    const piece = symbols[symbol];
    if (isAddress(kind) && piece) named.set(piece.from + addend, [...(named.get(piece.from + addend) ?? []), piece]);
    if (kind === functionInCode) held.delete(new Reader(of(10).bytes, place).number());
  }
  return { pieces, named, held };
}

/** The kinds of notes: a place of the function table in the code, and in the data; an address in either. */
const [functionInCode, function_] = [1, 2];
const isAddress = (/** @type {number} */ kind) => kind > 2 && kind < 6;

/** @param {Reader} section @returns {Segment[]} */
export function segmentsIn(section) {
  return section.list(() => {
    section.take(2);
    const at = section.number();
    section.byte();
    const bytes = section.block();
    return { at, bytes, place: section.place - bytes.length };
  });
}

/** The constants, by the numbers of their symbols. @param {Reader} reader @param {Segment[]} segments */
function symbolsIn(reader, segments) {
  /** @type {(Piece | undefined)[]} */
  const symbols = [];
  reader.number();
  while (reader.place < reader.bytes.length) {
    const kind = reader.byte();
    const part = new Reader(reader.block());
    if (kind === 8) part.list(() => void symbols.push(readSymbol(part, segments)));
  }
  return symbols;
}

/** @param {Reader} reader @param {Segment[]} segments @returns {Piece | undefined} */
function readSymbol(reader, segments) {
  const [kind, flags] = [reader.byte(), reader.number()];
  const imported = (flags & 0x10) !== 0;
  if (kind !== 1) {
    reader.number();
    if (kind !== 3 && (!imported || (flags & 0x40) !== 0)) reader.block();
    return undefined;
  }
  reader.block();
  if (imported) return undefined;
  const [segment, offset, size] = [reader.number(), reader.number(), reader.number()];
  const from = (segments[segment]?.at ?? 0) + offset;
  // Constants stand in the first segment: it is never written to.
  return { from, to: from + size, names: [], places: [], fixed: segment > 0 };
}

/** Where the linker has written the numbers of what, in one section. @param {Reader} reader */
function notesIn(reader) {
  reader.number();
  return reader.list(() => {
    const [kind, place, symbol] = [reader.byte(), reader.number(), reader.number()];
    return { kind, place, symbol, addend: isAddress(kind) || kind === 8 || kind === 9 || kind === 11 ? reader.signed() : 0 };
  });
}

/**
 * The segments of the base and of the add-ons, from the whole module's.
 *
 * @param {Data} data @param {Segment[]} segments @param {Body[]} base @param {Map<string, Body[]>} addOns  their functions
 * @returns {{ base: number[][], addOns: Map<string, number[][]> }}
 */
export function dividedData(data, segments, base, addOns) {
  const reached = new Map([...addOns].map(([name, bodies]) => [name, reachedBy(data, bodies)]));
  const anyones = new Set([...reached.values()].flatMap((pieces) => [...pieces]));
  const bases = reachedBy(data, base);
  const isBrought = (/** @type {Piece} */ piece) => anyones.has(piece) && !bases.has(piece) && !piece.fixed;
  const brought = data.pieces.filter(isBrought);
  // A constant may be the end of another one.
  const kept = data.pieces.filter((piece) => !isBrought(piece));
  return {
    base: runs(segments, true, brought, kept),
    addOns: new Map([...reached].map(([name, pieces]) => [name, runs(segments, false, [], brought.filter((piece) => pieces.has(piece)))])),
  };
}

/** The constants that functions name, and those that these name. @param {Data} data @param {Body[]} bodies */
export function reachedBy({ pieces, named }, bodies) {
  /** @type {Set<Piece>} */
  const found = new Set();
  for (const { body, code } of bodies) {
    const reader = new Reader(body, code);
    while (reader.place < body.length) {
      reader.operation((kind, from) => {
        if (kind !== kinds.ints && kind !== kinds.offsets) return;
        const address = new Reader(body, from).number();
        const near = () => pieces.filter((piece) => address > piece.from - far && address < piece.to + far);
        for (const piece of named.get(address) ?? near()) found.add(piece);
      });
    }
  }
  for (const { names } of found) for (const piece of names) found.add(piece);
  return found;
}

/**
 * Segments with all bytes, or none, but without those of some constants, and then with those of others.
 *
 * @param {Segment[]} segments @param {boolean} all @param {Piece[]} without @param {Piece[]} pieces @returns {number[][]}
 */
function runs(segments, all, without, pieces) {
  return segments.flatMap(({ at, bytes }) => {
    const taken = new Uint8Array(bytes.length).fill(all ? 1 : 0);
    for (const { from, to } of without) taken.fill(0, Math.max(0, from - at), Math.max(0, to - at));
    for (const { from, to } of pieces) taken.fill(1, Math.max(0, from - at), Math.max(0, to - at));
    /** @type {{ from: number, to: number }[]} */
    const spans = [];
    taken.forEach((yes, place) => {
      if (!yes) return;
      const last = spans.at(-1);
      if (last && place - last.to < smallest) last.to = place + 1;
      else spans.push({ from: place, to: place + 1 });
    });
    return spans.map(({ from, to }) => [0, 0x41, ...signed(at + from), 0x0b, ...unsigned(to - from), ...bytes.subarray(from, to)]);
  });
}

/** A number, seven bits a byte. @param {number} value @returns {number[]} */
export const unsigned = (value) => (value < 128 ? [value] : [(value & 127) | 128, ...unsigned(value >>> 7)]);

/** A number that is not negative, where a sign is read. @param {number} value @returns {number[]} */
export const signed = (value) => (value < 64 ? [value] : [(value & 127) | 128, ...signed(value >>> 7)]);
