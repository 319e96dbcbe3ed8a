// The order of a module's functions. Compression finds what repeats where it stands near: in the order in which the compiler leaves
// them, functions that are alike are often far apart.

/** How many bytes are compared at once: an operation or two. */
const run = 4;

/** Functions of which the next one should have something. */
const near = 3;

/**
 * The numbers of these functions in an order in which each is as much like those before it as one that is left can be. What few
 * functions have counts for more than what many have.
 *
 * @param {readonly Uint8Array[]} bodies
 * @returns {number[]}
 */
export function sideBySide(bodies) {
  const runs = bodies.map(runsOf);
  /** @type {Map<number, number[]>} */
  const having = new Map();
  runs.forEach((all, at) => all.forEach((each) => void (having.get(each)?.push(at) ?? having.set(each, [at]))));
  const weight = (/** @type {number} */ each) => Math.log(bodies.length / (having.get(each)?.length ?? 1));
  const weights = runs.map((all) => [...all].reduce((sum, each) => sum + weight(each), 1));
  const left = new Set(bodies.keys());
  /** @type {number[]} */
  const order = [];
  for (let next = 0; left.size > 0; next = mostAlike()) {
    left.delete(next);
    order.push(next);
  }
  return order;

  function mostAlike() {
    /** @type {Map<number, number>} */
    const shared = new Map();
    for (const each of order.slice(-near).flatMap((at) => [...(runs[at] ?? [])])) {
      for (const at of having.get(each) ?? []) if (left.has(at)) shared.set(at, (shared.get(at) ?? 0) + weight(each));
    }
    const likeness = (/** @type {number} */ at) => (shared.get(at) ?? 0) / (weights[at] ?? 1);
    return [...left].reduce((best, at) => (likeness(at) > likeness(best) ? at : best), [...left][0] ?? 0);
  }
}

/** Each run of bytes of a function, as a number. @param {Uint8Array} body */
function runsOf(body) {
  const view = new DataView(body.buffer, body.byteOffset, body.length);
  return new Set(Array.from({ length: Math.max(0, body.length - run + 1) }, (_, at) => view.getInt32(at)));
}
