/** The index of the last element that passes; -1: none does. */
export function lastIndex<Item>(list: readonly Item[], passes: (item: Item) => boolean): number {
  let at = list.length - 1;
  while (at >= 0 && !passes(list[at]!)) at--;
  return at;
}
