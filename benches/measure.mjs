// Rounds in which the ways take turns, and what is made of them.
//
// Measures in Node count the processor's time, which depends least on what else the machine does. A ratio compares
// neighbors of one round; shown are medians, with the quartiles. The first round only warms up. `before` runs before each
// way: in Node, a collection of young garbage, so that no way pays for what another has left.

/**
 * @typedef {object} Measured
 * @property {number} median  of the ways' figures
 * @property {number} low  first quartile
 * @property {number} high  third quartile
 */

/** Milliseconds of all threads of this process. */
export function processorTime() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/**
 * Each way in turn, `rounds` times, after one that is not counted.
 *
 * @template {string} Name
 * @param {Record<Name, () => Promise<number>>} ways  each gives its figure, lower is better
 * @param {number} rounds
 * @param {{ warm?: boolean, before?: () => void }} [options]
 * @returns {Promise<Record<Name, number[]>>}
 */
export async function alternate(ways, rounds, { warm = true, before } = {}) {
  const names = /** @type {Name[]} */ (Object.keys(ways));
  /** @type {Record<Name, number[]>} */
  const figures = /** @type {any} */ (Object.fromEntries(names.map((name) => [name, []])));
  for (let round = warm ? -1 : 0; round < rounds; round++) {
    for (const name of names) {
      before?.();
      const figure = await ways[name]();
      if (round >= 0) figures[name].push(figure);
    }
  }
  return figures;
}

/** @param {readonly number[]} values @returns {Measured} */
export function summary(values) {
  return { median: quantile(values, 0.5), low: quantile(values, 0.25), high: quantile(values, 0.75) };
}

/** How often `values` go into `base`, round by round. @param {readonly number[]} base @param {readonly number[]} values */
export const ratio = (base, values) => summary(values.map((value, round) => /** @type {number} */ (base[round]) / value));

/** @param {readonly number[]} values @param {number} part */
export function quantile(values, part) {
  const sorted = [...values].sort((a, b) => a - b);
  return /** @type {number} */ (sorted[Math.floor((sorted.length - 1) * part + 0.5)]);
}
