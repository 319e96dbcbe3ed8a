// Chance that can be repeated: the same seed, the same choices.

/** Mulberry32. */
export class Random {
  #state;

  /** @param {number} seed */
  constructor(seed) {
    this.#state = seed | 0;
  }

  /** 0 ≤ x < 1 */
  next() {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** 0 ≤ n < `end` @param {number} end */
  below(end) {
    return Math.floor(this.next() * end);
  }

  /** @param {number} probability */
  chance(probability) {
    return this.next() < probability;
  }

  /** @template Item @param {readonly Item[]} items @returns {Item} */
  pick(items) {
    return /** @type {Item} */ (items[this.below(items.length)]);
  }

  /** Takes one out. @template Item @param {Item[]} items @returns {Item} */
  take(items) {
    return /** @type {Item} */ (items.splice(this.below(items.length), 1)[0]);
  }

  /** @template Item @param {Record<string, Item>} weighted  names with weights @param {(item: Item) => number} weight */
  weighted(weighted, weight) {
    const entries = Object.entries(weighted).map(([name, item]) => /** @type {const} */ ([name, weight(item)]));
    let at = this.next() * entries.reduce((sum, [, weight]) => sum + weight, 0);
    for (const [name, weight] of entries) if ((at -= weight) < 0) return name;
    return /** @type {string} */ (entries.at(-1)?.[0]);
  }
}
