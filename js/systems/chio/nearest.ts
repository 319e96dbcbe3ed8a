// The known word that somebody may have meant. The guard has the same rule (src/guard/members.rs); a policy is read at once, before any core is
// loaded, so it cannot be asked for it. src/guard/nearest.json holds both.

/** Longer words are compared by their beginning. */
const LONGEST = 64;

/** The word that the fewest changes of a letter turn into the given one; of several, the first. */
export function nearest(misspelled: string, words: readonly string[]): string {
  const letters = [...misspelled].slice(0, LONGEST);
  const distances = words.map((word) => distance(letters, [...word]));
  return words[distances.indexOf(Math.min(...distances))] ?? "";
}

/** Levenshtein's distance. */
function distance(one: readonly string[], other: readonly string[]): number {
  let row = Array.from({ length: one.length + 1 }, (_, at) => at);
  for (let line = 1; line <= other.length; line++) {
    const next = [line];
    for (let at = 1; at <= one.length; at++) {
      const changed = row[at - 1]! + (one[at - 1] === other[line - 1] ? 0 : 1);
      next.push(Math.min(changed, row[at]! + 1, next[at - 1]! + 1));
    }
    row = next;
  }
  return row.at(-1)!;
}
