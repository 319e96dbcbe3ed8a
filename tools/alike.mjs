// The order of a module's functions. Compression finds what repeats where it stands near: in the order in which the compiler leaves
// them, functions that are alike are often far apart.

/** How many bytes are compared at once: an operation or two. */
const run = 4;

/** Functions of which the next one should have something. */
const near = 3;

/**
 * Orders of these functions, as their numbers, in which each is as much like those before it as one that is left can be. What few
 * functions have counts for more than what many have. Each order begins with another function.
 *
 * @param {readonly Uint8Array[]} bodies @param {number} count
 * @returns {number[][]}
 */
export function sideBySide(bodies, count) {
  const runs = bodies.map(runsOf);
  /** @type {Map<number, number[]>} */
  const having = new Map();
  runs.forEach((all, at) => all.forEach((each) => void (having.get(each)?.push(at) ?? having.set(each, [at]))));
  const weight = (/** @type {number} */ each) => Math.log(bodies.length / (having.get(each)?.length ?? 1));
  const weights = runs.map((all) => [...all].reduce((sum, each) => sum + weight(each), 1));
  // For each function, what it has of each.
  const shared = runs.map((all) => {
    const row = new Float64Array(bodies.length);
    for (const each of all) for (const at of having.get(each) ?? []) row[at] = (row[at] ?? 0) + weight(each);
    return row;
  });
  return Array.from({ length: count }, (_, at) => orderFrom(Math.floor((bodies.length * at) / count)));

  /** @param {number} first */
  function orderFrom(first) {
    const left = new Set(bodies.keys());
    /** @type {number[]} */
    const order = [];
    for (let next = first; left.size > 0; next = mostAlike(left, order.slice(-near))) {
      left.delete(next);
      order.push(next);
    }
    return order;
  }

  /** @param {ReadonlySet<number>} left @param {readonly number[]} last */
  function mostAlike(left, last) {
    const likeness = (/** @type {number} */ at) => last.reduce((sum, each) => sum + (shared[each]?.[at] ?? 0), 0) / (weights[at] ?? 1);
    return [...left].reduce((best, at) => (likeness(at) > likeness(best) ? at : best), [...left][0] ?? 0);
  }
}

/** Each run of bytes of a function, as a number. @param {Uint8Array} body */
function runsOf(body) {
  const view = new DataView(body.buffer, body.byteOffset, body.length);
  return new Set(Array.from({ length: Math.max(0, body.length - run + 1) }, (_, at) => view.getInt32(at)));
}
