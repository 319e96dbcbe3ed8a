// Ways to cut a body. A seed makes a way repeatable.

/** @param {Uint8Array} body @returns {Generator<Uint8Array>} */
export function* everyByte(body) {
  for (let at = 0; at < body.length; at++) yield body.subarray(at, at + 1);
}

/**
 * Pieces of 1 to `longest` bytes, with an empty one now and then.
 *
 * @param {Uint8Array} body
 * @param {number} seed
 * @param {number} longest
 * @returns {Generator<Uint8Array>}
 */
export function* atRandom(body, seed, longest) {
  const random = generator(seed);
  for (let at = 0; at < body.length;) {
    const length = Math.floor(random() * (longest + 1));
    yield body.subarray(at, at + length);
    at += length;
  }
}

/** Mulberry32: 0 ≤ x < 1. @param {number} state */
function generator(state) {
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
